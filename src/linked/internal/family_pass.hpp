/// \file
/// The forward pass along sites over all inheritance vectors of a family, for kLanes people side by side,
/// each of whom may be its missing member. Each person's arithmetic is separate, in one order on every
/// processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linked/internal/family_emissions.hpp"
#include "linked/internal/inheritance.hpp"
#include "linked/internal/passes.hpp"

namespace fastid::linked {

/// What each lane's person shows at a site (stats::Shown).
using ShownInLanes = std::array<std::uint8_t, kLanes>;

/// A stretch of neighbouring sites.
struct FamilyStretch {
  std::span<const double> recombination;      ///< between each site and the one before
  std::span<const FamilyEmission> emissions;  ///< [site * patterns + pattern]
  std::span<const ShownInLanes> shown;        ///< of each site
};

/// The state of a pass at a site: for each vector, a multiple of P(all that is seen so far, the vector).
struct FamilyForward {
  explicit FamilyForward(std::size_t n_vectors);

  /// log10 P(all that was seen so far); -infinity where it is impossible.
  Lanes log10() const;

  std::vector<Lanes> vectors;
  Lanes sum, scale;  ///< the sum of the vectors, and a power of 2 by which they are still to be multiplied
  std::array<std::int64_t, kLanes> exponents{};  ///< the exponents of the powers multiplied so far, negated
};

void pass_family(const Inheritance& inheritance, const FamilyStretch& stretch, FamilyForward& forward);

}  // namespace fastid::linked
