/// \file
/// Made-up people at sites that go together, for tests of linked sites.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/ld.hpp"

namespace fastid::testing {

inline constexpr int kMissing = -1;

struct Cohort {
  std::uint32_t n_sites = 0, units = 0;
  engine::LdUnit unit = engine::LdUnit::kGenotypes;
  std::vector<std::vector<int>> copies;  ///< [site][unit]
  BitBlocks blocks{{0, 0, Encoding::kAlleles}};
};

// Every third site copies most of the one before it, or its opposite.
inline Cohort make_cohort(std::uint32_t n_sites, std::uint32_t units, engine::LdUnit unit, double missing) {
  Cohort made{n_sites, units, unit, {}, BitBlocks({n_sites, units, Encoding::kAlleles})};
  std::mt19937 rng(n_sites + 7 * units);
  const int most = unit == engine::LdUnit::kHaplotypes ? 1 : 2;
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    const auto frequency = static_cast<unsigned>(50 + rng() % 900);
    std::vector<int> site;
    for (std::uint32_t u = 0; u < units; ++u) {
      int copies = 0;
      for (int i = 0; i < most; ++i) copies += rng() % 1000 < frequency;
      if (s % 3 == 1 && rng() % 10 < 8) copies = std::max(0, made.copies.back()[u]);
      if (s % 3 == 2 && rng() % 10 < 8) copies = most - std::max(0, made.copies.back()[u]);
      if (static_cast<double>(rng() % 1000) < 1000 * missing) copies = kMissing;
      site.push_back(copies);
      if (copies != kMissing)
        made.blocks.set_seen(s, u, copies == 0 ? kMajorSeen : copies == most ? kMinorSeen : kBothSeen);
    }
    made.copies.push_back(site);
  }
  return made;
}

}  // namespace fastid::testing
