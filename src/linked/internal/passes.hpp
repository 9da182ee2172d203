/// \file
/// The passes of hidden Markov chains along sites, for kLanes pairs of people side by side. Each pair's
/// arithmetic is separate, in one order on every processor, so that its figures do not depend on the other
/// pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linked/relations.hpp"

namespace fastid::linked {

inline constexpr std::size_t kLanes = 8;
/// Aligned, so that no vector lies in two lines of the cache.
struct alignas(64) Lanes : std::array<double, kLanes> {};

/// For a site: how much more probable the observation is if 1 or 2 alleles are identical by descent than if
/// none is. At most kMostEmission.
struct Emission {
  Lanes one, two;
};
inline constexpr double kMostEmission = 1e150;

inline constexpr std::size_t kStretch = 256;     ///< sites that are held in memory at a time
inline constexpr std::size_t kSitesAtATime = 4;  ///< Stretch::rescaled_after if all emissions are usual
/// Whether the fourth power of an emission is in the range that Stretch::rescaled_after demands.
constexpr bool is_usual(double emission) {
  constexpr double kUsual = 1e70;
  return emission == 0 || (emission >= 1 / kUsual && emission <= kUsual);
}

/// A stretch of neighbouring sites.
struct Stretch {
  std::span<const double> recombination;  ///< between each site and the one before
  std::span<const Emission> emissions;
  /// After how many sites figures are brought back into the range of doubles: all products of the emissions
  /// of so many sites must lie within 1e-280 and 1e280, or be 0.
  std::size_t rescaled_after = 1;
};

/// The state of a pass at a site: for each state of the chain, a multiple of P(all that is seen so far, the
/// state).
class Forward {
 public:
  /// Before the first site all states are alike.
  explicit Forward(Relation relation);

  /// log10 of the likelihood ratio, against unrelated people, of the sites so far. -infinity where it is
  /// impossible.
  Lanes log10() const;

  Relation relation;
  std::vector<Lanes> states;
  std::array<std::int64_t, kLanes> exponents{};  ///< the states have been divided by 2^exponents
};

/// Takes each chain on over a stretch of sites.
void pass_forward(std::span<Forward> chains, const Stretch& stretch);

/// [state]: a multiple of the probability of all that is seen after a site, given the state there.
using Backward = std::vector<Lanes>;

/// For a site: the probabilities that 1 and that 2 alleles are identical by descent.
using Shared = Emission;

/// Goes back over a stretch and adds weight * P(IBD | all that is seen) to `shared`, a site each.
/// \param before  the forward state before the stretch \param backward  at the stretch's last site;
/// afterwards at the site before its first
void pass_back(const Forward& before, const Stretch& stretch, const Lanes& weights, Backward& backward,
               std::span<Shared> shared);

}  // namespace fastid::linked
