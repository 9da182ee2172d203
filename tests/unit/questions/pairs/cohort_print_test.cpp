// A cohort's table as text, for MultiQC, and as a page.
#include "questions/pairs/cohort_print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "questions/pairs/page/cohort_charts.hpp"
#include "questions/pairs/page/cohort_sections.hpp"
#include "questions/pairs/page/cohort_words.hpp"

namespace fastid::pairs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kHostile = "<b>\"&'";

/// Profiles A, B (one person), C (a sibling of A), a hostile one and D; A and C were expected, B and D too.
CohortTable table() {
  CohortTable cohort;
  cohort.facts = {.min_kinship = 0.0884,
                  .database = {.path = "study.h5", .n_profiles = 9},
                  .n_profiles = 9,
                  .n_pairs = 36};
  for (const char* const id : {"A", "B", "C", kHostile, "D"})
    cohort.profiles.push_back({0, 10 * cohort.profiles.size(), id});
  const auto pair = [&](std::size_t a, std::size_t b, double kinship, std::string_view relation) {
    cohort.pairs.push_back(
        {a,
         b,
         {.first = 10 * a, .second = 10 * b, .compared = 1000, .differing = 7, .ibs0 = 3, .kinship = kinship},
         relation});
  };
  pair(0, 1, 0.49, "same");
  pair(0, 2, 0.25, "sibling");
  pair(1, 3, -0.01, "unrelated");
  cohort.groups.push_back({{{0, 1}, {1, 1}, {2, 2}}, {0, 1}, "same", 2});
  return cohort;
}

/// Pairs of one person, two profiles each.
CohortTable of_pairs(std::size_t n) {
  CohortTable cohort = table();
  cohort.profiles.clear();
  cohort.pairs.clear();
  cohort.groups.clear();
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t row : {2 * i, 2 * i + 1})
      cohort.profiles.push_back({0, row, fmt::format("P{}", row)});
    cohort.pairs.push_back({2 * i, 2 * i + 1, {.compared = 10, .kinship = 0.5}, "same"});
    cohort.groups.push_back({{{2 * i, 1}, {2 * i + 1, 1}}, {i}, "same", 1});
  }
  return cohort;
}

CohortTable expecting() {
  CohortTable cohort = table();
  CohortExpectation& of = cohort.expectation.emplace();
  of.path = "expected.txt";
  of.kind = "pairs";
  of.n_expected = 4;
  of.judged = {{0, 1, Outcome::kUnexpected, "", 0},
               {0, 2, Outcome::kFound, "sibling", 1},
               {1, 4, Outcome::kMissing, "parent-child", {}},
               {2, 3, Outcome::kBelow, "cousin", {}},
               {3, 4, Outcome::kNotCompared, "same", {}}};
  for (const JudgedPair& pair : of.judged) ++of.outcomes[static_cast<std::size_t>(pair.outcome)];
  of.exchanges = {{{0, 3}, 1, 1, 1, {{1, 4}}}, {{0, 4, 2}, 2, 2, 0, {}}};
  return cohort;
}

std::string text_of(const CohortTable& cohort, const std::string& name) {
  for (const MultiqcFile& file : multiqc_files(cohort))
    if (file.name == name) return file.text;
  return "no such file";
}

TEST(CohortReport, HasGroupsForPrograms) {
  EXPECT_EQ(groups_tsv(table()),
            "group\tdatabase\tprofile\trow\tperson\tmembers\tpersons\tclosest\n"
            "1\t1\tA\t0\t1\t3\t2\tsame\n1\t1\tB\t10\t1\t3\t2\tsame\n1\t1\tC\t20\t2\t3\t2\tsame\n");
}

TEST(CohortReport, SaysThatAPedigreeLinksNobody) {
  CohortTable cohort = table();
  CohortExpectation& of = cohort.expectation.emplace();
  of.path = "study.fam";
  of.kind = "pedigree";
  of.n_present = 4;
  of.n_absent = 1;
  of.outcomes[static_cast<std::size_t>(Outcome::kUnexpected)] = 2;
  EXPECT_EQ(
      expectation_sentence(cohort),
      "nothing was expected: study.fam makes no two of these profiles relatives (of its people 4 are in the "
      "database, and 1 is not); 2 pairs of relatives were found");
  EXPECT_THAT(cohort_headline(cohort),
              HasSubstr("nothing was expected, since the pedigree links no two profiles"));
  of.kind = "pairs";
  EXPECT_THAT(expectation_sentence(cohort), HasSubstr("2 unexpected"));
}

TEST(CohortReport, ListsWhomToKeep) {
  CohortTable cohort = table();
  cohort.unrelated = UnrelatedSet{.ids = {"A", "D"}, .n_profiles = 4};
  EXPECT_EQ(unrelated_list(cohort), "A\nD\n");
  cohort.facts.min_kinship = cohort.unrelated->kinship = .05;
  EXPECT_EQ(
      unrelated_sentence(cohort),
      "2 of 4 profiles are kept, of whom no two have a kinship of 0.05 or more: by KING's bounds none are "
      "relatives of the second degree or nearer; these are the most that can be kept");
  cohort.unrelated->greedy_groups = 1;
  cohort.unrelated->greedy_members = 70;
  EXPECT_THAT(unrelated_sentence(cohort), HasSubstr("of 1 group with 70 members more might be kept"));
}

TEST(CohortReport, SaysHowNearNoTwoAre) {
  CohortTable cohort = table();
  cohort.unrelated = UnrelatedSet{.kinship = .0442, .ids = {"A", "D"}, .n_profiles = 4};
  EXPECT_THAT(unrelated_sentence(cohort), HasSubstr("none are relatives of the third degree or nearer"));
  cohort.unrelated->kinship = .177;
  EXPECT_THAT(unrelated_sentence(cohort), HasSubstr("none are relatives of the first degree;"));
  cohort.unrelated->kinship = .354;
  EXPECT_THAT(unrelated_sentence(cohort), Not(HasSubstr("degree")));
  cohort.unrelated->kinship.reset();
  cohort.facts.min_kinship.reset();
  cohort.facts.max_mismatch_rate = .05;
  EXPECT_THAT(unrelated_sentence(cohort), HasSubstr("no two have a mismatch rate of at most 0.05;"));
}

TEST(CohortReport, NamesTheMostDistantDegree) {
  CohortTable cohort = table();
  cohort.unrelated = UnrelatedSet{.kinship = .0884, .ids = {"A", "D"}, .n_profiles = 4};
  EXPECT_THAT(unrelated_sentence(cohort), Not(HasSubstr("panel can tell")));
  cohort.facts.kinship_spread = .0087;
  EXPECT_THAT(unrelated_sentence(cohort),
              HasSubstr("the third degree is the most distant that this panel can tell"));
  cohort.facts.kinship_spread = .0541;
  EXPECT_THAT(unrelated_sentence(cohort),
              HasSubstr("can tell no degree, since the kinship of strangers varies by 0.054"));
  cohort.facts.linked = "linked";
  EXPECT_THAT(unrelated_sentence(cohort), HasSubstr("is not known, since its sites are linked"));
}

TEST(CohortReport, SaysInAFewLinesWhatWasFound) {
  EXPECT_THAT(
      cohort_summary(table()),
      ElementsAre("3 of 9 profiles are in 1 group of relatives; pairs: 1 same, 1 sibling, 1 unrelated"));
  EXPECT_THAT(
      cohort_summary(expecting()),
      ElementsAre(
          StartsWith("3 of 9"),
          "4 expected pairs: 1 found, 1 missing, 0 of another relation; 1 unexpected; 1 not found, and need "
          "not be: the search does not go so far; 1 not compared",
          "A and <b>\"&', or else B and D, seem to be exchanged (swapped labels): this repairs 2 of 2 wrong "
          "pairs, and makes "
          "1 "
          "wrong that was not",
          "A seems to be D, D to be C, C to be A: this repairs 4 of 2 wrong pairs"));
  CohortTable none;
  none.facts.n_profiles = 2;
  EXPECT_THAT(cohort_summary(none), ElementsAre("no two of 2 profiles are relatives"));
}

TEST(CohortReport, ListsWhoIsNotOfTheStatedSex) {
  CohortTable cohort = expecting();
  EXPECT_EQ(sexes_sentence(cohort), "");
  EXPECT_EQ(text_of(cohort, "fastid_sexes_mqc.tsv"), "");
  cohort.expectation->n_sexes = 4;
  cohort.expectation->sexes = {{0, Sex::kMale, Sex::kFemale}, {3, Sex::kFemale, Sex::kMale}};
  EXPECT_EQ(sexes_sentence(cohort),
            "2 of 4 profiles are not of the sex that the pedigree states, by X and Y: A is female (stated "
            "male), <b>\"&' is male (stated female)");
  EXPECT_EQ(cohort_summary(cohort).back(), sexes_sentence(cohort));
  EXPECT_THAT(cohort_headline(cohort), EndsWith("; 2 profiles are of another sex than stated"));
  EXPECT_THAT(text_of(cohort, "fastid_sexes_mqc.tsv"), HasSubstr("\"A\"\tmale\tfemale\n"));
  EXPECT_THAT(cohort_html(cohort, {}), HasSubstr("Another sex: 2 profiles"));
}

TEST(CohortReport, TellsProfilesOfASecondDatabase) {
  CohortTable cohort = table();
  cohort.profiles[2].database = 1;
  EXPECT_EQ(label_of(cohort, 2), "C [2]");
  EXPECT_THAT(groups_tsv(cohort), HasSubstr("\n1\t2\tC\t20\t"));
}

TEST(CohortReport, HasAHeadline) {
  EXPECT_EQ(cohort_headline(table()), "3 of 9 profiles are in 1 group of relatives");
  EXPECT_EQ(cohort_headline(expecting()),
            "not all is as expected: of 4 expected pairs 1 is missing and 0 have another relation, and 1 is "
            "unexpected");
  CohortTable met = table();
  met.expectation.emplace().outcomes[0] = 2;
  EXPECT_EQ(cohort_headline(met),
            "all is as expected: 2 expected pairs found, and no other pair of relatives");
}

TEST(CohortReport, HasContentForMultiqc) {
  const CohortTable cohort = expecting();
  EXPECT_THAT(text_of(cohort, "fastid_relations_mqc.tsv"),
              AllOf(StartsWith("# id: 'fastid_relations'\n"), HasSubstr("\n# plot_type: 'bargraph'\n"),
                    HasSubstr("\nSample\tsame\tparent-child\tsibling\thalf-"
                              "sibling\tcousin\tdistant\tclose\tundecided\tunrelated\n"
                              "\"study.h5\"\t1\t0\t1\t0\t0\t0\t0\t0\t1\n")));
  EXPECT_THAT(text_of(cohort, "fastid_profiles_mqc.tsv"),
              HasSubstr("missing\tunexpected\tother_relation\n\"B\"\t\"1\"\t1\t\"A\"\tsame\t0.4900\t1\t1\t0\n"
                        "\"A\"\t\"1\"\t2\t\"B\"\tsame\t0.4900\t0\t1\t0\n\"D\"\tNA\t0\tNA\tNA\tNA\t1\t0\t0\n"
                        "\"C\"\t\"1\"\t1\t\"A\"\tsibling\t0.2500\t0\t0\t0\n"));
  EXPECT_THAT(
      text_of(of_pairs(251), "fastid_profiles_mqc.tsv"),
      AllOf(HasSubstr("500 of 502 profiles"), HasSubstr("\n\"P499\"\t"), Not(HasSubstr("\n\"P500\"\t"))));
  EXPECT_THAT(text_of(cohort, "fastid_kinship_mqc.tsv"), HasSubstr("\n\"A / C\"\t0.003000\t0.2500\n"));
  EXPECT_THAT(text_of(cohort, "fastid_expectation_mqc.tsv"), HasSubstr("\n\"study.h5\"\t1\t1\t0\t1\n"));
  EXPECT_THAT(text_of(cohort, "fastid_exchanges_mqc.tsv"),
              HasSubstr("\n\"A / <b>\"&'\"\t\"B / D\"\t2\t1\n\"A > D > C\"\tNA\t4\t0\n"));
  EXPECT_EQ(text_of(table(), "fastid_exchanges_mqc.tsv"), "") << "nothing to show";
  EXPECT_EQ(text_of(CohortTable{}, "fastid_kinship_mqc.tsv"), "");
}

TEST(CohortReport, HasAPage) {
  const std::string page =
      cohort_html(expecting(), {.command_line = "fastid pairs <x>", .started_utc = "2026-01-02T"});
  for (const char* const part :
       {"<h1>Not all is as expected", "Only pairs with a kinship of at least 0.0884 were looked for",
        "2026-01-02", "<h3>Missing: 1 pair</h3>", "<h3>Unexpected: 1 pair</h3>", "As expected: 1 pair",
        "<svg id=\"groups\"", "<svg id=\"kinship\"", "<bdi>A</bdi> = <bdi>B</bdi>, <bdi>C</bdi>",
        "&lt;b&gt;&quot;&amp;&#39;", "fastid pairs &lt;x&gt;", "\u22120.0100"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(cohort_html(CohortTable{}, {}),
              AllOf(HasSubstr("No close pair was found"), Not(HasSubstr("<svg"))));
}

TEST(CohortReport, SaysWhatItLeavesOut) {
  const CohortTable many = of_pairs(kMostDots + 1);
  EXPECT_THAT(groups_figure(many), HasSubstr("20 of 1,001 groups, the largest, each member"));
  EXPECT_THAT(kinship_figure(many),
              HasSubstr("501 of 1,001 pairs, evenly chosen of each relation that has more than"));
  EXPECT_THAT(groups_section(many), HasSubstr("The largest 500 of 1,001 are listed"));
  EXPECT_THAT(pairs_section(many), HasSubstr("The closest 500 of 1,001 are listed"));
  const CohortTable few = of_pairs(2);
  EXPECT_THAT(groups_figure(few), HasSubstr("All 2 groups"));
  EXPECT_THAT(kinship_figure(few), HasSubstr("All 2 pairs"));
  EXPECT_THAT(groups_section(few) + pairs_section(few), Not(HasSubstr("are listed")));
}

TEST(CohortReport, ShowsPartOfAHugeGroup) {
  CohortTable cohort = of_pairs(100);
  CohortGroup all{{}, {}, "same", 1};
  for (std::size_t i = 0; i < 200; ++i) all.members.push_back({i, 1});
  for (std::size_t i = 0; i < 100; ++i) all.pairs.push_back(i);
  cohort.groups = {all};
  EXPECT_THAT(groups_figure(cohort), HasSubstr("The first 100 of 200 members of the largest of 1 group"));
  EXPECT_THAT(groups_section(cohort), HasSubstr("and 180 more"));
}

TEST(CohortReport, NamesTheFirstOfManyLabels) {
  CohortTable cohort = of_pairs(100);
  LabelExchange round{};
  for (std::size_t i = 0; i < 200; ++i) round.profiles.push_back(i);
  cohort.expectation.emplace().exchanges = {round};
  EXPECT_THAT(cohort_summary(cohort)[2],
              HasSubstr("P5 to be P6 and so on with 194 more (swapped labels): this"));
  EXPECT_THAT(expectation_section(cohort), HasSubstr("<bdi>P19</bdi> and 180 more"));
  EXPECT_THAT(text_of(cohort, "fastid_exchanges_mqc.tsv"), HasSubstr(" > P199\"")) << "which has all";
}

TEST(CohortReport, HasNoKinshipByBits) {
  CohortTable cohort = table();
  cohort.facts.by = Encoding::kMinor;
  for (CohortPair& pair : cohort.pairs) pair.close.kinship = NAN;
  EXPECT_EQ(kinship_figure(cohort), "");
  EXPECT_THAT(pairs_section(cohort), AllOf(HasSubstr("Mismatches"), Not(HasSubstr("IBS0"))));
}

}  // namespace
}  // namespace fastid::pairs
