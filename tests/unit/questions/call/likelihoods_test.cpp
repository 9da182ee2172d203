// Files of likelihoods against called people, with the answers of an independent program, where
// FASTID_REAL_DATA names the folder that holds them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "import/import.hpp"
#include "import/io/byte_stream.hpp"
#include "import/io/source.hpp"
#include "questions/call/run.hpp"
#include "stats/likelihoods.hpp"
#include "support/temp_folder.hpp"

namespace fastid::call {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string, std::less<>>;

double number_of(std::string_view text) {
  return parse_number<double>(text).value();
}

std::uint32_t count_of(std::string_view text) {
  return parse_number<std::uint32_t>(text).value();
}

class LowCoverage : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FASTID_REAL_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "FASTID_REAL_DATA is not set";
    folder_ = fs::path(folder) / "lowcov";
    if (!fs::exists(folder_)) GTEST_SKIP() << folder_ << " is not there";
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string unpacked(const std::string& path) {
    const imports::Source source(path);
    const auto stream = imports::open_stream(source);
    std::string text;
    char piece[4096];
    while (const std::size_t n = imports::read_fully(*stream, piece, sizeof piece)) text.append(piece, n);
    return text;
  }

  std::vector<Row> table(const std::string& name) const {
    std::vector<Row> rows;
    std::vector<std::string> header;
    const std::string text = unpacked(path(name));
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) continue;
      const auto fields = split(line, '\t');
      if (header.empty()) {
        header.assign(fields.begin(), fields.end());
        continue;
      }
      Row& row = rows.emplace_back();
      for (std::size_t c = 0; c < header.size(); ++c) row.emplace(header[c], fields[c]);
    }
    return rows;
  }

  static imports::ImportOptions options(imports::LikelihoodRule rule) {
    return {.encoding = Encoding::kAlleles, .individuals = true, .likelihoods = rule};
  }

  /// The figures of all queries of a file with all people, by names.
  std::map<std::pair<std::string, std::string>, stats::LikelihoodEvidence> evidence_of(
      const std::string& folder, const std::string& query, const std::string& database,
      const stats::Parameters& parameters, imports::LikelihoodRule rule) const {
    const Panel panel = read_panel_tsv(path(folder + "/panel.tsv"));
    const auto asked = imports::read_profiles(path(folder + "/" + query), panel, options(rule));
    return figures(panel, asked, folder + "/" + database, parameters);
  }

  std::map<std::pair<std::string, std::string>, stats::LikelihoodEvidence> figures(
      const Panel& panel, const imports::ImportedProfiles& asked, const std::string& database,
      const stats::Parameters& parameters) const {
    const auto people = imports::read_profiles(path(database), panel, options(imports::LikelihoodRule::kOff));
    std::vector<std::uint64_t> all(people.ids.size());
    std::iota(all.begin(), all.end(), 0);
    const ProfileRows rows = ProfileRows::from_blocks(people.blocks.view(), all);
    std::vector<RowView> stored;
    for (std::size_t i = 0; i < rows.n_rows(); ++i) stored.push_back(rows.row(i));
    const stats::PopulationModel model("panel", panel.populations().front().minor_freq, parameters);
    std::map<std::pair<std::string, std::string>, stats::LikelihoodEvidence> found;
    for (std::size_t q = 0; q < asked.ids.size(); ++q) {
      const auto evidence =
          stats::LikelihoodRatios(model, Encoding::kAlleles, asked.likelihoods.at(q).value(),
                                  stats::Relation::kUnrelated)
              .with(stored);
      for (std::size_t i = 0; i < stored.size(); ++i)
        found.emplace(std::pair(asked.ids[q], people.ids[i]), evidence[i]);
    }
    return found;
  }

  void expect_profiles(const std::string& query, imports::LikelihoodRule rule, double theta,
                       const std::string& answers, std::size_t expected_rows) const {
    using enum stats::Relation;
    const auto found = evidence_of("profiles", query, "database.vcf.gz", {theta, .005}, rule);
    std::size_t seen = 0;
    for (const Row& row : table("profiles/" + answers)) {
      const auto at = found.find(std::pair(row.at("query"), row.at("profile")));
      if (at == found.end()) continue;
      const stats::LikelihoodEvidence& evidence = at->second;
      ++seen;
      EXPECT_EQ(evidence.compared, count_of(row.at("compared")));
      const std::tuple<const char*, stats::Relation, stats::Relation> columns[] = {
          {"log10_lr", kSame, kUnrelated},
          {"log10_lr_sibling", kSame, kSibling},
          {"log10_lr_parent_child", kParentChild, kUnrelated},
          {"log10_lr_sibling_v_unrelated", kSibling, kUnrelated},
          {"log10_lr_half_sibling", kHalfSibling, kUnrelated},
          {"log10_lr_cousin", kCousin, kUnrelated}};
      for (const auto& [name, one, other] : columns)
        EXPECT_NEAR(evidence.relations.between(one, other), number_of(row.at(name)), 1e-4)
            << row.at("query") << ' ' << row.at("profile") << ' ' << name;
    }
    EXPECT_EQ(seen, expected_rows);
  }

  fs::path folder_;
};

TEST_F(LowCoverage, ProfilesAreWeighedAsTheyShouldBe) {
  expect_profiles("query_pl.vcf.gz", imports::LikelihoodRule::kAuto, .01, "expected.tsv", 300);
  expect_profiles("query_pl.vcf.gz", imports::LikelihoodRule::kPl, 0, "expected_theta0.tsv", 300);
  expect_profiles("query_gl.vcf.gz", imports::LikelihoodRule::kAuto, .01, "expected.tsv", 120);
}

/// The reads' own person lies where it is expected, and nobody else does.
TEST_F(LowCoverage, TheOwnPersonLiesWhereItIsExpected) {
  const auto found = evidence_of("profiles", "query_pl.vcf.gz", "database.vcf.gz", {.01, .005},
                                 imports::LikelihoodRule::kAuto);
  std::size_t own = 0;
  for (const auto& [names, evidence] : found) {
    const double log10_lr = evidence.relations[stats::Relation::kSame];
    const double deviations = evidence.deviations(log10_lr).value();
    if (names.second == "self") {
      EXPECT_GT(deviations, stats::kLeastDeviations) << names.first;
      EXPECT_LT(deviations, 6) << names.first;
      ++own;
    } else if (names.first != "x0.05") {  // of so few sites a relative may lie near
      EXPECT_LT(deviations, stats::kLeastDeviations) << names.first << ' ' << names.second;
    }
  }
  EXPECT_EQ(own, 5u);
}

TEST_F(LowCoverage, EveryTrapOfASiteIsKnown) {
  const Panel panel = read_panel_tsv(path("edges/panel.tsv"));
  const auto asked =
      imports::read_profiles(path("edges/query.vcf"), panel, options(imports::LikelihoodRule::kAuto));
  const SampleLikelihoods& sample = asked.likelihoods.at(0).value();
  for (const Row& row : table("edges/expected_sites.tsv")) {
    const std::uint32_t site = panel.find_id(row.at("site")).value();
    const auto at = std::ranges::lower_bound(sample.sites(), site);
    const bool there = at != sample.sites().end() && *at == site;
    EXPECT_EQ(there, row.at("compared") == "1") << row.at("site");
    if (!there) continue;
    const auto ratios = stats::site_ratios(
        stats::ibd_emissions(panel.populations().front().minor_freq[site], .01, .005),
        sample.values()[static_cast<std::size_t>(at - sample.sites().begin())], Encoding::kAlleles);
    const char* const columns[] = {"log10_lr_stored_major", "log10_lr_stored_het", "log10_lr_stored_minor"};
    for (std::size_t y = 0; y < 3; ++y)
      EXPECT_NEAR(ratios.of[y][stats::Relation::kSame], number_of(row.at(columns[y])), 1e-6)
          << row.at("site");
  }
  const auto found =
      evidence_of("edges", "query.vcf", "database.vcf", {.01, .005}, imports::LikelihoodRule::kAuto);
  for (const Row& row : table("edges/expected.tsv")) {
    const auto& evidence = found.at({"query", row.at("profile")});
    EXPECT_EQ(evidence.compared, count_of(row.at("compared")));
    EXPECT_NEAR(evidence.relations[stats::Relation::kSame], number_of(row.at("log10_lr")), 1e-4);
    EXPECT_NEAR(evidence.relations.between(stats::Relation::kSame, stats::Relation::kSibling),
                number_of(row.at("log10_lr_sibling")), 1e-4);
  }
}

TEST_F(LowCoverage, ReadsAreWeighedAsTheyShouldBe) {
  const Panel panel = read_panel_tsv(path("reads/panel.tsv"));
  for (const std::string depth : {"0.1x", "0.5x", "1x"}) {
    const std::string query = "reads_" + depth;
    imports::ImportOptions asked = options(imports::LikelihoodRule::kAuto);
    asked.reference = path("reads/genome.fa");
    const auto reads = imports::read_profiles(path("reads/" + query + ".sam"), panel, asked);
    const auto found = figures(panel, reads, "reads/database.vcf", {.01, .005});
    std::size_t compared = 0;
    for (const Row& row : table("reads/expected.tsv")) {
      if (row.at("query") != query) continue;
      const auto& evidence = found.at({reads.ids[0], row.at("profile")});
      const double expected = number_of(row.at("log10_lr")), is = evidence.relations[stats::Relation::kSame];
      EXPECT_NEAR(is, expected, std::max(.02 * std::abs(expected), .02)) << query << ' ' << row.at("profile");
      if (row.at("profile") == "self") {
        for (const auto& [names, other] : found) {
          if (names.second == "self") continue;
          EXPECT_LT(other.relations[stats::Relation::kSame], is) << names.second;
        }
        EXPECT_EQ(reads.likelihoods.at(0)->sites().size(), count_of(row.at("sites_with_reads")));
        EXPECT_GT(evidence.deviations(is).value(), stats::kLeastDeviations);
      }
      ++compared;
    }
    EXPECT_EQ(compared, 5u);
  }
}

/// The answers are of the likelihoods that `fastid call` writes, at sites that are hardly called.
TEST_F(LowCoverage, WhatCallWritesIsWeighedAsTheyShouldBe) {
  const testing::TempFolder folder;
  const Panel panel = read_panel_tsv(path("reads/panel.tsv"));
  for (const std::string depth : {"0.1x", "0.5x", "1x"}) {
    const std::string query = "reads_" + depth, vcf = folder / (query + ".vcf");
    imports::ImportOptions of_reads{.individuals = true};
    of_reads.reference = path("reads/genome.fa");
    call({.reads = {path("reads/" + query + ".sam")},
          .panel = path("reads/panel.tsv"),
          .output = vcf,
          .vcf = true,
          .import = of_reads});
    const auto called = imports::read_profiles(vcf, panel, options(imports::LikelihoodRule::kAuto));
    const auto found = figures(panel, called, "reads/database.vcf", {.01, .005});
    for (const Row& row : table("reads/expected.tsv")) {
      if (row.at("query") != query) continue;
      const auto& evidence = found.at({called.ids[0], row.at("profile")});
      EXPECT_NEAR(evidence.relations[stats::Relation::kSame], number_of(row.at("log10_lr")), 1e-3);
      EXPECT_NEAR(evidence.relations.between(stats::Relation::kSame, stats::Relation::kSibling),
                  number_of(row.at("log10_lr_sibling")), 1e-3);
    }
  }
}

/// Both people of a pair by their likelihoods: NgsRelate's sum over their genotypes, and the ratios of
/// relations.
TEST_F(LowCoverage, NgsRelateHasTheSameSums) {
  using Table = std::array<std::array<double, 3>, 3>;
  std::map<std::string, double, std::less<>> expected;
  for (const Row& row : table("peers/ngsrelate_expected.tsv"))
    expected.emplace(row.at("what"), number_of(row.at("value")));
  double log = 0;
  stats::RelationRatios usual, exact;
  const auto likelihoods = [](std::string_view text) {
    GenotypeLikelihoods values{};
    const auto fields = split(text, ',');
    for (std::size_t g = 0; g < 3; ++g) values[g] = std::pow(10, -number_of(fields[g]) / 10);
    return values;
  };
  for (const Row& row : table("peers/ngsrelate_pair.tsv.gz")) {
    const double q = number_of(row.at("freq_alt"));
    const GenotypeLikelihoods one = likelihoods(row.at("pl_NA06985")),
                              other = likelihoods(row.at("pl_NA06994"));
    const auto sum_of = [&](const Table& joint) {
      double sum = 0;
      for (std::size_t g = 0; g < 3; ++g)
        for (std::size_t h = 0; h < 3; ++h) sum += joint[g][h] * one[g] * other[h];
      return sum;
    };
    const stats::IbdEmissions emissions = stats::ibd_emissions(q, 0, 0);
    // J6 and J1: the second person, or both, have the same allele twice.
    const std::array<double, 3> twice{1 - q, 0, q}, people = stats::genotype_probabilities(q, 0);
    Table inbred{}, all_one{};
    for (std::size_t g = 0; g < 3; ++g) {
      all_one[g][g] = twice[g];
      for (std::size_t h = 0; h < 3; ++h) inbred[g][h] = people[g] * twice[h];
    }
    log += std::log(expected.at("J9") * sum_of(emissions[0]) + expected.at("J8") * sum_of(emissions[1]) +
                    expected.at("J7") * sum_of(emissions[2]) + expected.at("J6") * sum_of(inbred) +
                    expected.at("J1") * sum_of(all_one));
    exact.add(stats::ratios_of_samples(emissions, one, other));
    usual.add(stats::ratios_of_samples(stats::ibd_emissions(q, .01, .005), one, other));
  }
  EXPECT_NEAR(log, expected.at("loglh"), 1e-3);
  for (std::size_t r = 0; r < stats::kRelations; ++r) {
    const auto relation = static_cast<stats::Relation>(r);
    const std::string what = "our log10_lr " + std::string(stats::name_of(relation)) + " v unrelated, theta ";
    EXPECT_NEAR(exact[relation], expected.at(what + "0, w 0"), 1e-4);
    EXPECT_NEAR(usual[relation], expected.at(what + ".01, w .005"), 1e-4);
  }
}

}  // namespace
}  // namespace fastid::call
