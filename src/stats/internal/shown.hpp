/// \file
/// What a profile shows at a site, where it is known which alleles were seen (RowView::major). Rows that
/// stats reads as genotypes all have it.
///
///   minor  major   Shown           of a person
///     0      1     kMajorOnly      0 minor copies
///     1      1     kBothAlleles    1
///     1      0     kMinorOnly      2
///     0      0     kNeither        not called
#pragma once

#include <array>
#include <cstddef>

#include "bits/rows.hpp"

namespace fastid::stats {

/// An index into tables. Of a person the first three are the number of minor copies.
enum Shown : std::size_t { kMajorOnly, kBothAlleles, kMinorOnly, kNeither };

/// The kinds of Shown that a person's called site can have.
inline constexpr std::size_t kGenotypes = 3;

inline Shown shown_at(const RowView& row, std::size_t site) {
  constexpr std::array kinds{kNeither, kMajorOnly, kMinorOnly, kBothAlleles};
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  return kinds[(row.bits[word] >> shift & 1) << 1 | (row.major[word] >> shift & 1)];
}

}  // namespace fastid::stats
