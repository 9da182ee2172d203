// The output contract: columns, order, NA, ties, and what json may and may not hold.
#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <regex>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "report/parameters.hpp"

namespace fastid {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A text without its line breaks and indents.
std::string one_line(std::string_view text) {
  std::string flat;
  for (const std::string_view word : split_blanks(text))
    for (const std::string_view piece : split(word, '\n'))
      if (!piece.empty()) flat += (flat.empty() ? "" : " ") + std::string(piece);
  return flat;
}

/// The second row has all figures, among them one that no double holds.
MatchTable sample(Comparison comparison) {
  MatchTable table{.comparison = comparison};
  QueryMatches query{"scene", "scene.snp", "ab12", 1004, 300, {}, 0};
  query.rows.push_back({1, 41, "P000000042", {3, 290, 1000}, {}, {}, {}});
  query.rows.push_back({2, 19'999'999, "P020000000", {250, 280, 999}, -1234.56789, -0.60206, -2500.5});
  query.rows.back().loci = {{"rs1", "7", 1'234'567, 'C', 'T', true, 0.125, -1.25}};
  query.ties_cut = 2;
  query.evidence.populations = {{"CEU", -33.5, -12.0}, {"YRI", -30.25, -11.0}};
  query.evidence.worst = 1;
  if (comparison == Comparison::kMixture)
    query.evidence.mixture = MixtureEvidence{.saturation = 0.75,
                                             .expected_saturation = 0.7,
                                             .contributors_used = 3,
                                             .estimate = 3,
                                             .low = 2,
                                             .high = 20,
                                             .informative = true,
                                             .saturated = true};
  query.histogram = QueryHistogram{.profiles = {1, 0, 5, 7},
                                   .expected = {0.0001, 0.5, 5.5, 6.25},
                                   .marks = {{"unrelated", 2.5, 0.75}},
                                   .n_profiles = 13,
                                   .step = 4};
  table.queries.push_back(query);
  table.queries.push_back({"empty", "e.snp", "cd34", 5, 0, {}, 0});
  table.provenance.n_sites = 1024;
  table.provenance.n_profiles = 20'000'000;
  table.provenance.database = "db.h5";
  table.provenance.populations = {{"CEU", 0.005, 2}, {"YRI", 0.005, 0}};
  table.run.command_line = "fastid search scene.snp db.h5";
  return table;
}

/// The panel has no allele frequencies.
MatchTable without_evidence(Comparison comparison) {
  MatchTable table = sample(comparison);
  table.provenance.populations.clear();
  for (QueryMatches& query : table.queries) {
    query.evidence = {};
    if (query.histogram) query.histogram->expected.clear(), query.histogram->marks.clear();
    for (MatchRow& row : query.rows) row.log10_lr = row.log10_p_rmne = row.log10_expected_false = {};
  }
  return table;
}

TEST(Figures, HaveFourDigitsHoweverSmallTheyAre) {
  EXPECT_EQ(report::chance_text(-0.60206, 4), "0.25");
  EXPECT_EQ(report::chance_text(0, 4), "1");
  EXPECT_EQ(report::chance_text(std::log10(12), 4), "12");
  EXPECT_EQ(report::chance_text(std::log10(123456), 4), "1.235e+05");
  EXPECT_EQ(report::chance_text(std::log10(0.00012345), 4), "0.0001235");
  EXPECT_EQ(report::chance_text(-30.5, 4), "3.162e-31");
  EXPECT_EQ(report::chance_text(-2500.5, 4), "3.162e-2501");
  EXPECT_EQ(report::chance_text(-2501, 4), "1e-2501");
  EXPECT_EQ(report::chance_text(-2500.00000001, 4), "1e-2500");
  EXPECT_EQ(report::chance_text(std::log10(1.5) - 400, 4), "1.5e-400");
  EXPECT_EQ(report::chance_text(-400.30103, 2), "5e-401");
  EXPECT_EQ(report::chance_text(-std::numeric_limits<double>::infinity(), 4), "0");
  EXPECT_EQ(report::ratio_text(-0.00001, 4), "0.0000");
  EXPECT_EQ(report::ratio_text(-std::numeric_limits<double>::infinity(), 4), "-inf");
}

TEST(Tsv, HasTheIdentityColumnsInOrder) {
  EXPECT_EQ(report::tsv(sample(Comparison::kIdentity)),
            "query\trank\tprofile\tmismatches\tcompared\tmismatch_rate\tlog10_lr\texpected_false\trow\n"
            "scene\t1\tP000000042\t3\t1000\t0.003000\tNA\tNA\t41\n"
            "scene\t2\tP020000000\t250\t999\t0.250250\t-1234.5679\t3.162e-2501\t19999999\n");
}

TEST(Tsv, HasTheMixtureColumnsInOrder) {
  EXPECT_EQ(
      report::tsv(sample(Comparison::kMixture)),
      "mixture\trank\tprofile\texcluded\tminor_alleles\tcompared\tlog10_lr\tp_rmne\texpected_false\trow\n"
      "scene\t1\tP000000042\t3\t290\t1000\tNA\tNA\tNA\t41\n"
      "scene\t2\tP020000000\t250\t280\t999\t-1234.5679\t0.25\t3.162e-2501\t19999999\n");
}

TEST(Tsv, ReverseNamesTheStoredMixtureAndThePersonAskedFor) {
  EXPECT_THAT(report::tsv(sample(Comparison::kReverseMixture)),
              HasSubstr("\nP000000042\t1\tscene\t3\t290\t1000\t"));
}

TEST(Table, FitsEightyColumnsAndSaysTies) {
  for (const Comparison comparison :
       {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture}) {
    MatchTable matches = sample(comparison);
    matches.queries[0].rows[1].log10_p_rmne = -120.25;
    matches.queries[0].rows[1].log10_expected_false = -112.95;
    const std::string text = report::table(matches);
    for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_THAT(text, HasSubstr("scene: 1,004 of 1,024 sites called"));
    EXPECT_THAT(text, HasSubstr("2 more tie"));
    EXPECT_THAT(text, HasSubstr(fmt::format("no {} passes", stored(comparison))));
    EXPECT_THAT(text, HasSubstr("1.1e-113"));
  }
}

/// What forensic guidelines ask of a report, in whatever form it comes.
TEST(EveryReport, SaysChanceAlternativeAndLinkage) {
  for (const Comparison comparison :
       {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture}) {
    const MatchTable matches = sample(comparison);
    for (const std::string& text :
         {report::table(matches), report::json(matches, false), report::html(matches)}) {
      const std::string flat = one_line(text);
      EXPECT_THAT(flat, HasSubstr(fmt::format("A search of 20,000,000 {}s brings chance matches",
                                              stored(comparison))));
      EXPECT_THAT(flat, HasSubstr("The likelihood ratio (LR) weighs"));
      EXPECT_THAT(flat, HasSubstr("It says nothing of relatives"));
      EXPECT_THAT(flat, HasSubstr("Loci are taken to be unlinked"));
      EXPECT_THAT(flat, HasSubstr("CEU, YRI"));
    }
  }
}

TEST(EveryReport, SaysWhyFiguresAreMissing) {
  const MatchTable matches = without_evidence(Comparison::kIdentity);
  for (const std::string& text :
       {report::table(matches), report::json(matches, false), report::html(matches)}) {
    EXPECT_THAT(one_line(text), HasSubstr("the panel of the database has no allele frequencies"));
    EXPECT_THAT(one_line(text), Not(HasSubstr("likelihood ratio")));
  }
  EXPECT_THAT(report::tsv(matches), HasSubstr("\t0.250250\tNA\tNA\t"));
}

TEST(EveryReport, SaysThatAMixtureIsSaturated) {
  const MatchTable matches = sample(Comparison::kMixture);
  for (const std::string& text : {report::table(matches), report::html(matches)}) {
    EXPECT_THAT(one_line(text), HasSubstr("Saturated: chance alone brings profiles"));
    EXPECT_THAT(one_line(text), HasSubstr("3 contributors estimated (2 to 20 or more)"));
  }
}

/// Whether all, some or none may be listed: none is not the same as 0 mismatches at most.
TEST(EveryReport, SaysWhatALimitLets) {
  MatchTable matches = sample(Comparison::kIdentity);
  matches.provenance.evidence.max_expected_false = 0.01;
  const auto said = [&](const char* name, const char* count, const std::string& words) {
    const std::string json = one_line(report::json(matches, false));
    EXPECT_THAT(json, HasSubstr(fmt::format("\"limit\": \"{}\", \"max_count\": {},", name, count)));
    for (const std::string& text : {report::table(matches), report::html(matches)}) {
      EXPECT_THAT(one_line(text), HasSubstr(words));
      if (words.empty()) {
        EXPECT_THAT(one_line(text), Not(HasSubstr("isted: ")));
      }
    }
  };
  said("none", "null", "");
  matches.queries[0].evidence.limit = ChosenLimit{.max_count = 1};
  said("max_count", "1", "isted: at most 1 mismatch, so that at most 0.01 false matches are expected");
  matches.queries[0].evidence.limit = ChosenLimit{};
  said(
      "nothing", "null",
      "isted: nothing, since not even a profile without mismatches is rare enough for at most 0.01 expected");
}

/// The audit log has report::parameters_json() too (tests/cli/cases/audit-log.case).
TEST(EveryReport, HasTheSameParameters) {
  MatchTable matches = sample(Comparison::kMixture);
  matches.provenance.rule = {.top = KeepRule::kAll, .max_count = 4};
  matches.provenance.reading = {.ignore_build = true,
                                .palindromic = "drop",
                                .min_depth = 1234,
                                .min_allele_fraction = 0.125,
                                .reference = "genome<1>.fa"};
  matches.provenance.skip_checksums = true;
  const std::string json = report::json(matches, false), page = report::html(matches);
  for (const report::Parameter& parameter : report::parameters(matches)) {
    EXPECT_THAT(json, HasSubstr(fmt::format("\"{}\": {}", parameter.name, parameter.value.dump())));
    if (!parameter.text.empty()) {
      EXPECT_THAT(page, HasSubstr("<dt>" + parameter.title + "</dt><dd>"));
    }
  }
  EXPECT_EQ(report::parameters_json(matches).dump(),
            "{\"top\":null,\"max_count\":4,\"min_compared\":1,\"population\":\"\",\"theta\":0.0,"
            "\"error_rate\":0.0,\"max_expected_false\":null,\"contributors\":null,\"ignore_build\":true,"
            "\"absent_as_reference\":false,\"palindromic\":\"drop\",\"min_depth\":1234,"
            "\"min_allele_fraction\":0.125,\"reference\":\"genome<1>.fa\",\"skip_checksums\":true}");
  EXPECT_THAT(page, HasSubstr("<dt>Reference genome</dt><dd>genome&lt;1&gt;.fa</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>Limit of the count</dt><dd>at most 4 excluded minor alleles</dd>"));
  matches.provenance.rule.top = 10;
  EXPECT_THAT(report::html(matches), HasSubstr("<dt>Matches listed of each mixture</dt><dd>at most 10</dd>"));
}

TEST(Json, CarriesNullForWhatIsNotComputedAndTheRunOnlyOnRequest) {
  const std::string plain = report::json(sample(Comparison::kIdentity), false);
  EXPECT_THAT(plain, HasSubstr("\"log10_lr\": null"));
  EXPECT_THAT(plain, HasSubstr("\"ties_cut\": 2"));
  EXPECT_THAT(plain, HasSubstr("\"max_count\": null"));
  EXPECT_THAT(plain, Not(HasSubstr("command_line")));
  EXPECT_THAT(report::json(sample(Comparison::kIdentity), true),
              HasSubstr("\"command_line\": \"fastid search scene.snp db.h5\""));
}

TEST(Json, KeepsFiguresThatNoDoubleHolds) {
  const std::string text = report::json(sample(Comparison::kIdentity), false);
  EXPECT_THAT(text, HasSubstr("\"expected_false\": 0.0"));
  EXPECT_THAT(text, HasSubstr("\"log10_expected_false\": -2500.5"));
}

TEST(Json, LeavesOutWhatAHistogramDoesNotShow) {
  const std::string text = one_line(report::json(sample(Comparison::kIdentity), false));
  EXPECT_THAT(text, HasSubstr("\"counts\": [ 0, 1, 2, 3 ], \"profiles\": [ 1, 0, 5, 7 ]"));
  EXPECT_THAT(text, HasSubstr("\"block_step\": 4"));
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  MatchTable table = sample(Comparison::kIdentity);
  table.queries[0].name = "\xff\xfe";
  EXPECT_NO_THROW(report::json(table, false));
}

TEST(Html, HoldsNoMarkupThatANameBrought) {
  const std::string hostile = "</title><script>alert(1)</script><b a='x\"&amp;\x01\xff\xE2\x80\xAE";
  MatchTable table = sample(Comparison::kIdentity);
  table.queries[0].name = table.queries[0].file = table.queries[0].rows[0].profile = hostile;
  table.queries[0].rows[1].loci->front().id = table.queries[0].rows[1].loci->front().chrom = hostile;
  table.queries[0].evidence.populations[0].name = table.queries[0].evidence.populations[1].name = hostile;
  table.queries[0].histogram->marks[0].name = table.provenance.populations[0].name = hostile;
  table.provenance.database = table.provenance.genome_build = table.run.command_line = hostile;
  table.run.description = table.run.engine = table.provenance.evidence.population = hostile;
  const std::string page = report::html(table);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b a=")));
  EXPECT_THAT(page,
              HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b a=&#39;x&quot;&amp;amp;"));
  for (const char c : page) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

TEST(Html, ShowsHistogramAndSites) {
  const std::string page = report::html(sample(Comparison::kIdentity));
  EXPECT_THAT(page, HasSubstr("<svg id=\"histogram-1\""));
  EXPECT_THAT(page, HasSubstr("a systematic sample of 13 profiles out of 20,000,000"));
  EXPECT_THAT(page,
              HasSubstr("<summary>Rank 2: <bdi>P020000000</bdi>: 250 mismatches in 999 compared sites"));
  EXPECT_THAT(page, HasSubstr("<td class=\"text\">T present</td><td class=\"text\">C only</td>"));
  EXPECT_THAT(page, HasSubstr("<td>0.1250</td><td>-1.2500</td>"));
  EXPECT_THAT(page, HasSubstr("Not listed for 1 profile"));
}

TEST(Html, SaysWhoIsInNoBar) {
  MatchTable matches = sample(Comparison::kIdentity);
  EXPECT_THAT(report::html(matches), Not(HasSubstr("no called site in common")));
  matches.queries[0].histogram->not_comparable = 1;
  EXPECT_THAT(report::html(matches),
              HasSubstr("1 of them has no called site in common with the query, and is in no bar."));
  matches.queries[0].histogram->not_comparable = 13;  // all
  const std::string page = report::html(matches);
  EXPECT_THAT(page, HasSubstr("<p>None of 13 profiles has a called site in common with the query.</p>"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
  EXPECT_THAT(report::json(matches, false), HasSubstr("\"profiles_not_comparable\": 13"));
}

TEST(Html, CountsOneOfAThingAsOne) {
  MatchTable matches = sample(Comparison::kIdentity);
  matches.queries[0].rows[1].counts = {1, 0, 75};
  EXPECT_THAT(report::html(matches), HasSubstr("<bdi>P020000000</bdi>: 1 mismatch in 75 compared sites<"));
}

TEST(Html, CallsWhatIsSearchedMixturesWhereItIsThat) {
  const std::string page = report::html(sample(Comparison::kReverseMixture));
  for (const char* words : {"2 profiles against 20,000,000 mixtures", ">mixtures (log scale)<",
                            "a systematic sample of 13 mixtures", "Triangles: the mixtures that are listed",
                            "Among all mixtures", "No mixture passes"})
    EXPECT_THAT(page, HasSubstr(words));
  EXPECT_THAT(page, Not(HasSubstr("profiles (log scale)")));
}

/// Triangles stand in one row, and what names one stands below it, however near the next one is.
TEST(Html, NamesRankOneBelowThePointers) {
  constexpr double kTriangle = 10, kLetters = 11;  // heights
  const std::string page = report::html(sample(Comparison::kIdentity));
  std::smatch pointer, label;
  ASSERT_TRUE(std::regex_search(page, pointer, std::regex("class=\"pointer\" d=\"M[0-9.]+ ([0-9.]+) ")));
  ASSERT_TRUE(std::regex_search(page, label, std::regex(" y=\"([0-9.]+)\" text-anchor=\"middle\">rank 1<")));
  EXPECT_GE(std::stod(label[1]) - kLetters, std::stod(pointer[1]) + kTriangle);
}

TEST(Html, FetchesNothing) {
  const std::string page = report::html(sample(Comparison::kIdentity));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* reference : {"src=", "http://", "https://", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(reference)));
}

}  // namespace
}  // namespace fastid
