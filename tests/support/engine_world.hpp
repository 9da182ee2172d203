/// \file
/// A problem for an engine with its people, and what an engine must find in it, for tests that hold engines
/// to the oracle of bits.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "engine/engine.hpp"
#include "support/bits.hpp"

namespace fastid::testing {

// Which sides have sites not called.
struct Masks {
  bool queries, stored;
};
struct Size {
  std::uint32_t sites;
  std::size_t profiles, queries;
};

inline constexpr Masks kMasks[] = {{false, false}, {true, false}, {false, true}, {true, true}};
inline constexpr Comparison kComparisons[] = {Comparison::kIdentity, Comparison::kMixture,
                                              Comparison::kReverseMixture};

// A problem and its people, all made from the size.
struct World {
  World(const Size& size, Masks masks, Comparison asked)
      : random(size.sites * 31 + static_cast<std::uint32_t>(size.profiles * 7 + size.queries)),
        queries(random_people(size.queries, size.sites, 0.3, masks.queries ? 0.1 : 0, random)),
        stored(random_people(size.profiles, size.sites, 0.4, masks.stored ? 0.1 : 0, random)),
        rows(pack_queries(queries, size.sites)),
        comparison(asked),
        problem{asked, &rows, {size.profiles, size.sites}, masks.stored} {}

  Truth truth_of(std::size_t query, std::size_t profile) const {
    return truth(comparison, queries[query], stored[profile]);
  }

  std::mt19937 random;
  People queries, stored;
  ProfileRows rows;
  Comparison comparison;
  Problem problem;
};

inline std::vector<Candidate> expected(const World& world, std::size_t n_profiles,
                                       const std::vector<Bar>& bars) {
  std::vector<Candidate> made;
  for (std::uint32_t q = 0; q < bars.size(); ++q)
    for (std::uint32_t p = 0; p < n_profiles; ++p) {
      const Truth pair = world.truth_of(q, p);
      if (truly_passes(bars[q], pair)) made.push_back({q, p, pair.count, pair.weight});
    }
  return made;
}

// What the lane finds in the first `n_profiles` people, sorted; what was in `out` before must stay.
inline std::vector<Candidate> found(Lane& lane, const World& world, std::size_t n_profiles,
                                    const std::vector<Bar>& bars) {
  const auto end = world.stored.begin() + static_cast<std::ptrdiff_t>(n_profiles);
  const std::uint32_t sites = world.problem.database.n_sites;
  pack_tile(People(world.stored.begin(), end), sites, lane.buffer());
  const Candidate earlier{77, 77, 77, 77};
  std::vector<Candidate> out = {earlier};
  lane.compare({n_profiles, sites}, bars, out);
  EXPECT_EQ(out.front(), earlier);
  out.erase(out.begin());
  std::ranges::sort(out);
  return out;
}

// Bars as a ranking sets them: the share of some pair, so that ties pass; one mismatch less; a fixed most;
// none.
inline std::vector<Bar> random_bars(World& world) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(world.random);
  };
  std::vector<Bar> bars;
  for (std::size_t q = 0; q < world.queries.size(); ++q) {
    const Truth pair = world.truth_of(q, below(world.stored.size()));
    const Truth other = world.truth_of(q, below(world.stored.size()));
    const std::uint32_t weight = std::max(pair.weight, 1u);
    switch (below(6)) {
      case 0:
        bars.push_back({UINT32_MAX, pair.count, weight});
        break;
      case 1:
        bars.push_back({UINT32_MAX, pair.count - (pair.count > 0), weight});
        break;
      case 2:
        bars.push_back({other.count, pair.count, weight});
        break;
      case 3:
        bars.push_back({pair.count, 1, 0});
        break;
      case 4:
        bars.push_back({0, 0, 1});
        break;
      default:
        bars.emplace_back();
    }
  }
  return bars;
}

inline bool has_smaller_share(const Candidate& a, const Candidate& b) {
  return std::uint64_t{a.count} * std::max(b.weight, 1u) < std::uint64_t{b.count} * std::max(a.weight, 1u);
}

// `found` are pairs of `passing`, and each other one is worse than as many of its query as are sought. Both
// sorted.
inline void expect_best(const std::vector<Candidate>& passing, const std::vector<Candidate>& found,
                        const Sought& sought) {
  EXPECT_TRUE(std::ranges::includes(passing, found));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  std::vector<Candidate> left_out;
  std::ranges::set_difference(passing, found, std::back_inserter(left_out));
  while (!left_out.empty()) {
    const std::uint32_t query = left_out.front().query;
    std::vector<Candidate> heavy;
    for (const Candidate& other : std::ranges::equal_range(passing, query, {}, &Candidate::query))
      if (other.weight >= sought.min_weight) heavy.push_back(other);
    ASSERT_GE(heavy.size(), sought.keep);
    const auto last = heavy.begin() + static_cast<std::ptrdiff_t>(sought.keep - 1);
    std::ranges::nth_element(heavy, last, has_smaller_share);
    std::erase_if(left_out, [&](const Candidate& pair) {
      return pair.query == query && has_smaller_share(*last, pair);
    });
    ASSERT_TRUE(left_out.empty() || left_out.front().query != query);
  }
}

}  // namespace fastid::testing
