// Windows of pairs of sites, and panels without linked ones.
#include "analysis/linkage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/log.hpp"
#include "db/database.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal;

class LinkageTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSites = 90;

  LinkageTest() {
    log::set_level(log::Level::kQuiet);
    options_.progress = ProgressMode::kNever;
    options_.threads = 3;
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
  ~LinkageTest() override { log::set_level(log::Level::kNormal); }

  std::vector<SitePair> find() {
    std::vector<SitePair> all;
    const LinkageSearch search(options_);
    facts_ = search.facts();
    n_pairs_ = search.n_pairs();
    search.run(true,
               [&](std::span<const SitePair> pairs) { all.insert(all.end(), pairs.begin(), pairs.end()); });
    return all;
  }

  testing::TempFolder folder_;
  LinkageOptions options_;
  SiteFacts facts_;
  std::uint64_t n_pairs_ = 0;
};

TEST_F(LinkageTest, SitesAreInTheOrderOfTheGenome) {
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

TEST_F(LinkageTest, WindowsAreOfOneChromosome) {
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
  options_.device = "reference";
  EXPECT_EQ(find().size(), right);
}

TEST_F(LinkageTest, APrunedPanelHasNoLinkedSitesAndLeavesNoneOutThatCouldStay) {
  options_.window.all = true;
  const auto pairs = find();
  for (const double most : {0.1, 0.3}) {
    options_.min_r2 = most;
    const LinkageSearch search(options_);
    const std::vector<std::uint32_t> kept = pruned(search, most);
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

TEST_F(LinkageTest, AMatrixHasWhatThePairsHaveInBothTriangles) {
  options_.window.all = true;
  const auto pairs = find();
  options_.min_r2 = 0.9;  // has no say
  options_.window = {};
  for (const char* device : {"cpu", "reference"}) {
    options_.device = device;
    std::vector<float> matrix;
    LinkageSearch(options_).matrix(
        [&](std::span<const float> rows) { matrix.insert(matrix.end(), rows.begin(), rows.end()); });
    ASSERT_EQ(matrix.size(), kSites * kSites);
    for (const SitePair& pair : pairs) {
      EXPECT_EQ(matrix[pair.sites.first * kSites + pair.sites.second], static_cast<float>(pair.r2));
      EXPECT_EQ(matrix[pair.sites.second * kSites + pair.sites.first], static_cast<float>(pair.r2));
    }
    for (std::uint32_t site = 0; site < kSites; ++site) EXPECT_EQ(matrix[site * kSites + site], 1);
  }
}

TEST_F(LinkageTest, ARegionLeavesOutTheSitesAroundIt) {
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

TEST_F(LinkageTest, RefusesWhatItCannotRead) {
  options_.phased = true;
  EXPECT_THAT(refusal([&] { find(); }), HasSubstr("phases"));
  options_.phased = false;
  options_.min_r2 = 1.5;
  EXPECT_THAT(refusal<UsageError>([&] { find(); }), HasSubstr("--min-r2"));
  options_.min_r2 = 0.5;
  options_.device = "abacus";
  EXPECT_THAT(refusal<UsageError>([&] { find(); }), HasSubstr("abacus"));
}

}  // namespace
}  // namespace fastid
