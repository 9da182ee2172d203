/// \file
/// What a profile shows at a called site, by bits or by the alleles that were seen. Rows that stats reads by
/// alleles all have RowView::major.
///
///   minor  major   Shown           of a person        by bits
///     0      1     kMajorOnly      0 minor copies     0
///     1      1     kBothAlleles    1                  1
///     1      0     kMinorOnly      2                  1
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

/// How many kinds a called site can show.
constexpr std::size_t kinds_shown(Encoding by) {
  return by == Encoding::kAlleles ? kGenotypes : 2;
}

inline Shown shown_at(const RowView& row, std::size_t site) {
  constexpr std::array kinds{kNeither, kMajorOnly, kMinorOnly, kBothAlleles};
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  return kinds[(row.bits[word] >> shift & 1) << 1 | (row.major[word] >> shift & 1)];
}

/// The kind that a called site shows, in [0, kinds_shown(by)).
inline std::size_t kind_at(const RowView& row, std::size_t site, Encoding by) {
  if (by == Encoding::kAlleles) return shown_at(row, site);
  return row.bits[site / kWordBits] >> (site % kWordBits) & 1;
}

/// The sites of one word that both have called and at which they show different kinds.
inline Word differing_sites(const RowView& a, const RowView& b, std::size_t word, Encoding by) {
  Word differ = a.bits[word] ^ b.bits[word];
  if (by == Encoding::kAlleles) differ |= a.major[word] ^ b.major[word];
  return differ & a.called[word] & b.called[word];
}

}  // namespace fastid::stats
