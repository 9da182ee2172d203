// The output contract: columns, order, NA, ties, and what json may and may not hold.
#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/figures.hpp"
#include "report/columns.hpp"
#include "report/parameters.hpp"
#include "unit/report/sample.hpp"

namespace fastid {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Figures, HaveFourDigitsHoweverSmallTheyAre) {
  EXPECT_EQ(page::chance_text(-0.60206, 4), "0.25");
  EXPECT_EQ(page::chance_text(0, 4), "1");
  EXPECT_EQ(page::chance_text(std::log10(12), 4), "12");
  EXPECT_EQ(page::chance_text(std::log10(123456), 4), "1.235e+05");
  EXPECT_EQ(page::chance_text(std::log10(0.00012345), 4), "0.0001235");
  EXPECT_EQ(page::chance_text(-30.5, 4), "3.162e-31");
  EXPECT_EQ(page::chance_text(-2500.5, 4), "3.162e-2501");
  EXPECT_EQ(page::chance_text(-2501, 4), "1e-2501");
  EXPECT_EQ(page::chance_text(-2500.00000001, 4), "1e-2500");
  EXPECT_EQ(page::chance_text(std::log10(1.5) - 400, 4), "1.5e-400");
  EXPECT_EQ(page::chance_text(-400.30103, 2), "5e-401");
  EXPECT_EQ(page::chance_text(-std::numeric_limits<double>::infinity(), 4), "0");
  EXPECT_EQ(page::ratio_text(-0.00001, 4), "0.0000");
  EXPECT_EQ(page::ratio_text(-std::numeric_limits<double>::infinity(), 4), "-inf");
}

TEST(Figures, AreWhatAPrinterOfDoublesWrites) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-6, 12);
  for (int i = 0; i < 20000; ++i) {
    const double value = (i % 2 == 0 ? 1 : -1) * std::pow(10, exponent(random));
    for (const int digits : {4, 9}) {
      std::string text;
      page::append_significant(value, digits, text);
      EXPECT_EQ(text, fmt::format("{:.{}g}", value, digits));
    }
    if (std::abs(value) < 0.0001) continue;  // 0 has no sign
    EXPECT_EQ(page::ratio_text(value, 4), fmt::format("{:.4f}", value));
  }
  for (const double value : {0.0, 1.0, -1.0, 0.1, 0.01, 0.001, 0.0001, 9.99999999949, 9.9999999999,
                             0.0999999999999, 0.00009999999999, 0.5, 0.125, 1e-4 - 1e-18}) {
    std::string text;
    page::append_significant(value, 9, text);
    EXPECT_EQ(text, fmt::format("{:.9g}", value));
  }
  for (const double value : {0.00005, -0.00005, 0.00015, 2.00005, -2252.46205, 0.49995, -0.1, 123.0})
    EXPECT_EQ(page::ratio_text(value, 4), fmt::format("{:.4f}", value));
}

TEST(Tsv, HasTheIdentityColumnsInOrder) {
  EXPECT_EQ(report::tsv(sample(engine::Comparison::kIdentity)),
            "query\trank\tprofile\tmismatches\tcompared\tmismatch_rate\tlog10_lr\tlog10_lr_sibling\t"
            "suggests\tchance_matches\trow\tmark\n"
            "scene\t1\tP000000042\t3\t1000\t0.003000\tNA\tNA\tNA\tNA\t41\tNA\n"
            "scene\t2\tP020000000\t250\t999\t0.250250\t-1234.5679\t-300.1250\tsecond-degree\t"
            "3.162e-2501\t19999999\trelative?\n");
}

TEST(Tsv, HasTheMixtureColumnsInOrder) {
  EXPECT_EQ(
      report::tsv(sample(engine::Comparison::kMixture)),
      "mixture\trank\tprofile\tnot_seen\tminor_alleles\tcompared\tlog10_lr\tlog10_lr_relative\trelative\t"
      "suggests\tcontributor\tp_rmne\tchance_matches\trow\tmark\n"
      "scene\t1\tP000000042\t3\t290\t1000\tNA\tNA\tNA\tNA\tNA\tNA\tNA\t41\tNA\n"
      "scene\t2\tP020000000\t250\t280\t999\t-1234.5679\t12.2500\tsibling\tfirst-degree\t2 of 2, drop-out "
      "0.5\t0.25\t3.162e-2501\t19999999\trelative?\n");
}

TEST(Tsv, ReverseNamesTheStoredMixtureAndThePersonAskedFor) {
  EXPECT_THAT(report::tsv(sample(engine::Comparison::kReverseMixture)),
              HasSubstr("\nP000000042\t1\tscene\t3\t290\t1000\t"));
}

match::MatchTable by_alleles(engine::Comparison comparison) {
  match::MatchTable matches = sample(comparison);
  matches.by = Encoding::kAlleles;
  matches.queries[0].rows[1].loci = {{"rs1", "7", 1'234'567, 'C', 'T', kBothSeen, kMinorSeen, 0.125, -1.25}};
  return matches;
}

TEST(ByAlleles, TheRateIsOfTheAllelesCompared) {
  const std::string text = report::tsv(by_alleles(engine::Comparison::kIdentity));
  EXPECT_THAT(text, HasSubstr("query\trank\tprofile\tmismatches\tcompared\tmismatch_rate\t"));
  EXPECT_THAT(text, HasSubstr("\t3\t1000\t0.001500\t"));
}

TEST(ByAlleles, AMixturesColumnIsThatOfAlleles) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    const match::MatchTable matches = by_alleles(comparison);
    EXPECT_THAT(report::tsv(matches), HasSubstr("\tnot_seen\talleles\tcompared\t"));
    const std::string html = one_line(report::html(matches));
    EXPECT_THAT(html, HasSubstr("Alleles not seen"));
    EXPECT_THAT(html, Not(HasSubstr("inor alleles")));
    EXPECT_THAT(one_line(report::json(matches)), HasSubstr("\"alleles\": 290"));
  }
}

TEST(ByAlleles, LociHaveGenotypesAndMixturesTheAllelesThatTheyShow) {
  const auto both = [](engine::Comparison comparison, const char* query, const char* profile) {
    const match::MatchTable matches = by_alleles(comparison);
    EXPECT_THAT(
        one_line(report::json(matches)),
        HasSubstr(fmt::format("\"query_alleles\": \"{}\", \"profile_alleles\": \"{}\"", query, profile)));
    EXPECT_THAT(report::html(matches), HasSubstr(fmt::format(">{}</td>", profile)));
  };
  both(engine::Comparison::kIdentity, "CT", "TT");
  both(engine::Comparison::kMixture, "CT", "TT");
  both(engine::Comparison::kReverseMixture, "CT", "T");
  EXPECT_THAT(report::json(sample(engine::Comparison::kIdentity)), Not(HasSubstr("query_alleles")));
}

TEST(EveryReport, SaysWhatWasCompared) {
  for (const Encoding by : {Encoding::kMinor, Encoding::kAlleles}) {
    match::MatchTable matches = sample(engine::Comparison::kIdentity);
    matches.by = by;
    const std::string what = match::name_of_compared(by);
    EXPECT_THAT(report::table(matches), HasSubstr("\nBy " + what + ", sites unlinked; "));
    EXPECT_THAT(one_line(report::json(matches)), HasSubstr("\"by\": \"" + what + "\""));
    EXPECT_THAT(one_line(report::html(matches)), HasSubstr("Compared by " + what + "."));
    EXPECT_THAT(one_line(report::html(matches)),
                HasSubstr(by == Encoding::kAlleles ? "be it by differing alleles alone or by"
                                                   : "be it by mismatches alone or by"));
  }
}

TEST(Table, FitsEightyColumnsAndSaysTies) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    match::MatchTable matches = sample(comparison);
    matches.queries[0].rows[1].log10_p_rmne = -120.25;
    matches.queries[0].rows[1].log10_chance_matches = -112.95;
    const std::string text = report::table(matches);
    for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_THAT(text, HasSubstr("scene: 1,004 of 1,024 sites called"));
    EXPECT_THAT(text, HasSubstr("2 more tie"));
    EXPECT_THAT(text, HasSubstr(fmt::format("no {} passes", match::stored(comparison))));
    EXPECT_THAT(text, HasSubstr("1.1e-113"));
  }
}

/// What forensic guidelines ask of a report that is kept.
TEST(EveryReport, SaysChancePropositionsAndLinkage) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    const match::MatchTable matches = sample(comparison);
    for (const std::string& text : {report::json(matches), report::html(matches)}) {
      const std::string flat = one_line(text);
      EXPECT_THAT(flat, HasSubstr(fmt::format("A search of 20,000,000 {}s brings chance matches",
                                              match::stored(comparison))));
      EXPECT_THAT(flat, HasSubstr("It speaks of unrelated people only"));
      EXPECT_THAT(flat, HasSubstr("how many times more probable the results are if"));
      EXPECT_THAT(flat, HasSubstr("Loci are taken to be unlinked"));
      EXPECT_THAT(flat, HasSubstr("CEU, YRI"));
    }
  }
}

TEST(EveryReport, SaysWhyFiguresAreMissing) {
  const match::MatchTable matches = without_evidence(engine::Comparison::kIdentity);
  for (const std::string& text : {report::json(matches), report::html(matches)}) {
    EXPECT_THAT(one_line(text), HasSubstr("the panel of the database has no allele frequencies"));
    EXPECT_THAT(one_line(text), Not(HasSubstr("more probable")));
  }
  EXPECT_THAT(report::table(matches), HasSubstr("No allele frequencies in the panel"));
  EXPECT_THAT(report::tsv(matches), HasSubstr("\t0.250250\tNA\tNA\tNA\tNA\t"));
}

/// The propositions are those that the likelihood ratio was computed with.
TEST(EveryReport, NamesTheAlternative) {
  const auto said = [](engine::Comparison comparison, const char* alternative, const char* in_table,
                       const char* in_page) {
    match::MatchTable matches = sample(comparison);
    matches.provenance.evidence.alternative = alternative;
    EXPECT_THAT(report::table(matches), HasSubstr(in_table));
    EXPECT_THAT(report::html(matches), HasSubstr(in_page));
  };
  using enum engine::Comparison;
  said(kIdentity, "unrelated", "v two unrelated people", "than if they are of two unrelated people");
  said(kIdentity, "sibling", "v two full siblings", "than if they are of two full siblings");
  said(kIdentity, "parent-child", "v a parent and a child", "than if they are of a parent and a child");
  said(kIdentity, "half-sibling", "v two half siblings", "than if they are of two half siblings");
  said(kIdentity, "cousin", "v two first cousins", "than if they are of two first cousins");
  said(kMixture, "unrelated", "v unrelated to all",
       "if the profile is of a contributor to the mixture than if all contributors are unrelated to that "
       "person");
  said(kMixture, "sibling", "v a full sibling of one",
       "than if a full sibling of that person contributed instead");
}

TEST(Table, HasTwoLinesOfCaveatsAtMostAndNoneWhenAskedForNone) {
  const auto lines_after_the_rows = [](const match::MatchTable& matches) {
    const std::string whole = report::table(matches), bare = report::table(matches, {.caveats = false});
    EXPECT_TRUE(whole.starts_with(bare));
    EXPECT_THAT(bare, Not(HasSubstr("unrelated people only")));
    const std::string rest = whole.substr(bare.size());
    for (const std::string_view line : split(rest, '\n')) EXPECT_LE(line.size(), 80u) << line;
    return std::ranges::count(rest, '\n');
  };
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    for (const char* alternative : {"unrelated", "sibling", "parent-child", "half-sibling", "cousin"}) {
      match::MatchTable matches = sample(comparison);
      matches.provenance.evidence.alternative = alternative;
      EXPECT_LE(lines_after_the_rows(matches), 3);  // an empty one before them
      for (int more = 0; more < 20; ++more) matches.provenance.populations.push_back({"population"});
      EXPECT_LE(lines_after_the_rows(matches), 3);
    }
    EXPECT_LE(lines_after_the_rows(without_evidence(comparison)), 2);
  }
}

TEST(Table, CapsALikelihoodRatioAndMarksRelatives) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  match::MatchRow& first = matches.queries[0].rows[0];
  first.log10_lr = 62.2, first.log10_lr_sibling = 9, first.suggests = "same",
  first.log10_chance_matches = -60;
  EXPECT_THAT(report::table(matches), HasSubstr(" >10^9    10^9.0 same "));
  EXPECT_THAT(report::table(matches), HasSubstr(" 10^-1234.6 10^-300.1 relative?"));
  EXPECT_THAT(report::table(matches, {.cap = 100}), HasSubstr(" 10^62.2 "));
  EXPECT_THAT(report::tsv(matches), HasSubstr("\t62.2000\t9.0000\tsame\t1e-60\t"));
  EXPECT_THAT(report::html(matches), HasSubstr("more than 10<span class=\"hat\">^</span><sup>9</sup>"));
  EXPECT_THAT(report::html(matches), Not(HasSubstr("62.2")));
  EXPECT_THAT(report::html(matches, {.cap = 100}), HasSubstr("<sup>62.2</sup>"));
  matches.queries[0].rows.pop_back();
  matches.queries[0].rows[0].relative = true;
  matches.queries[0].rows[0].suggests = "first-degree";
  EXPECT_THAT(report::table(matches), HasSubstr("relative? 1st"));
  EXPECT_THAT(report::table(sample(engine::Comparison::kMixture)), HasSubstr("relative? 1st"));
}

TEST(EveryReport, SaysThatAMixtureIsSaturated) {
  const match::MatchTable matches = sample(engine::Comparison::kMixture);
  for (const std::string& text : {report::table(matches), report::html(matches)}) {
    EXPECT_THAT(one_line(text), HasSubstr("Saturated: chance alone brings profiles"));
    EXPECT_THAT(one_line(text), HasSubstr("ontributors with the frequencies of YRI: 2 (P 0.25), 3 (P 0.74)"));
  }
}

/// Whether all, some or none may be listed: none is not the same as 0 mismatches at most.
TEST(EveryReport, SaysWhatALimitLets) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  matches.provenance.evidence.max_chance_matches = 0.01;
  const auto said = [&](const char* name, const char* count, const std::string& words) {
    const std::string json = one_line(report::json(matches));
    EXPECT_THAT(json, HasSubstr(fmt::format("\"limit\": \"{}\", \"max_count\": {},", name, count)));
    for (const std::string& text : {report::table(matches), report::html(matches)}) {
      EXPECT_THAT(one_line(text), HasSubstr(words));
      if (words.empty()) {
        EXPECT_THAT(one_line(text), Not(HasSubstr("isted: ")));
      }
    }
  };
  said("none", "null", "");
  matches.queries[0].evidence.limit = match::ChosenLimit{.max_count = 1};
  said("max_count", "1", "isted: at most 1 mismatch, so that at most 0.01 chance matches are expected");
  matches.queries[0].evidence.limit = match::ChosenLimit{};
  said("nothing", "null",
       "isted: nothing, since not even 0 mismatches are rare enough for at most 0.01 chance");
}

/// The audit log has report::parameters_json() too (tests/cli/cases/audit-log.case).
TEST(EveryReport, HasTheSameParameters) {
  match::MatchTable matches = sample(engine::Comparison::kMixture);
  matches.provenance.rule = {.top = match::KeepRule::kAll, .max_count = 4};
  matches.provenance.reading = {.ignore_build = true,
                                .palindromic = "drop",
                                .min_depth = 1234,
                                .min_allele_fraction = 0.125,
                                .reference = "genome<1>.fa"};
  matches.provenance.skip_checksums = true;
  matches.provenance.evidence = {.population = "CEU,YRI",
                                 .theta = 0.03,
                                 .error_rate = 0.01,
                                 .blocks = match::LinkageBlockFacts{"b<1>.tsv", "ab12", 1234, 5678},
                                 .alternative = "sibling",
                                 .sort = "rate",
                                 .contributors = "2-3",
                                 .model = "auto",
                                 .drop_in = 0.25,
                                 .known = {{"victim<1>", "v.snp", "ef56"}}};
  const std::string json = report::json(matches), page = report::html(matches);
  for (const report::Parameter& parameter : report::parameters(matches)) {
    const std::string value = parameter.value.dump();
    if (!value.starts_with('{') && !value.starts_with('[')) {
      EXPECT_THAT(json, HasSubstr(fmt::format("\"{}\": {}", parameter.name, value)));
    }
    if (!parameter.text.empty()) {
      EXPECT_THAT(page, HasSubstr("<dt>" + parameter.title + "</dt><dd>"));
    }
  }
  EXPECT_EQ(
      report::parameters_json(matches).dump(),
      "{\"by\":\"bits\",\"top\":null,\"max_count\":4,\"min_compared\":1,\"population\":\"CEU,YRI\",\"theta\":"
      "0.03,"
      "\"error_rate\":0.01,"
      "\"blocks\":{\"file\":\"b<1>.tsv\",\"sha256\":\"ab12\",\"blocks\":1234,\"sites\":5678},"
      "\"alternative\":\"sibling\",\"sort\":\"rate\",\"max_chance_matches\":null,"
      "\"contributors\":\"2-3\",\"model\":\"auto\",\"shares\":\"auto\",\"analytical_threshold\":"
      "\"auto\",\"drop_out\":\"auto\",\"drop_in\":0.25,"
      "\"known\":[{\"name\":\"victim<1>\",\"file\":\"v.snp\",\"sha256\":\"ef56\"}],\"ignore_build\":true,"
      "\"absent_as_reference\":false,\"palindromic\":\"drop\",\"min_depth\":1234,"
      "\"min_allele_fraction\":0.125,\"reference\":\"genome<1>.fa\",\"only\":null,\"ids_sha256\":null,"
      "\"exclude_sha256\":null,\"searched\":20000000,\"expired\":0,\"skip_checksums\":true}");
  EXPECT_THAT(page, HasSubstr("<dt>Reference genome</dt><dd>genome&lt;1&gt;.fa</dd>"));
  EXPECT_THAT(page,
              HasSubstr("<dt>Blocks of linked sites</dt><dd>1,234 of 5,678 sites, each of the weight of one "
                        "site (b&lt;1&gt;.tsv, SHA-256 ab12)</dd>"));
  EXPECT_THAT(page, HasSubstr("5,678 sites of the panel are linked to others and lie in 1,234 blocks."));
  EXPECT_THAT(report::table(matches), HasSubstr("By bits, blocks of sites unlinked; "));
  EXPECT_THAT(page, HasSubstr("<dt>Limit of the count</dt><dd>at most 4 minor alleles not seen</dd>"));
  matches.provenance.rule.top = 10;
  EXPECT_THAT(report::html(matches), HasSubstr("<dt>Matches listed of each mixture</dt><dd>at most 10</dd>"));
}

TEST(Json, CarriesNullForWhatIsNotComputedAndTheRunOnlyOnRequest) {
  const std::string plain = report::json(sample(engine::Comparison::kIdentity));
  EXPECT_THAT(plain, HasSubstr("\"log10_lr\": null"));
  EXPECT_THAT(plain, HasSubstr("\"ties_cut\": 2"));
  EXPECT_THAT(plain, HasSubstr("\"max_count\": null"));
  EXPECT_THAT(plain, Not(HasSubstr("command_line")));
  EXPECT_THAT(report::json(sample(engine::Comparison::kIdentity), {.with_run = true}),
              HasSubstr("\"command_line\": \"fastid search scene.snp db.h5\""));
}

TEST(Json, SaysWhereFiguresComeFrom) {
  const std::string identity = one_line(report::json(sample(engine::Comparison::kIdentity)));
  EXPECT_THAT(identity, HasSubstr("\"format_version\": 5"));
  EXPECT_THAT(identity, HasSubstr("\"log10_lr_population\": \"CEU\", \"chance_population\": \"YRI\""));
  EXPECT_THAT(identity, HasSubstr("\"log10_lr_population\": null, \"chance_population\": null"));
  EXPECT_THAT(identity, HasSubstr("\"name\": \"CEU\", \"frequency_floor\": 0.005, \"floored_sites\": 2, "
                                  "\"people\": 112"));
  EXPECT_THAT(identity, HasSubstr("\"people\": null"));
  EXPECT_THAT(identity, Not(HasSubstr("support")));
  const std::string mixture = one_line(report::json(sample(engine::Comparison::kMixture)));
  const std::string support =
      "{ \"contributors\": 3, \"drop_out\": 0.5, \"drop_outs_unknown\": [ 0.125 ], \"drop_outs_known\": [ "
      "0.25 ], "
      "\"weight\": 0.75 }";
  EXPECT_THAT(mixture, HasSubstr("\"support\": " + support));
  EXPECT_THAT(mixture, HasSubstr("\"supports\": [ " + support + " ]"));
  EXPECT_THAT(mixture, HasSubstr("{ \"contributors\": 2, \"probability\": 0.25 }"));
}

TEST(EveryReport, SaysWhereTheDatabasesProfilesLie) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  EXPECT_THAT(one_line(report::json(matches)),
              HasSubstr("\"own\": { \"centre\": 2.5, \"spread\": 0.75 }, \"model\": { \"centre\": 2.25, "
                        "\"spread\": 0.5 }"));
  const std::string page = one_line(report::html(matches));
  EXPECT_THAT(page,
              HasSubstr("The bars&#39; centre is 2.5 and their spread 0.8; the line&#39;s, 2.2 and 0.5."));
  matches.queries[0].histogram->own.reset();
  EXPECT_THAT(one_line(report::json(matches)), HasSubstr("\"own\": null, "));
  EXPECT_THAT(report::html(matches), Not(HasSubstr("their spread")));
}

TEST(EveryReport, SaysWhereTheFrequenciesDoNotFit) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  match::Strangers strangers{.profiles = 512, .own = {900, 10}, .expected = {1000, 20}, .nearer = true};
  matches.queries[0].strangers = strangers;
  const std::string said = "512 profiles that were held against query scene have some 900 (spread 10) ";
  EXPECT_THAT(match::strangers_text(matches), HasSubstr(said));
  EXPECT_THAT(report::html(matches), HasSubstr(said));
  EXPECT_THAT(report::table(matches), HasSubstr("The frequencies do not fit the people"));
  const std::string json = one_line(report::json(matches));
  EXPECT_THAT(json, HasSubstr(said));
  EXPECT_THAT(json, HasSubstr("\"nearer_than_expected\": true"));
  matches.queries[0].strangers->nearer = false;
  EXPECT_EQ(match::strangers_text(matches), "");
}

TEST(EveryReport, WarnsOfAQueryThatSaysLittle) {
  match::MatchTable matches = sample(engine::Comparison::kIdentity);
  matches.queries[0].several = match::SeveralPeople{.seen = 0.75, .expected = 0.5};
  matches.queries[0].log10_agree_by_chance = std::log10(1234.0);
  const std::string several =
                        "shows both alleles at 75.0 % of its sites, where 50.0 % are expected of one person",
                    few = "1,234 unrelated profiles are expected to agree at all of them";
  for (const std::string& text :
       {one_line(report::table(matches, {.style = {.columns = 1000}})), one_line(report::html(matches))}) {
    EXPECT_THAT(text, HasSubstr(several));
    EXPECT_THAT(text, HasSubstr(few));
  }
  EXPECT_THAT(one_line(report::json(matches)),
              HasSubstr("\"shows_several\": { \"heterozygous\": 0.75, \"expected\": 0.5 }, "
                        "\"log10_agree_by_chance\": 3.09"));
}

TEST(Json, KeepsFiguresThatNoDoubleHolds) {
  const std::string text = report::json(sample(engine::Comparison::kIdentity));
  EXPECT_THAT(text, HasSubstr("\"chance_matches\": null")) << "0.0 would be another figure";
  EXPECT_THAT(text, HasSubstr("\"log10_chance_matches\": -2500.5"));
}

TEST(Json, LeavesOutWhatAHistogramDoesNotShow) {
  const std::string text = one_line(report::json(sample(engine::Comparison::kIdentity)));
  EXPECT_THAT(text, HasSubstr("\"counts\": [ 0, 1, 2, 3 ], \"profiles\": [ 1, 0, 5, 7 ]"));
  EXPECT_THAT(text, HasSubstr("\"block_step\": 4"));
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  match::MatchTable table = sample(engine::Comparison::kIdentity);
  table.queries[0].name = "\xff\xfe";
  EXPECT_NO_THROW(report::json(table));
}

}  // namespace
}  // namespace fastid
