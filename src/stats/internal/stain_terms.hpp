/// \file
/// A stain's site as polynomials in the frequency p, whose means follow from
/// stats/internal/allele_moments.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stats/internal/genotype_ratios.hpp"
#include "stats/mixture.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// Orders in which a person's 0, 1, 2 minor copies can occur.
inline constexpr std::array<double, kGenotypes> kOrdersOfCopies{1, 2, 1};

/// The most alleles of the contributors besides the one in question.
inline constexpr std::size_t kMostOtherAlleles = 2 * (kMostContributors - 1);

/// A contributor's slot (stats/stain.hpp): [g][m] is what p^m (1 - p)^(alleles - m) is multiplied by.
struct SlotTerms {
  explicit SlotTerms(std::size_t others) : alleles(others) {}

  std::size_t alleles;  ///< of the other contributors
  std::array<std::array<double, kMostOtherAlleles + 1>, kGenotypes> of{};
};

/// What p^j (1 - p)^(n - j) is multiplied by in StainModel::Joint: [identical by descent * kJointRow + y]. n
/// is SlotTerms::alleles + kAllelesOfTwo, which includes the alleles of the person and of the contributor.
inline constexpr std::size_t kJointRow = 4, kAllelesOfTwo = 4;
struct JointTerms : std::array<double, 3 * kJointRow> {};

/// \param read  [person's genotype][y] \param terms  slot.alleles + kAllelesOfTwo + 1
void joint_terms(const SlotTerms& slot, const Readings& read, std::span<JointTerms> terms);

/// joint_terms() of two contributors of two stains, in column y. \param terms  one.alleles + other.alleles +
/// kAllelesOfTwo + 1
void pair_terms(const SlotTerms& one, const SlotTerms& other, std::size_t y, std::span<JointTerms> terms);

}  // namespace fastid::stats
