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
                                       const std::vector<Threshold>& thresholds) {
  std::vector<Candidate> made;
  for (std::uint32_t q = 0; q < thresholds.size(); ++q)
    for (std::uint32_t p = 0; p < n_profiles; ++p) {
      const Truth pair = world.truth_of(q, p);
      if (truly_passes(thresholds[q], pair)) made.push_back({q, p, pair.count, pair.denominator});
    }
  return made;
}

// What the lane finds in the first `n_profiles` people, sorted; what was in `out` before must stay.
inline std::vector<Candidate> found(Lane& lane, const World& world, std::size_t n_profiles,
                                    const std::vector<Threshold>& thresholds) {
  const auto end = world.stored.begin() + static_cast<std::ptrdiff_t>(n_profiles);
  const std::uint32_t sites = world.problem.database.n_sites;
  pack_tile(People(world.stored.begin(), end), sites, lane.buffer());
  const Candidate earlier{77, 77, 77, 77};
  std::vector<Candidate> out = {earlier};
  lane.compare({n_profiles, sites}, thresholds, out);
  EXPECT_EQ(out.front(), earlier);
  out.erase(out.begin());
  std::ranges::sort(out);
  return out;
}

// Thresholds as a ranking sets them: the share of some pair, so that ties pass; one mismatch less; a fixed
// most; none.
inline std::vector<Threshold> random_thresholds(World& world) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(world.random);
  };
  std::vector<Threshold> thresholds;
  for (std::size_t q = 0; q < world.queries.size(); ++q) {
    const Truth pair = world.truth_of(q, below(world.stored.size()));
    const Truth other = world.truth_of(q, below(world.stored.size()));
    const std::uint32_t denominator = std::max(pair.denominator, 1u);
    switch (below(6)) {
      case 0:
        thresholds.push_back({UINT32_MAX, pair.count, denominator});
        break;
      case 1:
        thresholds.push_back({UINT32_MAX, pair.count - (pair.count > 0), denominator});
        break;
      case 2:
        thresholds.push_back({other.count, pair.count, denominator});
        break;
      case 3:
        thresholds.push_back({pair.count, 1, 0});
        break;
      case 4:
        thresholds.push_back({0, 0, 1});
        break;
      default:
        thresholds.emplace_back();
    }
  }
  return thresholds;
}

// What Lane::find_best() gives of a tile, sorted, held to what it promises. \param passing  the pairs that
// pass `thresholds`, sorted
inline std::vector<Candidate> best(Lane& lane, const BlockShape& tile,
                                   const std::vector<Threshold>& thresholds, const Sought& sought,
                                   const std::vector<Candidate>& passing) {
  std::vector<Threshold> closed = thresholds;
  std::vector<Candidate> found, still_pass;
  lane.find_best(tile, closed, sought, found);
  std::ranges::sort(found);
  EXPECT_TRUE(std::ranges::includes(passing, found));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  std::ranges::copy_if(passing, std::back_inserter(still_pass), [&](const Candidate& pair) {
    return closed[pair.query].passes(pair.count, pair.denominator);
  });
  EXPECT_TRUE(std::ranges::includes(found, still_pass));
  for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
    const Threshold &was = thresholds[query], &is = closed[query];
    if (is == was) continue;
    EXPECT_EQ(is.max_count, was.max_count);
    EXPECT_LT(std::uint64_t{is.num} * was.den, std::uint64_t{was.num} * is.den);
    const auto behind = std::ranges::count_if(still_pass, [&](const Candidate& pair) {
      return pair.query == query && pair.denominator >= sought.min_denominator;
    });
    EXPECT_GE(static_cast<std::uint64_t>(behind), sought.keep) << "query " << query;
  }
  return found;
}

}  // namespace fastid::testing
