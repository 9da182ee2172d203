// Sums of weights by what stored people show, held to sums taken bit by bit.
#include "engine/weighted_count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "engine/cpu/weigh_pass.hpp"
#include "support/cpu_targets.hpp"

namespace fastid {
namespace {

struct WeighedWorld {
  Encoding encoding = Encoding::kAlleles, by = Encoding::kAlleles;
  bool all_called = false;
  std::uint32_t n_sites = 0;
  std::size_t n_profiles = 0;
};

class WeightedCounts : public ::testing::TestWithParam<WeighedWorld> {
 protected:
  void SetUp() override {
    const WeighedWorld& world = GetParam();
    seen_.assign(world.n_profiles, std::vector<Seen>(world.n_sites));
    blocks_ = std::make_unique<BitBlocks>(BlockShape{world.n_profiles, world.n_sites, world.encoding});
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (std::uint32_t s = 0; s < world.n_sites; ++s) {
        seen_[i][s] = static_cast<Seen>(rng_() % (world.all_called ? 3 : 4) + (world.all_called ? 1 : 0));
        if (seen_[i][s] != kNoneSeen) blocks_->set_seen(i, s, seen_[i][s]);
      }
    for (std::size_t query = 0; query < kQueries; ++query) {
      for (std::uint32_t s = 0; s < world.n_sites; ++s)
        if (rng_() % 3 > 0) queries_.set_seen(query, s, static_cast<Seen>(rng_() % 3 + 1));
      if (query % 2 == 0) weights_[query] = {some_weights(world.n_sites)};
      if (query == 4) {  // further sets of the same sites
        SiteWeightsByKind& other = weights_[query].emplace_back(weights_[query].front());
        for (auto& of : other.of) std::swap(of[0], of[1]);
      }
    }
  }

  SiteWeightsByKind some_weights(std::uint32_t n_sites) {
    SiteWeightsByKind weights;
    std::uniform_int_distribution<int> weight(-SiteWeightsByKind::kMost, SiteWeightsByKind::kMost);
    for (std::uint32_t s = 0; s < n_sites; ++s) {
      if (rng_() % 2 == 0) continue;
      weights.sites.push_back(s);
      weights.of.push_back({});
      for (std::int8_t& of : weights.of.back()) of = static_cast<std::int8_t>(weight(rng_));
    }
    return weights;
  }

  /// The definition, of what was drawn.
  PairCounts expected(std::size_t query, std::size_t profile) const {
    std::vector<std::int64_t> sums;
    std::uint32_t compared = 0;
    for (const SiteWeightsByKind& weights : weights_[query]) {
      sums.push_back(0);
      compared = 0;
      for (std::size_t i = 0; i < weights.sites.size(); ++i) {
        const Seen seen = seen_[profile][weights.sites[i]];
        if (seen == kNoneSeen) continue;
        ++compared;
        const bool minor = (seen & kMinorSeen) != 0, both = seen == kBothSeen;
        sums.back() += weights.of[i][!minor ? 0 : both || GetParam().by == Encoding::kMinor ? 1 : 2];
      }
    }
    return {static_cast<std::uint32_t>(WeightedCount::kNoWeight - std::ranges::max(sums)), 1, compared};
  }

  Problem problem() const {
    return {Comparison::kIdentity, &queries_, blocks_->view().shape, blocks_->view().second != nullptr,
            GetParam().by};
  }

  static constexpr std::size_t kQueries = 5;
  std::mt19937_64 rng_{63};
  std::vector<std::vector<Seen>> seen_;
  std::unique_ptr<BitBlocks> blocks_;
  ProfileRows queries_{kQueries, GetParam().n_sites, Encoding::kAlleles};
  std::array<std::vector<SiteWeightsByKind>, kQueries> weights_;
};

TEST_P(WeightedCounts, AreSumsOfEachSitesWeight) {
  const WeightedCount count(problem(), weights_);
  for (std::size_t query = 0; query < kQueries; ++query)
    for (std::size_t profile = 0; profile < seen_.size(); ++profile) {
      const PairCounts counts = count.count_pair(query, blocks_->view(), profile);
      if (!weights_[query].empty()) {
        EXPECT_EQ(counts, expected(query, profile)) << query << ' ' << profile;
      } else {
        EXPECT_EQ(counts, fastid::count_pair(Comparison::kIdentity, GetParam().by, queries_.row(query),
                                             blocks_->view(), profile));
      }
    }
}

TEST_P(WeightedCounts, AnEngineFindsAllPairsThatPass) {
  const WeightedCount count(problem(), weights_);
  const auto engine = count.make_engine(2);
  const auto prepared = engine->prepare(problem(), engine->plan(problem()));
  const BlocksView view = blocks_->view();
  const Tile tile{.first_block = 3, .shape = view.shape};
  std::vector<Threshold> thresholds(kQueries);
  thresholds[2] = {.max_count = WeightedCount::kNoWeight - 1, .num = 1, .den = 0};  // sums above 0
  std::vector<Pair> wanted;
  for (std::uint32_t query = 0; query < kQueries; ++query)
    for (std::size_t profile = 0; profile < seen_.size(); ++profile) {
      const PairCounts counts = count.count_pair(query, view, profile);
      if (thresholds[query].passes(counts)) wanted.push_back({3 * kLanes + profile, query, counts});
    }
  const auto compare = [&](Worker& worker) {
    std::vector<Pair> found;
    EXPECT_EQ(worker.compare(tile, {}, thresholds, found), 0u);
    EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(wanted));
  };
  const auto worker = prepared->open_worker(tile.n_blocks());
  ASSERT_TRUE(worker->borrow(view));
  compare(*worker);
  const TileBuffer buffer = worker->buffer();
  std::copy_n(view.bits, tile.n_blocks() * view.shape.block_words(), buffer.bits);
  ASSERT_EQ(buffer.second != nullptr, view.second != nullptr);
  if (view.second != nullptr)
    std::copy_n(view.second, tile.n_blocks() * view.shape.block_words(), buffer.second);
  compare(*worker);
}

/// The words of a query's weights as the pass takes them, bit by bit.
std::vector<WeightedWord> bits_of(const SiteWeightsByKind& weights, std::uint32_t n_sites) {
  std::vector<WeightedWord> words((n_sites + kWordBits - 1) / kWordBits);
  for (std::uint32_t word = 0; word < words.size(); ++word) words[word].word = word;
  for (std::size_t i = 0; i < weights.sites.size(); ++i)
    for (std::size_t kind = 0; kind < SiteWeightsByKind::kKinds; ++kind)
      for (int b = 0; b < SiteWeightsByKind::kBits; ++b)
        words[weights.sites[i] / kWordBits].bits[static_cast<std::size_t>(b)][kind] |=
            static_cast<Word>(weights.of[i][kind] >> b & 1) << weights.sites[i] % kWordBits;
  return words;
}

TEST_P(WeightedCounts, AreTheSameWithEachInstructionSet) {
  const std::vector<WeightedWord> words = bits_of(weights_[0].front(), GetParam().n_sites);
  const BlocksView view = blocks_->view();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(view.shape.n_blocks()) * kLanes);
  for (const std::string& target : cpu_engine_targets()) {
    const WeighPass pass = weigh_pass_of(target);
    ASSERT_NE(pass, nullptr) << target;
    std::ranges::fill(sums, -1);
    pass(words, GetParam().by, view, sums.data());
    for (std::size_t profile = 0; profile < seen_.size(); ++profile)
      EXPECT_EQ(sums[profile], std::int64_t{WeightedCount::kNoWeight} - expected(0, profile).count)
          << target << ' ' << profile;
  }
}

constexpr Encoding kAlleles = Encoding::kAlleles, kMinor = Encoding::kMinor;
INSTANTIATE_TEST_SUITE_P(Encodings, WeightedCounts,
                         ::testing::Values(WeighedWorld{kAlleles, kAlleles, false, 100, 70},
                                           WeighedWorld{kAlleles, kMinor, false, 65, 33},
                                           WeighedWorld{kMinor, kMinor, false, 97, 40},
                                           WeighedWorld{kMinor, kMinor, true, 64, 31},
                                           WeighedWorld{kAlleles, kAlleles, true, 1, 1}));

TEST(WeightedCount, StopsAtTheMostThatACountHolds) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  EXPECT_EQ(WeightedCount::count_of(kMany), 1u);
  EXPECT_EQ(WeightedCount::count_of(-kMany), 2 * WeightedCount::kNoWeight - 1);
  EXPECT_EQ(WeightedCount::count_of(-5), WeightedCount::kNoWeight + 5);
}

}  // namespace
}  // namespace fastid
