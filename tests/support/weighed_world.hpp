/// \file
/// Queries that have weights, queries that have none, and stored people, for tests that hold engines to sums
/// taken bit by bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "engine/weighted_count.hpp"
#include "support/queried_people.hpp"

namespace fastid::testing {

struct WeighedSize {
  Encoding encoding = Encoding::kAlleles, by = Encoding::kAlleles;
  bool all_called = false;
  std::uint32_t n_sites = 0;
  std::size_t n_profiles = 0;

  friend std::ostream& operator<<(std::ostream& out, const WeighedSize& size) {
    return out << size.n_sites << " sites, " << size.n_profiles << " profiles"
               << (size.by == Encoding::kAlleles ? ", both alleles" : "");
  }
};

inline constexpr WeighedSize kWeighedSizes[] = {{Encoding::kAlleles, Encoding::kAlleles, false, 100, 70},
                                                {Encoding::kAlleles, Encoding::kMinor, false, 65, 33},
                                                {Encoding::kMinor, Encoding::kMinor, false, 97, 40},
                                                {Encoding::kMinor, Encoding::kMinor, true, 64, 31},
                                                {Encoding::kAlleles, Encoding::kAlleles, true, 1, 1}};

class WeighedWorld final : public QueriedPeople {
 public:
  static constexpr std::size_t kQueries = 5;

  explicit WeighedWorld(const WeighedSize& size)
      : QueriedPeople({size.n_profiles, size.n_sites, size.encoding}, kQueries),
        size_(size),
        seen_(size.n_profiles, std::vector<Seen>(size.n_sites)) {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (std::uint32_t s = 0; s < size.n_sites; ++s) {
        seen_[i][s] = static_cast<Seen>(rng_() % (size.all_called ? 3 : 4) + (size.all_called ? 1 : 0));
        if (seen_[i][s] != kNoneSeen) blocks.set_seen(i, s, seen_[i][s]);
      }
    for (std::size_t query = 0; query < kQueries; ++query) {
      for (std::uint32_t s = 0; s < size.n_sites; ++s)
        if (rng_() % 3 > 0) queries.set_seen(query, s, static_cast<Seen>(rng_() % 3 + 1));
      if (query % 2 == 0) weights[query] = {some_weights()};
      if (query == 4) {  // further sets of the same sites
        engine::SiteWeightsByKind& other = weights[query].emplace_back(weights[query].front());
        for (auto& of : other.of) std::swap(of[0], of[1]);
      }
    }
  }

  engine::PairCounts expected(std::size_t query, std::size_t profile) const {
    if (weights[query].empty())
      return engine::count_pair(engine::Comparison::kIdentity, size_.by, queries.row(query), blocks.view(),
                                profile);
    std::vector<std::int64_t> sums;
    std::uint32_t compared = 0;
    for (const engine::SiteWeightsByKind& set : weights[query]) {
      sums.push_back(0);
      compared = 0;
      for (std::size_t i = 0; i < set.sites.size(); ++i) {
        const Seen seen = seen_[profile][set.sites[i]];
        if (seen == kNoneSeen) continue;
        ++compared;
        const bool minor = (seen & kMinorSeen) != 0, both = seen == kBothSeen;
        sums.back() += set.of[i][!minor ? 0 : both || size_.by == Encoding::kMinor ? 1 : 2];
      }
    }
    return {static_cast<std::uint32_t>(engine::WeightedCount::kNoWeight - std::ranges::max(sums)), 1,
            compared};
  }

  /// \param own  null: by calls alone
  engine::Problem problem(const engine::CustomCount* own = nullptr) const {
    engine::Problem made{engine::Comparison::kIdentity, &queries, blocks.view().shape,
                         blocks.view().second != nullptr, size_.by};
    made.custom_count = own;
    return made;
  }

 private:
  engine::SiteWeightsByKind some_weights() {
    engine::SiteWeightsByKind made;
    std::uniform_int_distribution<int> weight(-engine::SiteWeightsByKind::kMost,
                                              engine::SiteWeightsByKind::kMost);
    for (std::uint32_t s = 0; s < size_.n_sites; ++s) {
      if (rng_() % 2 == 0) continue;
      made.sites.push_back(s);
      made.of.push_back({});
      for (std::int8_t& of : made.of.back()) of = static_cast<std::int8_t>(weight(rng_));
    }
    return made;
  }

  WeighedSize size_;
  std::mt19937_64 rng_{63};
  std::vector<std::vector<Seen>> seen_;

 public:
  std::array<std::vector<engine::SiteWeightsByKind>, kQueries> weights;
};

/// Open but for one query, of which sums above 0 pass.
inline std::vector<engine::Threshold> some_thresholds() {
  std::vector<engine::Threshold> thresholds(WeighedWorld::kQueries);
  thresholds[2] = {.max_count = engine::WeightedCount::kNoWeight - 1, .num = 1, .den = 0};
  return thresholds;
}

}  // namespace fastid::testing
