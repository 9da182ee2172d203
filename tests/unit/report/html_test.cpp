// The page: what it holds, and what it never lets through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "report/report.hpp"
#include "unit/report/sample.hpp"

namespace fastid {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Html, HoldsNoMarkupThatANameBrought) {
  const std::string hostile = "</title><script>alert(1)</script><b a='x\"&amp;\x01\xff\xE2\x80\xAE";
  match::MatchTable table = sample(engine::Comparison::kIdentity);
  table.queries[0].name = table.queries[0].file = table.queries[0].rows[0].profile = hostile;
  table.queries[0].rows[1].loci->front().id = table.queries[0].rows[1].loci->front().chrom = hostile;
  table.queries[0].evidence.populations[0].name = table.queries[0].evidence.populations[1].name = hostile;
  table.queries[0].histogram->marks[0].name = table.provenance.populations[0].name = hostile;
  table.provenance.database = table.provenance.genome_build = table.run.command_line = hostile;
  table.run.description = table.run.engine = table.provenance.evidence.population = hostile;
  table.provenance.evidence.known = {{hostile, hostile, hostile}};
  table.queries[0].rows[1].suggests = hostile;
  const report::Options options{
      .case_name = hostile, .laboratory = hostile, .examiner = hostile, .date = hostile};
  const std::string page = report::html(table, options);
  const std::size_t style = page.find("</style>");
  EXPECT_EQ(page.substr(0, style).find("@page {\n  @top-left { content: \"Case \\00003c \\00002f title"),
            page.rfind("@page {", style));
  EXPECT_EQ(page.find("</style>", style + 1), std::string::npos);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b a=")));
  EXPECT_THAT(page,
              HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b a=&#39;x&quot;&amp;amp;"));
  for (const char c : page) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

TEST(Html, ShowsHistogramAndSites) {
  const std::string page = report::html(sample(engine::Comparison::kIdentity));
  EXPECT_THAT(page, HasSubstr("<svg id=\"histogram-1\""));
  EXPECT_THAT(page, HasSubstr("a systematic sample of 13 profiles out of 20,000,000"));
  EXPECT_THAT(page,
              HasSubstr("<summary>Rank 2: <bdi>P020000000</bdi>: 250 mismatches in 999 compared sites"));
  EXPECT_THAT(page, HasSubstr(">T present</td>"));
  EXPECT_THAT(page, HasSubstr(">C only</td>"));
  EXPECT_THAT(page, HasSubstr(">0.1250</td>"));
  EXPECT_THAT(page, HasSubstr(">\u22121.2500</td>"));
  EXPECT_THAT(page, HasSubstr("Not listed for 1 profile"));
}

TEST(Html, SaysOfXYAndMInATableOfTheirOwn) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  EXPECT_THAT(report::html(matches), Not(HasSubstr("At X, Y and M")));
  matches.provenance.sites = {.autosomal = 900, .x = 60, .y = 39};
  const std::string page = report::html(matches);
  const std::size_t second = page.find("<h3>At X, Y and M, beside the evidence</h3>");
  ASSERT_NE(second, std::string::npos);
  EXPECT_THAT(page.substr(0, second), Not(HasSubstr("Y sites that differ")));
  EXPECT_THAT(page.substr(second), HasSubstr("Y sites that differ"));
  EXPECT_THAT(page.substr(second), HasSubstr("Profile"));
}

TEST(Html, SaysWhoIsInNoBar) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  EXPECT_THAT(report::html(matches), Not(HasSubstr("no called site in common")));
  matches.queries[0].histogram->not_comparable = 1;
  EXPECT_THAT(report::html(matches),
              HasSubstr("1 of them has no called site in common with the query, and is in no bar."));
  matches.queries[0].histogram->not_comparable = 13;  // all
  const std::string page = report::html(matches);
  EXPECT_THAT(page, HasSubstr("<p>None of 13 profiles has a called site in common with the query.</p>"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
  EXPECT_THAT(report::json(matches), HasSubstr("\"profiles_not_comparable\": 13"));
}

TEST(Html, CountsOneOfAThingAsOne) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  matches.queries[0].rows[1].counts = {1, 0, 75};
  EXPECT_THAT(report::html(matches), HasSubstr("<bdi>P020000000</bdi>: 1 mismatch in 75 compared sites<"));
}

TEST(Html, CallsWhatIsSearchedMixturesWhereItIsThat) {
  const std::string page = report::html(sample(engine::Comparison::kReverseMixture));
  for (const char* words :
       {"<dd>2 profiles</dd>", "20,000,000 mixtures in <bdi>db.h5</bdi>", ">mixtures (log scale)<",
        "a systematic sample of 13 mixtures", "Triangles and dark bars: the mixtures that are listed",
        "Among all mixtures", "No mixture passes"})
    EXPECT_THAT(page, HasSubstr(words));
  EXPECT_THAT(page, Not(HasSubstr("profiles (log scale)")));
}

/// Triangles stand in one row, and what names one stands below it, however near the next one is.
TEST(Html, NamesTheFirstBelowThePointers) {
  constexpr double kTriangle = 10, kLetters = 11;  // heights
  const std::string page = report::html(sample(engine::Comparison::kIdentity));
  std::smatch pointer, label;
  ASSERT_TRUE(std::regex_search(page, pointer, std::regex("class=\"pointer\" d=\"M[0-9.]+ ([0-9.]+) ")));
  ASSERT_TRUE(
      std::regex_search(page, label, std::regex(" y=\"([0-9.]+)\" text-anchor=\"middle\">first listed<")));
  EXPECT_GE(std::stod(label[1]) - kLetters, std::stod(pointer[1]) + kTriangle);
}

TEST(Html, FetchesNothing) {
  const std::string page = report::html(sample(engine::Comparison::kIdentity));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* reference : {"src=", "http://", "https://", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(reference)));
}

}  // namespace
}  // namespace fastid
