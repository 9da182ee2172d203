/// \file
/// How often chance alone finds a combination as good: the same search with the trait dealt out again.
///
/// A permutation leaves genotypes and missing calls as they are, and draws who of all people is a case: as
/// many as there were. Of each the best combination of all counts. So p is corrected for the number of
/// combinations: P. Westfall, S. Young, Resampling-based multiple testing, 1993 (single-step).
///
///   p = (1 + permutations whose best one is as good) / (1 + permutations)
///
/// which is never 0: B. Phipson, G. Smyth, Statistical Applications in Genetics and Molecular Biology 9,
/// 2010.
///
/// A combination's totals over all people are the same in every permutation. Where it is less work,
/// EpistasisEngine::find_dealt() counts these once and of each permutation the smaller class alone, a share s
/// of the people: the products of 1 + N s searches for N permutations, six for ten with as many cases as
/// controls. All cells are still tested N times. No bound from pairs spares the count: three sites of which
/// no pair says anything may say all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bits/picked_units.hpp"
#include "engine/epistasis.hpp"

namespace fastid::epistasis {

/// A problem with other cases, and as many: those of a seed and an index, which do not depend on the machine.
class PermutedTrait {
 public:
  /// \param of  must outlive this object
  PermutedTrait(const engine::EpistasisProblem& of, std::uint64_t seed, std::uint64_t index);

  engine::EpistasisProblem problem() const;

 private:
  using Masks = std::array<std::vector<Word>, engine::kClasses>;
  PermutedTrait(const engine::EpistasisProblem& of, const Masks& cases);
  static Masks drawn_cases(const engine::EpistasisProblem& of, std::uint64_t seed, std::uint64_t index);

  const engine::EpistasisProblem& of_;
  PickedUnits controls_, cases_;
};

/// act(first, n) for all permutations in order, `at_once` at a time; one at a time from where a device has
/// too little memory for several. \param at_once  at least 1 \throws what act throws; DeviceMemoryError of
/// one
void for_permutations(std::size_t permutations, std::size_t at_once,
                      const std::function<void(std::size_t first, std::size_t n)>& act);

/// The highest cost that is as good as another: equal tables in another order differ by rounding.
double as_good_as(double cost);

/// \param best  of each permutation the lowest cost; infinity: none of interest
double p_of_permutations(double cost, std::span<const double> best);

}  // namespace fastid::epistasis
