// Made-up queries and databases, sorted worst first for the first query, and the rankings that engines make
// of them: of every other query by fraction, of the rest by weights.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "pipeline/search.hpp"

namespace fastid {

struct Shape {
  std::uint64_t profiles;
  std::uint32_t sites;
  std::size_t queries;
};

inline BitBlocks random_blocks(BlockShape shape, bool no_calls, std::mt19937_64& rng) {
  BitBlocks blocks(shape);
  for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile)
    for (std::uint32_t site = 0; site < shape.n_sites; ++site) {
      const std::uint64_t draw = rng();
      const Seen seen = (draw & 0xF0) >= 0x50 ? kMajorSeen : (draw & 0x10) == 0 ? kMinorSeen : kBothSeen;
      if (!no_calls || (draw & 0xF00) != 0) blocks.set_seen(profile, site, seen);
    }
  return blocks;
}

// The same profiles, those least like the first query first.
inline BitBlocks worst_first(engine::Comparison comparison, Encoding by, const ProfileRows& queries,
                             const BitBlocks& from) {
  std::vector<std::uint64_t> order(from.shape().n_profiles);
  std::iota(order.begin(), order.end(), 0);
  const BlocksView view = from.view();
  const auto count = [&](std::uint64_t row) {
    return engine::count_pair(comparison, by, queries.row(0), view, row).count;
  };
  std::ranges::stable_sort(order, std::greater<>(), count);
  BitBlocks sorted(from.shape());
  for (std::uint64_t i = 0; i < order.size(); ++i) sorted.copy_profile(i, view, order[i]);
  return sorted;
}

// Weights for every other query.
inline std::vector<match::QueryRule> some_weights(std::size_t n_queries) {
  std::vector<match::QueryRule> rules(n_queries);
  for (std::uint32_t q = 1; q < n_queries; q += 2) rules[q].weights = {100'003 + q, 70'001 * (q % 7)};
  return rules;
}

struct World {
  World(const Shape& shape, engine::Comparison asked, bool in_queries, bool in_database,
        Encoding counted = Encoding::kMinor)
      : comparison(asked), by(counted), rng(shape.profiles * 31 + shape.sites + shape.queries) {
    const BitBlocks people = random_blocks({shape.queries, shape.sites, by}, in_queries, rng);
    std::vector<std::uint64_t> all(shape.queries);
    std::iota(all.begin(), all.end(), 0);
    queries = ProfileRows::from_blocks(people.view(), all);
    database =
        worst_first(asked, by, queries, random_blocks({shape.profiles, shape.sites, by}, in_database, rng));
  }

  engine::Problem problem() const {
    const BlocksView view = database.view();
    return {comparison, &queries, view.shape, view.second != nullptr, by};
  }
  std::vector<match::RankedPairs> ranked(const BlockSource& source, engine::Engine& engine) const {
    Progress silent(ProgressMode::kNever, "", "", 1);
    pipeline::SearchResult found = pipeline::search_database(
        source, problem(), engine, {{.top = 5}, some_weights(queries.n_rows())}, 1, silent);
    stats = found.stats;
    return std::move(found.ranked);
  }
  std::vector<match::RankedPairs> ranked(engine::Engine& engine) const {
    return ranked(MemorySource(database.view()), engine);
  }

  engine::Comparison comparison;
  Encoding by;
  std::mt19937_64 rng;
  ProfileRows queries{0, 1};
  BitBlocks database{{1, 1}};
  mutable pipeline::StreamStats stats;  ///< of the last ranking
};

inline void expect_same(const std::vector<match::RankedPairs>& found,
                        const std::vector<match::RankedPairs>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    ASSERT_EQ(found[q].pairs, expected[q].pairs) << "query " << q;
    ASSERT_EQ(found[q].ties_cut, expected[q].ties_cut) << "query " << q;
  }
}

}  // namespace fastid
