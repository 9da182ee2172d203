// What is printed of relatives and of missing members.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "report/report.hpp"
#include "unit/report/sample.hpp"

namespace fastid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

match::MatchTable kin_sample() {
  match::MatchTable table{.comparison = engine::Comparison::kKinship};
  match::QueryMatches query{"remains", "remains.snp", "ab12", 1004, 300, {}, {}, 3};
  const auto add = [&](const std::string& relation, double margin, double kinship, double log10_lr) {
    match::MatchRow row{
        .rank = query.rows.size() + 1, .row = 41, .profile = "P00000004" + relation.substr(0, 1)};
    row.counts = {300, 290, 1000};
    row.kin = match::KinFigures{.kinship = kinship,
                                .ibs0 = 17,
                                .both_het = 120,
                                .log10_lr = match::RelationFigures{-300.5, 12.25, log10_lr, 3.5, -0.00001},
                                .relation = relation,
                                .margin = margin,
                                .relative = "sister",
                                .member = {}};
    row.log10_lr = log10_lr;
    row.log10_chance_matches = 6 - log10_lr;
    query.rows.push_back(row);
  };
  add("parent-child", 125.25, .24612345, 112.5);
  add("undecided", .25, -.05, 1.5);
  table.queries.push_back(query);
  table.provenance.n_profiles = 1'000'000;
  table.provenance.n_sites = 1024;
  table.provenance.sites.autosomal = 1024;
  table.provenance.populations = {{"CEU", 0.005, 0, {}}};
  table.provenance.evidence.margin = 1;
  return table;
}

match::MatchTable family_sample() {
  match::MatchTable table = kin_sample();
  table.family = match::FamilyFacts{
      "family.ped", "cd34", {match::MissingFacts{"remains"}}, 5, {{"sister", "sister.snp", "ef56"}}};
  return table;
}

TEST(KinReport, HasItsColumnsInOrder) {
  EXPECT_EQ(
      report::tsv(kin_sample()),
      "query\trank\tprofile\trelation\tkinship\tibs0\thethet\tcompared\tlog10_lr_parent_child\t"
      "log10_lr_sibling\tlog10_lr_half_sibling\tlog10_lr_cousin\tchance_matches\trow\tlog10_lr\tlog10_lr_"
      "same\tmargin\tmark\n"
      "remains\t1\tP00000004p\tparent-child\t0.246123\t17\t120\t1000\t12.2500\t112.5000\t3.5000\t0.0000\t"
      "3.162e-107\t41\t112.5000\t-300.5000\t125.2500\tapart\n"
      "remains\t2\tP00000004u\tundecided\t-0.050000\t17\t120\t1000\t12.2500\t1.5000\t3.5000\t0.0000\t"
      "3.162e+04\t41\t1.5000\t-300.5000\t0.2500\tNA\n");
  EXPECT_THAT(
      report::tsv(family_sample()),
      HasSubstr("missing\trank\tprofile\tlog10_lr\trelative\tmember\tkinship\tibs0\thethet\tcompared\t"
                "chance_matches\tother_role\tlog10_lr_other_role\trow\tmark\nremains\t1\tP00000004p\t112."
                "5000\tsister\tNA\t0.246123\t"));
}

TEST(KinReport, SetsTypedMembersApart) {
  match::MatchTable table = family_sample();
  std::vector<match::MatchRow>& rows = table.queries[0].rows;
  match::MatchRow sister = rows[0];
  sister.rank = 0;
  sister.profile = "P9";
  sister.kin->member = "sister";
  table.queries[0].typed_members = {sister};
  EXPECT_THAT(report::tsv(table), HasSubstr("\nremains\tNA\tP9\t112.5000\tsister\tsister\t0.246123\t"));
  EXPECT_THAT(report::tsv(table), HasSubstr("remains\t2\tP00000004u"));
  EXPECT_THAT(one_line(report::table(table)),
              HasSubstr("P9 (row 41) is the profile of the typed member sister, or of an identical twin: not "
                        "ranked"));
  EXPECT_THAT(
      one_line(report::json(table)),
      HasSubstr("\"typed_members\": [ { \"missing\": \"remains\", \"rank\": null, \"profile\": \"P9\""));
  EXPECT_THAT(report::json_lines(table), HasSubstr("\"rank\":null,\"profile\":\"P9\""));
  const std::string page = one_line(report::html(table));
  EXPECT_THAT(page, HasSubstr("Typed members in the database"));
  EXPECT_THAT(page, HasSubstr("P00000004p</bdi> stands apart")) << "not the member";
  rows.clear();
  EXPECT_THAT(report::summary(table), HasSubstr("\tnone\n")) << "a member is no match";
  EXPECT_THAT(one_line(report::table(table)), HasSubstr("no profile passes P9 (row 41)"));
}

TEST(KinReport, HasNoRatiosWithoutFrequencies) {
  match::MatchTable table = kin_sample();
  table.provenance.populations.clear();
  for (match::MatchRow& row : table.queries[0].rows) {
    row.kin->log10_lr.reset();
    row.kin->relation.clear();
    row.kin->margin.reset();
    row.log10_lr.reset();
    row.log10_chance_matches.reset();
  }
  EXPECT_THAT(report::tsv(table),
              HasSubstr("P00000004p\tNA\t0.246123\t17\t120\t1000\tNA\tNA\tNA\tNA\tNA\t41\tNA\tNA\tNA\tNA\n"));
  EXPECT_THAT(report::json(table), HasSubstr("\"relation\": null"));
  EXPECT_THAT(one_line(report::html(table)), HasSubstr("has the highest: kinship 0.2461"));
  EXPECT_THAT(report::table(table), HasSubstr("what a match is worth is not known (NA)"));
}

TEST(KinReport, FitsEightyColumns) {
  for (const match::MatchTable& matches : {kin_sample(), family_sample()}) {
    const std::string text = report::table(matches);
    for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_THAT(text, HasSubstr("3 more tie"));
    EXPECT_THAT(text, HasSubstr("Sites taken as unlinked"));
    EXPECT_THAT(text, HasSubstr("0.2461"));
    EXPECT_THAT(text, Not(HasSubstr("relative?")));
  }
  EXPECT_THAT(report::table(kin_sample()), HasSubstr("10^0.2"));
  EXPECT_THAT(report::table(family_sample()),
              HasSubstr("missing remains: 1,004 of 1,024 sites called in a relative"));
}

TEST(KinReport, WeighsPropositionsAndSaysWhatIsIgnored) {
  const std::string kin = one_line(report::html(kin_sample())),
                    family = one_line(report::html(family_sample()));
  EXPECT_THAT(kin, HasSubstr("stands apart: kinship 0.2461, relation parent-child"));
  EXPECT_THAT(kin, HasSubstr("are of a parent and a child than if they are of two unrelated people."));
  EXPECT_THAT(family, HasSubstr("is of the missing member <bdi>remains</bdi> than if it is of somebody "
                                "unrelated to the family."));
  for (const std::string& page : {kin, family}) {
    EXPECT_THAT(page, HasSubstr("Loci are taken to be unlinked"));
    EXPECT_THAT(page, HasSubstr("brings chance matches"));
    EXPECT_THAT(page, Not(HasSubstr("Sites that speak against")));
  }
}

TEST(KinReport, NamesTheRelativeBesideTheQuerysOwnProfile) {
  match::MatchTable own = kin_sample();
  std::vector<match::MatchRow>& rows = own.queries[0].rows;
  rows.insert(rows.begin(), rows[0]);
  rows[0].profile = "own";
  rows[0].kin->relation = "same";
  EXPECT_THAT(
      one_line(report::html(own)),
      HasSubstr("<bdi>own</bdi> looks like the query&#39;s own profile, or an identical twin&#39;s; "
                "<bdi>P00000004p</bdi> stands apart as a relative: kinship 0.2461, relation parent-child"));
  rows[1] = rows[0];
  EXPECT_THAT(one_line(report::html(own)),
              HasSubstr("2 profiles, <bdi>own</bdi> first, look like the query&#39;s own"));
  rows.erase(rows.begin() + 1);
  EXPECT_THAT(one_line(report::html(own)),
              AllOf(HasSubstr("identical twin&#39;s: kinship 0.2461, relation same"),
                    HasSubstr("; no relative stands apart")));
}

TEST(KinReport, ShowsTheLikeliestRelationsAlongTheMap) {
  match::MatchTable table = kin_sample();
  table.provenance.evidence.map =
      match::MapFacts{.relations = {"same", "sibling", "half-sibling", "avuncular", "cousin"}};
  for (match::MatchRow& row : table.queries[0].rows)
    row.kin->linked = match::LinkedFigures{
        .log10_lr = {-9.0, 4.5, 2.5, std::nullopt, 3.0}, .degree = "1", .degree_range = "1"};
  EXPECT_THAT(one_line(report::html(table)),
              HasSubstr("<td class=\"text\" data-label=\"Second\">cousin<br>"));
}

TEST(KinReport, JsonHasWhatTheColumnsLeaveOut) {
  const std::string kin = report::json(kin_sample()), family = report::json(family_sample());
  for (const char* const text :
       {"\"format\": \"fastid-kin\"", "\"comparison\": \"kinship\"", "\"log10_lr_same\": -300.5",
        "\"margin\": 125.25", "\"log10_lr_population\": \"CEU\"", "\"min_kinship\"", "\"family\": null"})
    EXPECT_THAT(kin, HasSubstr(text));
  EXPECT_THAT(one_line(family),
              HasSubstr("\"relatives\": [ { \"name\": \"sister\", \"file\": \"sister.snp\""));
  EXPECT_THAT(family, Not(HasSubstr("log10_lr_same")));
}

}  // namespace
}  // namespace fastid
