/// \file
/// Drawn profiles, some of them queries too, for tests that hold engines to what is counted site by site.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::testing {

struct DrawnSize {
  std::uint32_t n_sites = 0;
  std::size_t n_profiles = 0, n_queries = 0, n_tables = 1;
  int called = 100;  ///< per cent

  friend std::ostream& operator<<(std::ostream& out, const DrawnSize& size) {
    return out << size.n_sites << " sites, " << size.n_profiles << " profiles, " << size.n_queries
               << " queries, " << size.n_tables << " tables, " << size.called << " % called";
  }
};

/// The queries are the first profiles, as many as there are, and the first ones again.
class DrawnPeople {
 public:
  explicit DrawnPeople(const DrawnSize& size)
      : rng_(size.n_sites + static_cast<std::uint32_t>(size.n_queries)),
        seen_(size.n_profiles, std::vector<Seen>(size.n_sites, kNoneSeen)),
        blocks({size.n_profiles, size.n_sites, Encoding::kAlleles}),
        queries(size.n_queries, size.n_sites, Encoding::kAlleles) {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (std::uint32_t s = 0; s < size.n_sites; ++s) {
        if (up_to(99) >= size.called) continue;
        seen_[i][s] = static_cast<Seen>(1 + up_to(2));
        blocks.set_seen(i, s, seen_[i][s]);
        for (std::size_t query = i; query < size.n_queries; query += seen_.size())
          queries.set_seen(query, s, seen_[i][s]);
      }
  }
  virtual ~DrawnPeople() = default;
  DrawnPeople(const DrawnPeople&) = delete;
  DrawnPeople& operator=(const DrawnPeople&) = delete;

  /// \param own  must outlive the result
  Problem problem(const OwnCount& own) const {
    return {Comparison::kKinship, &queries, blocks.shape(), true, Encoding::kAlleles, &own};
  }
  void fill(const TileBuffer& to) const {
    const std::size_t words =
        static_cast<std::size_t>(blocks.shape().n_blocks()) * blocks.shape().block_words();
    std::copy_n(blocks.view().bits, words, to.bits);
    std::copy_n(blocks.view().second, words, to.second);
  }

  virtual PairCounts expected(std::size_t query, std::size_t profile) const = 0;

  /// All pairs that pass their thresholds, in order. \param first_row  of the tile
  std::vector<Pair> passing(const std::vector<Threshold>& thresholds, std::uint64_t first_row) const {
    std::vector<Pair> wanted;
    for (std::size_t profile = 0; profile < seen_.size(); ++profile)
      for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
        const PairCounts counts = expected(query, profile);
        if (thresholds[query].passes(counts)) wanted.push_back({first_row + profile, query, counts});
      }
    return wanted;
  }

 protected:
  int up_to(int most) { return static_cast<int>(rng_() % static_cast<unsigned>(most + 1)); }
  /// Of a query's profile.
  const std::vector<Seen>& seen_of_query(std::size_t query) const { return seen_[query % seen_.size()]; }

  std::minstd_rand rng_;
  std::vector<std::vector<Seen>> seen_;

 public:
  BitBlocks blocks;
  ProfileRows queries;
};

}  // namespace fastid::testing
