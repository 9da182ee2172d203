// Windows of pairs of sites, and panels without linked ones.
#include "questions/ld/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "db/database.hpp"
#include "questions/ld/panels.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::ld {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal;

class LdTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSites = 90;

  LdTest() {
    log::set_level(log::Level::kQuiet);
    options_.progress = ProgressMode::kNever;
    options_.device.engine.threads = 3;
    options_.min_r2 = 0;
    std::vector<Site> sites;
    for (std::uint32_t s = 0; s < kSites; ++s)  // in no order of the genome
      sites.push_back({"rs" + std::to_string(s), std::to_string(2 - s % 2), 1000 * (kSites - s), 'A', 'C'});
    sites.back().chrom = "0";
    sites.back().pos = 0;
    const Panel panel(std::move(sites), {}, GenomeBuild::kGRCh37, "test");
    options_.file = folder_ / "people.h5";
    db::Writer writer(options_.file, panel, {.encoding = Encoding::kAlleles});
    BitBlocks blocks({200, kSites, Encoding::kAlleles});
    std::vector<std::string> ids;
    std::mt19937 rng(2);
    for (std::uint32_t p = 0; p < 200; ++p) {
      ids.push_back("P" + std::to_string(p));
      for (std::uint32_t s = 0; s < kSites; ++s) {
        const bool copies = s >= 2 && s % 3 != 0 && rng() % 10 < 9;
        const Seen seen =
            copies
                ? static_cast<Seen>(blocks.view().bits_word(p, (s - 2) / 32) >> (s - 2) % 32 & 1 ? kMinorSeen
                                                                                                 : kMajorSeen)
                : static_cast<Seen>(1 + rng() % 3);
        blocks.set_seen(p, s, seen);
      }
    }
    writer.append(ids, blocks.view());
    writer.finish({.action = "build", .command = "test"});
  }
  ~LdTest() override { log::set_level(log::Level::kNormal); }

  std::vector<SitePair> find() {
    std::vector<SitePair> all;
    const LdSearch search(options_);
    facts_ = search.facts();
    n_pairs_ = search.n_pairs();
    search.find_all(
        true, [&](std::span<const SitePair> pairs) { all.insert(all.end(), pairs.begin(), pairs.end()); });
    return all;
  }

  testing::TempFolder folder_;
  LdOptions options_;
  SiteFacts facts_;
  std::uint64_t n_pairs_ = 0;
};

TEST_F(LdTest, SitesAreInTheOrderOfTheGenome) {
  options_.window.all = true;
  const auto pairs = find();
  EXPECT_EQ(n_pairs_, kSites * (kSites - 1) / 2);
  EXPECT_EQ(pairs.size(), n_pairs_);
  EXPECT_EQ(facts_.sites.front().id, "rs87");
  EXPECT_EQ(facts_.sites.back().id, "rs89");  // of unknown place
  for (std::size_t i = 1; i < pairs.size(); ++i)
    EXPECT_LT(std::pair(pairs[i - 1].sites.first, pairs[i - 1].sites.second),
              std::pair(pairs[i].sites.first, pairs[i].sites.second));
}

TEST_F(LdTest, WindowsAreOfOneChromosome) {
  options_.window.sites = 3;
  options_.window.base_pairs = 4000;  // neighbours lie 2,000 apart
  std::uint64_t right = 0;
  const auto pairs = find();
  for (std::size_t a = 0; a < kSites; ++a)
    for (std::size_t b = a + 1; b < kSites; ++b) {
      const Site &x = facts_.sites[a], &y = facts_.sites[b];
      right += x.chrom == y.chrom && x.chrom != "0" && b - a <= 3 && y.pos - x.pos <= 4000;
    }
  EXPECT_EQ(n_pairs_, right);
  EXPECT_EQ(pairs.size(), right);
  options_.device.device = "reference";
  EXPECT_EQ(find().size(), right);
}

TEST_F(LdTest, APrunedPanelHasNoLinkedSitesAndLeavesNoneOutThatCouldStay) {
  options_.window.all = true;
  const auto pairs = find();
  for (const auto& [most, by] :
       {std::pair(0.1, PruneBy::kFrequency), {0.3, PruneBy::kFrequency}, {0.1, PruneBy::kPower}}) {
    options_.min_r2 = most;
    const LdSearch search(options_);
    const std::vector<std::uint32_t> kept = pruned(search, most, by);
    const auto is_kept = [&](std::uint32_t site) { return std::ranges::binary_search(kept, site); };
    std::vector<bool> has_reason(kSites, false);
    for (const SitePair& pair : pairs) {
      if (pair.r2 <= most) continue;
      const bool a = is_kept(pair.sites.first), b = is_kept(pair.sites.second);
      EXPECT_FALSE(a && b);
      if (a) has_reason[pair.sites.second] = true;
      if (b) has_reason[pair.sites.first] = true;
    }
    for (std::uint32_t site = 0; site < kSites; ++site) EXPECT_NE(is_kept(site), has_reason[site]);
    EXPECT_LT(kept.size(), kSites);
  }
}

/// The power of a site is that in the population in which it is least, of the people who are called.
TEST(SitePower, IsTheLeastOfAllPopulations) {
  SiteFacts facts{.sites = std::vector<Site>(4),
                  .minor_share = {.5, .5, .5, .5},
                  .called_share = {1, 1, .5, 1},
                  .populations = {}};
  const std::vector<double> own = site_power(facts);
  EXPECT_GT(own[0], .3);  // log10 of a site that two people in three differ at
  EXPECT_DOUBLE_EQ(own[2], own[0] / 2);
  facts.populations = {{"A", {.5, .4, .5, .5}}, {"B", {.5, .02, .5, 0}}};
  const std::vector<double> power = site_power(facts);
  EXPECT_EQ(power[0], own[0]);
  EXPECT_LT(power[1], own[0] / 3);
  EXPECT_GT(power[1], 0);
  EXPECT_EQ(power[3], 0);
}

/// Blocks by their definition: neighbours are in one where a linked pair has one site on either side.
TEST_F(LdTest, BlocksEndWhereNoPairOfLinkedSitesGoesAcross) {
  options_.window.base_pairs = 9000;
  const auto pairs = find();
  for (const double least : {0.05, 0.3, 0.9}) {
    options_.min_r2 = least;
    const LdSearch search(options_);
    std::vector<bool> joined(kSites, false);  // with the site after it
    for (const SitePair& pair : pairs)
      for (std::uint32_t site = pair.sites.first; pair.r2 >= least && site < pair.sites.second; ++site)
        joined[site] = true;
    std::vector<SiteBlock> right;
    for (std::uint32_t site = 0; site + 1 < kSites; ++site) {
      if (!joined[site]) continue;
      if (site > 0 && joined[site - 1])
        right.back().last = site + 1;
      else
        right.push_back({site, site + 1});
    }
    EXPECT_EQ(linkage_blocks(search, least), right) << least;
    EXPECT_EQ(right.empty(), least > 0.8);
  }
}

TEST_F(LdTest, AMatrixHasWhatThePairsHaveInBothTriangles) {
  options_.window.all = true;
  const auto pairs = find();
  options_.min_r2 = 0.9;  // has no say
  options_.window = {};
  for (const char* device : {"cpu", "reference"}) {
    options_.device.device = device;
    std::vector<float> matrix;
    LdSearch(options_).matrix(
        [&](std::span<const float> rows) { matrix.insert(matrix.end(), rows.begin(), rows.end()); });
    ASSERT_EQ(matrix.size(), kSites * kSites);
    for (const SitePair& pair : pairs) {
      EXPECT_EQ(matrix[pair.sites.first * kSites + pair.sites.second], static_cast<float>(pair.r2));
      EXPECT_EQ(matrix[pair.sites.second * kSites + pair.sites.first], static_cast<float>(pair.r2));
    }
    for (std::uint32_t site = 0; site < kSites; ++site) EXPECT_EQ(matrix[site * kSites + site], 1);
  }
}

TEST_F(LdTest, ARegionLeavesOutTheSitesAroundIt) {
  options_.window.all = true;
  const auto all = find();
  const SiteFacts everywhere = facts_;
  options_.region = parse_region("chr2:21,000-50000");
  const auto found = find();
  std::vector<double> right, r2;
  for (const SitePair& pair : all) {
    const Site &a = everywhere.sites[pair.sites.first], &b = everywhere.sites[pair.sites.second];
    if (a.chrom == "2" && b.chrom == "2" && a.pos >= 21000 && b.pos <= 50000) right.push_back(pair.r2);
  }
  for (const SitePair& pair : found) r2.push_back(pair.r2);
  EXPECT_EQ(r2, right);
  EXPECT_EQ(facts_.sites.front().pos, 22000U);
  EXPECT_EQ(facts_.sites.back().pos, 50000U);
  options_.region = parse_region("2");
  find();
  EXPECT_EQ(facts_.sites.size(), kSites / 2);
  options_.region = parse_region("2:21000-23000");
  EXPECT_THAT(refusal([&] { find(); }), HasSubstr("1 site in 2:21000-23000"));
}

TEST(SiteRegion, RefusesWhatIsNone) {
  for (const char* text : {"", ":1-2", "1:", "1:5", "1:-5", "1:9-5", "1:a-b", "1:1-5000000000", "1:1-2-3"})
    EXPECT_THAT(refusal<UsageError>([&] { parse_region(text); }), HasSubstr("is no region")) << text;
  EXPECT_EQ(parse_region("HLA:A:1-2").chrom, "HLA:A");
}

TEST(LdUnits, MoreThanCanBeCountedAreRefusedWithTheMostThereMayBe) {
  EXPECT_NO_THROW(check_units("people.h5", 1'073'741'823));
  EXPECT_THAT(refusal([] { check_units("people.h5", 1'073'741'824); }),
              HasSubstr("give at most 1,073,741,823"));
}

TEST_F(LdTest, RefusesWhatItCannotRead) {
  options_.phased = true;
  EXPECT_THAT(refusal([&] { find(); }), HasSubstr("phases"));
  options_.phased = false;
  options_.min_r2 = 1.5;
  EXPECT_THAT(refusal<UsageError>([&] { find(); }), HasSubstr("--min-r2"));
  options_.min_r2 = 0.5;
  options_.device.device = "abacus";
  EXPECT_THAT(refusal<UsageError>([&] { find(); }), HasSubstr("abacus"));
}

}  // namespace
}  // namespace fastid::ld
