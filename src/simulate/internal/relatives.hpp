/// \file
/// Pairs of related people: which rows they take, and which alleles they share by descent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/random.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// The person of `row` is made as a relative of the person of `of`, who is drawn like anybody.
struct Plant {
  std::uint64_t row = 0, of = 0;
  Relation relation = Relation::kTwin;
};

/// All plants of a database. No row is in two pairs.
class Relatives {
 public:
  Relatives() = default;
  /// Twice the sum of `pairs` is at most `n_profiles`.
  Relatives(const std::array<std::uint32_t, kRelations>& pairs, std::uint64_t n_profiles, std::uint64_t seed);

  /// By row.
  std::span<const Plant> all() const { return plants_; }
  /// Those whose row is in a block of 32.
  std::span<const Plant> in_block(std::uint64_t block) const;

 private:
  std::vector<Plant> plants_;
};

/// What a plant has from its relative, site after site.
class Descent {
 public:
  struct Shared {
    bool first = false, second = false;  ///< that allele of the two is the relative's
  };

  Descent(const Plant& plant, std::uint64_t seed);

  Shared next();

 private:
  Stream stream_;
  Probability first_, second_;
};

}  // namespace fastid::simulate
