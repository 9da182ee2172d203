/// \file
/// People along a map, and who of them a screen of pairs finds, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "bits/moved_sites.hpp"
#include "linked/pair_screen.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked::testing {

inline constexpr std::array kSeenOf{kMajorSeen, kBothSeen, kMinorSeen};

/// People by the frequencies; every tenth shares an allele at each site with the one before.
inline Genotypes people_of(const MadeSites& made, std::size_t n, std::mt19937_64& rng) {
  Genotypes people;
  std::vector<int> passed_on(made.size());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int>& of = people.emplace_back();
    for (std::size_t s = 0; s < made.size(); ++s) {
      std::bernoulli_distribution minor(made.freq[s]);
      const int one = i % 10 == 1 ? passed_on[s] : static_cast<int>(minor(rng));
      const int other = static_cast<int>(minor(rng));
      passed_on[s] = one;
      of.push_back(one + other);
    }
  }
  return people;
}

inline BitBlocks blocks_of(const Genotypes& people) {
  BitBlocks blocks({people.size(), static_cast<std::uint32_t>(people[0].size()), Encoding::kAlleles});
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t s = 0; s < people[i].size(); ++s)
      if (const int copies = people[i][s]; copies >= 0)
        blocks.set_seen(i, s, kSeenOf[static_cast<std::size_t>(copies)]);
  return blocks;
}

/// Profiles with the screen's sites.
inline BitBlocks packed(const PairScreen& screen, const Genotypes& people) {
  Genotypes moved;
  for (const std::vector<int>& of : people) {
    std::vector<int>& to = moved.emplace_back();
    for (const SiteOrigin& origin : screen.origins())
      to.push_back(origin.site == SiteOrigin::kNone ? -1 : of[origin.site]);
  }
  return blocks_of(moved);
}

using Found = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Everyone against everyone, checked pair by pair against the definition. \param chains  computes chains;
/// null: the CPU engine does
inline Found found_by(const PairScreen& screen, const Genotypes& people, std::size_t tile_profiles,
                      engine::Engine* chains = nullptr) {
  const BitBlocks blocks = packed(screen, people);
  const BlocksView view = blocks.view();
  std::vector<std::uint64_t> all(people.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const ProfileRows queries = ProfileRows::from_blocks(view, all);
  const engine::Problem problem{engine::Comparison::kKinship, &queries, view.shape, true, Encoding::kAlleles};
  const auto engine = screen.make_engine(1, chains);
  const auto n_blocks = static_cast<std::size_t>(view.shape.n_blocks());
  const auto prepared = engine->prepare(problem, {.tile_blocks = n_blocks});
  const auto worker = prepared->open_worker(n_blocks);
  const std::vector<engine::Threshold> thresholds(queries.n_rows());
  std::vector<engine::Pair> pairs;
  for (std::uint64_t first = 0; first < people.size(); first += tile_profiles) {
    const std::size_t at = static_cast<std::size_t>(first / fastid::kLanes) * view.shape.block_words();
    const BlockShape shape = view.shape.with(std::min<std::uint64_t>(tile_profiles, people.size() - first));
    if (!worker->borrow({shape, view.bits + at, view.second + at})) {
      const std::size_t words = static_cast<std::size_t>(shape.n_blocks()) * shape.block_words();
      const engine::TileBuffer to = worker->buffer();
      std::copy_n(view.bits + at, words, to.bits);
      std::copy_n(view.second + at, words, to.second);
    }
    worker->compare({first / fastid::kLanes, shape}, {}, thresholds, pairs);
  }
  Found found;
  std::size_t defined = 0;
  for (const engine::Pair& pair : pairs) {
    EXPECT_EQ(screen.count_pair(queries.row(pair.query), view, pair.row), pair.counts);
    EXPECT_TRUE(found.emplace(pair.query, pair.row).second);
  }
  for (std::size_t query = 0; query < queries.n_rows(); ++query)
    for (std::size_t row = 0; row < queries.n_rows(); ++row)
      defined += screen.count_pair(queries.row(query), view, row) ? 1U : 0U;
  EXPECT_EQ(found.size(), defined);
  return found;
}

inline PairScreen screen_of(const LinkedModel& model, double min_log10 = 4) {
  return {{&model, 1}, min_log10, 88'400};
}

}  // namespace fastid::linked::testing
