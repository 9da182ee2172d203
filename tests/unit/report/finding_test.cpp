// What a page opens with, and by which rule.
#include "report/page/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fastid {
namespace {

using report::FindingKind;
using report::Standing;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

match::MatchRow same_person(const char* name, std::uint32_t count = 2) {
  return {.profile = name,
          .counts = {count, 40, 244},
          .log10_lr = 62.2,
          .log10_lr_sibling = 30,
          .suggests = "same",
          .log10_p_rmne = -70,
          .log10_chance_matches = -63.2};
}
match::MatchRow sibling(const char* name) {
  return {.profile = name,
          .counts = {45, 40, 244},
          .log10_lr = -20.5,
          .log10_lr_sibling = -40.25,
          .suggests = "first-degree",
          .relative = true,
          .log10_p_rmne = -10,
          .log10_chance_matches = -6};
}
match::MatchRow stranger(const char* name) {
  return {.profile = name,
          .counts = {97, 40, 244},
          .log10_lr = -110.3,
          .log10_lr_sibling = -90,
          .suggests = "unrelated",
          .log10_p_rmne = -1,
          .log10_chance_matches = 0.69897};
}

match::MatchTable found(std::vector<match::MatchRow> rows,
                        engine::Comparison comparison = engine::Comparison::kIdentity) {
  match::MatchTable matches{.comparison = comparison};
  matches.provenance.n_profiles = matches.provenance.searched.n_profiles = 12;
  matches.provenance.populations = {{"CEU"}};
  matches.queries.push_back({.name = "scene", .rows = std::move(rows)});
  return matches;
}

report::Finding finding(const match::MatchTable& matches) {
  return report::finding_of(matches, matches.queries[0]);
}

/// Without markup.
std::string plain(std::string html) {
  std::string text;
  bool markup = false;
  for (const char c : html) {
    if (c == '<') markup = true;
    if (!markup) text += c;
    if (c == '>') markup = false;
  }
  return text;
}
std::string headline(const match::MatchTable& matches) {
  return plain(report::finding_text(matches, matches.queries[0], {}).headline);
}
std::string detail(const match::MatchTable& matches, const report::Options& options = {}) {
  return plain(report::finding_text(matches, matches.queries[0], options).detail);
}

TEST(Standing, IsByRatioChanceAndRelation) {
  match::MatchRow row = same_person("P07");
  EXPECT_EQ(report::standing_of(row), Standing::kApart);
  row.log10_chance_matches = -2;  // 0.01 is as many as explain it
  EXPECT_EQ(report::standing_of(row), Standing::kStranger);
  row.log10_chance_matches = -2.001;
  EXPECT_EQ(report::standing_of(row), Standing::kApart);
  row.log10_lr = 0.00004;  // printed as 0
  EXPECT_EQ(report::standing_of(row), Standing::kStranger);
  row.log10_lr = 0.00006;
  EXPECT_EQ(report::standing_of(row), Standing::kApart);
  row.relative = true;
  EXPECT_EQ(report::standing_of(row), Standing::kRelative);
  row.log10_lr = {};
  EXPECT_EQ(report::standing_of(row), Standing::kNotWeighed);
}

TEST(Finding, OneStandsApart) {
  const match::MatchTable matches = found({same_person("P07"), stranger("P03")});
  EXPECT_EQ(finding(matches).kind, FindingKind::kOneApart);
  EXPECT_THAT(finding(matches).apart, ElementsAre(0u));
  EXPECT_EQ(headline(matches), "P07 stands apart: 2 of 244 sites differ; the next has 97");
  EXPECT_EQ(detail(matches),
            "These results are more than 10^9 times more probable if query scene and profile P07 are of the "
            "same person than "
            "if they are of two unrelated people.");
  EXPECT_THAT(detail(matches, {.cap = 100}), HasSubstr("are 10^62.2 times more probable"));
  EXPECT_EQ(headline(found({same_person("P07")})),
            "P07 stands apart: 2 of 244 sites differ; no other profile is listed");
}

TEST(Finding, OneStandsApartBesideARelative) {
  const match::MatchTable matches = found({same_person("P07", 1), sibling("P08"), stranger("P03")});
  EXPECT_THAT(finding(matches).relatives, ElementsAre(1u));
  EXPECT_EQ(headline(matches),
            "P07 stands apart: 1 of 244 sites differs; the next, perhaps a relative's, has 45");
  EXPECT_THAT(detail(matches), HasSubstr(" P08 may be of a relative: chance does not explain it."));
}

TEST(Finding, TheNextMayHaveOtherSites) {
  match::MatchTable matches = found({same_person("P07"), stranger("P03")});
  matches.queries[0].rows[1].counts.compared = 200;
  EXPECT_THAT(headline(matches), HasSubstr("; the next has 97 of 200"));
}

TEST(Finding, TwoTieOrStandApartTogether) {
  match::MatchTable matches = found({same_person("P07"), same_person("P09"), stranger("P03")});
  EXPECT_EQ(finding(matches).kind, FindingKind::kSeveralApart);
  EXPECT_TRUE(finding(matches).tie);
  EXPECT_EQ(headline(matches), "P07 and P09 tie: 2 of 244 sites differ for each; the next has 97");
  EXPECT_THAT(detail(matches),
              HasSubstr("Two samples of one person, or identical twins, cannot be told apart."));
  matches.queries[0].rows[1].counts.count = 3;
  EXPECT_FALSE(finding(matches).tie);
  EXPECT_EQ(headline(matches),
            "2 profiles stand apart: P07 and P09; of the first, 2 of 244 sites differ; the next has 97");
  matches = found({same_person("P1"), same_person("P2"), same_person("P3"), same_person("P4")});
  matches.queries[0].ties_cut = 3;
  EXPECT_THAT(headline(matches), HasSubstr("P1, P2, P3 and 1 more tie"));
  EXPECT_THAT(detail(matches), HasSubstr("3 more, which are not listed, tie with the last one."));
}

TEST(Finding, ARelativePerhaps) {
  match::MatchTable matches = found({sibling("P08"), stranger("P03")});
  EXPECT_EQ(finding(matches).kind, FindingKind::kRelative);
  EXPECT_EQ(headline(matches),
            "No profile stands apart as the same person; P08 may be of a relative: 45 of 244 sites differ");
  EXPECT_EQ(detail(matches),
            "These results are more than 10^9 times more probable if query scene and profile P08 are of full "
            "siblings than if "
            "they are of the same person. At most 10^\u22126 unrelated people of 12 are expected to match as "
            "well.");
  matches.queries[0].rows[0].suggests = "inconclusive";
  EXPECT_THAT(headline(matches), HasSubstr("P08 may be of the same person or of a relative"));
}

TEST(Finding, ARelativeWhereTheFrequenciesDoNotFit) {
  match::MatchTable matches = found({sibling("P08"), stranger("P03")});
  matches.queries[0].strangers = match::Strangers{.profiles = 800, .own = {90, 5}, .expected = {120, 6}};
  EXPECT_THAT(headline(matches), HasSubstr("P08 may be of a relative: 45"));
  EXPECT_THAT(report::html(matches), Not(HasSubstr("do not fit")));
  matches.queries[0].strangers->nearer = true;
  EXPECT_THAT(
      headline(matches),
      HasSubstr("P08 may be of a relative, or of somebody unrelated, whom the frequencies do not fit: 45"));
  const std::string page = report::html(matches), top = page.substr(0, page.find("</header>"));
  EXPECT_THAT(top,
              HasSubstr("<p class=\"warn\">The allele frequencies do not fit the people of this database"));
  EXPECT_THAT(top, HasSubstr("(--population)"));
}

TEST(Finding, NobodyStandsApart) {
  const match::MatchTable matches = found({stranger("P03"), stranger("P04")});
  EXPECT_EQ(finding(matches).kind, FindingKind::kNobody);
  EXPECT_EQ(headline(matches), "No profile stands apart: of P03, the first listed, 97 of 244 sites differ");
  EXPECT_EQ(detail(matches), "At most 5 unrelated people of 12 are expected to match as well.");
  EXPECT_EQ(finding(found({})).kind, FindingKind::kNobody);
  EXPECT_EQ(headline(found({})), "No profile passes");
  EXPECT_THAT(detail(found({})), IsEmpty());
}

TEST(Finding, NothingIsWeighedWithoutFrequencies) {
  match::MatchTable matches = found({same_person("P07"), stranger("P03")});
  matches.provenance.populations.clear();
  for (match::MatchRow& row : matches.queries[0].rows) row.log10_lr = row.log10_chance_matches = {};
  EXPECT_EQ(finding(matches).kind, FindingKind::kNotWeighed);
  EXPECT_EQ(headline(matches), "P07 has the fewest: 2 of 244 sites differ; the next has 97");
  EXPECT_THAT(detail(matches), HasSubstr("not known"));
}

TEST(Finding, OfMixturesSpeaksOfContributors) {
  const match::MatchTable mixture =
      found({same_person("P07"), stranger("P03")}, engine::Comparison::kMixture);
  EXPECT_EQ(headline(mixture), "P07 stands apart: 2 of 40 minor alleles are not seen; the next has 97");
  EXPECT_THAT(detail(mixture),
              HasSubstr("if profile P07 is of a contributor to mixture scene than if all contributors are "
                        "unrelated to that person."));
  const match::MatchTable reverse =
      found({same_person("M1"), sibling("M2")}, engine::Comparison::kReverseMixture);
  EXPECT_THAT(detail(reverse), HasSubstr("if profile scene is of a contributor to mixture M1 than if"));
  EXPECT_THAT(detail(reverse), HasSubstr("M2 may hold a relative of the person"));
}

/// The wording that courts object to.
TEST(Finding, NeverSaysThatASampleIsSomebodys) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture})
    for (const auto& rows : {std::vector{same_person("P07")}, {sibling("P07")}, {stranger("P07")}}) {
      const match::MatchTable matches = found(rows, comparison);
      const std::string said =
          ascii_lower(report::html(matches) + report::table(matches) + report::json(matches));
      for (const char* words : {"match probability", "false match", "excluded", "identified as", "belongs to",
                                "is the source", "the culprit", "the suspect"})
        EXPECT_THAT(said, Not(HasSubstr(words)));
    }
}

TEST(Contents, AreGroupedByFinding) {
  match::MatchTable matches = found({stranger("P03")});
  matches.queries.push_back({.name = "second", .rows = {same_person("P07")}});
  matches.queries.push_back({.name = "third", .rows = {stranger("P04")}});
  const std::string page = report::html(matches);
  EXPECT_THAT(page, HasSubstr("<h1>Of 3 queries, 1 has a profile that stands apart</h1>"));
  EXPECT_THAT(page, HasSubstr("<h3>One profile stands apart: 1 query</h3>"));
  EXPECT_THAT(page, HasSubstr("<h3>No profile stands apart: 2 queries</h3>"));
  EXPECT_LT(page.find("#query-2"), page.find("#query-1"));
  EXPECT_LT(page.find("#query-1"), page.find("#query-3"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"apart\">"));
}

TEST(Page, HasALineWhereTheRatioFallsBelowOne) {
  const std::string rule = "Below this line the results are less probable if";
  const std::string page = report::html(found({same_person("P07"), stranger("P03"), stranger("P04")}));
  EXPECT_LT(page.find("<bdi>P07</bdi> <span"), page.find(rule));
  EXPECT_LT(page.find(rule), page.rfind("<tr class=\"stranger\">"));
  EXPECT_THAT(report::html(found({same_person("P07")})), Not(HasSubstr(rule)));
  EXPECT_THAT(report::html(found({stranger("P03"), same_person("P07")})),
              Not(HasSubstr(rule)));  // --sort rate
}

TEST(Page, NamesTheCaseAndWhoSigns) {
  const match::MatchTable matches = found({same_person("P07")});
  const std::string page = report::html(
      matches, {.case_name = "24-117", .laboratory = "Lab", .examiner = "A. Person", .date = "2024-05-06"});
  for (const char* part :
       {"<dt>Case</dt><dd><bdi>24-117</bdi></dd>", "<dt>Laboratory</dt><dd><bdi>Lab</bdi></dd>",
        "<span>Examiner</span><bdi>A. Person</bdi>", "<dt>Date</dt><dd><bdi>2024-05-06</bdi></dd>",
        "@top-left { content: \"Case 24\\00002d 117\\00002c  Lab\\00002c  2024\\00002d 05\\00002d 06\"",
        "<span>Signature</span>"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(report::html(matches), Not(HasSubstr("<dt>Case</dt>")));
}

TEST(Finding, ByAllelesCountsAlleles) {
  const auto headline = [](engine::Comparison comparison) {
    match::MatchTable matches = found({same_person("P07"), stranger("P03")}, comparison);
    matches.by = Encoding::kAlleles;
    return report::finding_text(matches, matches.queries[0], {}).headline;
  };
  EXPECT_THAT(headline(engine::Comparison::kIdentity), HasSubstr("stands apart: 2 of 488 alleles differ"));
  EXPECT_THAT(headline(engine::Comparison::kMixture),
              HasSubstr("stands apart: 2 of 40 alleles are not seen"));
}

}  // namespace
}  // namespace fastid
