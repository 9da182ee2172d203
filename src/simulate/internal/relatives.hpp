/// \file
/// Pairs of related people: their rows, and the alleles that they share by descent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/random.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// The person of `row` is made a relative of the person of `of`, who is drawn like everybody else.
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
  /// The plants whose row is in a block of 32.
  std::span<const Plant> in_block(std::uint64_t block) const;

 private:
  std::vector<Plant> plants_;
};

/// The alleles that a plant has from its relative, site after site.
class Descent {
 public:
  struct Shared {
    bool first = false, second = false;  ///< whether that one of the two alleles is the relative's
  };

  Descent(const Plant& plant, std::uint64_t seed);

  Shared next();

 private:
  Stream stream_;
  Probability first_, second_;
};

}  // namespace fastid::simulate
