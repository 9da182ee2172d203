/// \file
/// Drawn profiles, some of them queries too, for tests that hold engines to what is counted site by site.
#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "support/queried_people.hpp"

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
class DrawnPeople : public QueriedPeople {
 public:
  explicit DrawnPeople(const DrawnSize& size)
      : QueriedPeople({size.n_profiles, size.n_sites, Encoding::kAlleles}, size.n_queries),
        rng_(size.n_sites + static_cast<std::uint32_t>(size.n_queries)),
        seen_(size.n_profiles, std::vector<Seen>(size.n_sites, kNoneSeen)) {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (std::uint32_t s = 0; s < size.n_sites; ++s) {
        if (up_to(99) >= size.called) continue;
        seen_[i][s] = static_cast<Seen>(1 + up_to(2));
        blocks.set_seen(i, s, seen_[i][s]);
        for (std::size_t query = i; query < size.n_queries; query += seen_.size())
          queries.set_seen(query, s, seen_[i][s]);
      }
  }

 protected:
  int up_to(int most) { return static_cast<int>(rng_() % static_cast<unsigned>(most + 1)); }
  /// Of a query's profile.
  const std::vector<Seen>& seen_of_query(std::size_t query) const { return seen_[query % seen_.size()]; }

  std::minstd_rand rng_;
  std::vector<std::vector<Seen>> seen_;
};

}  // namespace fastid::testing
