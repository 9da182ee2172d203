/// \file
/// A problem for an engine with its people, and what an engine must find in it, for tests that hold engines
/// to the oracle of bits.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "support/bits.hpp"

namespace fastid::testing {

// Which sides have sites not called, what the stored second plane says, and what is counted.
struct Masks {
  bool queries, stored;
  Encoding encoding = Encoding::kMinor;
  Encoding by = Encoding::kMinor;

  friend std::ostream& operator<<(std::ostream& out, const Masks& masks) {
    return out << (masks.queries ? ", query mask" : "") << (masks.stored ? ", stored mask" : "")
               << (masks.encoding == Encoding::kAlleles ? ", alleles" : "")
               << (masks.by == Encoding::kAlleles ? ", both counted" : "");
  }
};
struct Size {
  std::uint32_t sites;
  std::size_t profiles, queries;
};

inline constexpr Masks kMasks[] = {{false, false},
                                   {true, false},
                                   {false, true},
                                   {true, true},
                                   {false, true, Encoding::kAlleles},
                                   {true, true, Encoding::kAlleles}};
inline constexpr Masks kBothCounted{true, true, Encoding::kAlleles, Encoding::kAlleles};

struct Question {
  engine::Comparison comparison;
  Masks masks;
};
// Each comparison by each mask, and by both alleles.
inline std::vector<Question> questions() {
  std::vector<Question> all;
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture}) {
    for (const Masks& masks : kMasks) all.push_back({comparison, masks});
    all.push_back({comparison, kBothCounted});
  }
  all.push_back({engine::Comparison::kKinship, kBothCounted});
  return all;
}

/// Queries and stored people with what the oracle says of each pair of them, which is slow, and so is asked
/// once for all engines.
class Peoples {
 public:
  Peoples(const Size& size, Masks masks, std::mt19937& random)
      : queries(random_people(size.queries, size.sites, 0.3, masks.queries ? 0.1 : 0, random)),
        stored(random_people(size.profiles, size.sites, 0.4, masks.stored ? 0.1 : 0, random)) {}
  Peoples(People of_queries, People of_stored)
      : queries(std::move(of_queries)), stored(std::move(of_stored)) {}

  Truth truth_of(engine::Comparison comparison, Encoding by, std::size_t query, std::size_t profile) const {
    const std::scoped_lock lock(guard_);
    std::vector<std::optional<Truth>>& known = known_[{comparison, by}];
    known.resize(queries.size() * stored.size());
    std::optional<Truth>& of = known[query * stored.size() + profile];
    if (!of) of = truth(comparison, by, queries[query], stored[profile]);
    return *of;
  }

  const People queries, stored;

 private:
  mutable std::mutex guard_;
  mutable std::map<std::pair<engine::Comparison, Encoding>, std::vector<std::optional<Truth>>> known_;
};

// A problem and its people, all made from the size.
class World {
 public:
  World(const Size& size, Masks masks, engine::Comparison asked)
      : random(seed_of(size) + 1),
        people_(people_of(size, masks)),
        rows(pack_queries(queries(), size.sites, masks.by)),
        comparison(asked),
        problem{asked, &rows, {size.profiles, size.sites, masks.encoding}, masks.stored, masks.by} {}

  const People& queries() const { return people_->queries; }
  const People& stored() const { return people_->stored; }
  Truth truth_of(std::size_t query, std::size_t profile) const {
    return people_->truth_of(comparison, problem.by, query, profile);
  }
  /// change(queries, stored people)
  template <class Change>
  void change(const Change& change) {
    People queries = people_->queries, stored = people_->stored;
    change(queries, stored);
    people_ = std::make_shared<const Peoples>(std::move(queries), std::move(stored));
    rows = pack_queries(people_->queries, rows.n_sites(), problem.by);
  }

  std::mt19937 random;

 private:
  static std::uint32_t seed_of(const Size& size) {
    return size.sites * 31 + static_cast<std::uint32_t>(size.profiles * 7 + size.queries);
  }
  // Of a size and masks the same people whatever is asked of them.
  static std::shared_ptr<const Peoples> people_of(const Size& size, const Masks& masks) {
    static std::map<std::array<std::size_t, 5>, std::shared_ptr<const Peoples>> made;
    std::shared_ptr<const Peoples>& people =
        made[{size.sites, size.profiles, size.queries, masks.queries, masks.stored}];
    if (!people) {
      std::mt19937 random(seed_of(size));
      people = std::make_shared<const Peoples>(size, masks, random);
    }
    return people;
  }

  std::shared_ptr<const Peoples> people_;

 public:
  ProfileRows rows;
  engine::Comparison comparison;
  engine::Problem problem;
};

// In order.
inline std::vector<engine::Pair> expected(const World& world, std::size_t n_profiles,
                                          const std::vector<engine::Threshold>& thresholds) {
  std::vector<engine::Pair> made;
  for (std::uint64_t row = 0; row < n_profiles; ++row)
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      const Truth pair = world.truth_of(query, static_cast<std::size_t>(row));
      if (truly_passes(thresholds[query], pair)) made.push_back({row, query, pair.counts()});
    }
  return made;
}

// What the worker finds in the first `n_profiles` people, as a tile from row 0 on, in order; what was in
// `out` before must stay.
inline std::vector<engine::Pair> found(engine::Worker& worker, const World& world, std::size_t n_profiles,
                                       const std::vector<engine::Threshold>& thresholds) {
  const auto end = world.stored().begin() + static_cast<std::ptrdiff_t>(n_profiles);
  const BlockShape shape = world.problem.database.with(n_profiles);
  pack_tile(People(world.stored().begin(), end), shape.n_sites, worker.buffer(), shape.encoding);
  const engine::Pair earlier{77, 77, {77, 77, 77}};
  std::vector<engine::Pair> out = {earlier};
  EXPECT_EQ(worker.compare({0, shape}, {}, thresholds, out), 0u);
  EXPECT_EQ(out.front(), earlier);
  out.erase(out.begin());
  std::ranges::sort(out);
  return out;
}

// A worker, and what it was opened from.
struct Opened {
  Opened(engine::Engine& engine, const engine::Problem& problem, std::size_t tile_blocks)
      : queries(engine.prepare(problem, {.workers = 0})), worker(queries->open_worker(tile_blocks)) {}
  engine::Worker& operator*() const { return *worker; }
  engine::Worker* operator->() const { return worker.get(); }

  std::unique_ptr<engine::PreparedQueries> queries;
  std::unique_ptr<engine::Worker> worker;
};

// Thresholds as a ranking sets them: the fraction of some pair, so that ties pass; one mismatch less; a fixed
// most; what weights lack at some pair, exactly or not quite; none.
inline std::vector<engine::Threshold> random_thresholds(World& world) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(world.random);
  };
  std::vector<engine::Threshold> thresholds;
  for (std::size_t q = 0; q < world.queries().size(); ++q) {
    const Truth pair = world.truth_of(q, below(world.stored().size()));
    const Truth other = world.truth_of(q, below(world.stored().size()));
    const std::uint32_t denominator = std::max(pair.denominator, 1u);
    const std::int64_t cost = 1 + static_cast<std::int64_t>(below(1 << 20)),
                       worth = static_cast<std::int64_t>(below(1 << 20));
    const std::int64_t lack = cost * pair.count - worth * denominator;
    switch (below(8)) {
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
      case 5:
        thresholds.push_back(
            {UINT32_MAX, static_cast<std::uint32_t>(worth), static_cast<std::uint32_t>(cost), lack});
        break;
      case 6:
        thresholds.push_back({other.count, static_cast<std::uint32_t>(worth),
                              static_cast<std::uint32_t>(cost), lack - static_cast<std::int64_t>(below(2))});
        break;
      default:
        thresholds.emplace_back();
    }
  }
  return thresholds;
}

}  // namespace fastid::testing
