/// \file
/// Pairs cut into slices that a device takes one after the other, each in launches of reads of like length.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hmm/pair_hmm.hpp"

namespace fastid {

/// How the kernel divides a read: `items` work-items of `rows` rows.
struct HmmShape {
  std::uint32_t rows = 0, items = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const HmmShape&, const HmmShape&) = default;
};

/// Most rows of a read that the kernel takes.
inline constexpr std::size_t kMostHmmRows = 512;

/// The shape with the fewest work-items, of at most 16 rows, for a read of `n` rows, 1 to kMostHmmRows.
HmmShape shape_of(std::size_t n);

/// Neighbours of a slice's order that one launch takes.
struct HmmLaunch {
  HmmShape shape;
  std::size_t first = 0, n = 0;
};

/// Neighbouring reads or haplotypes, [first, end).
struct HmmRange {
  std::uint32_t first = UINT32_MAX, end = 0;

  HmmRange with(std::uint32_t i) const { return {std::min(first, i), std::max(end, i + 1)}; }
};

/// Pairs whose reads and haplotypes are uploaded together.
struct HmmSlice {
  HmmRange reads, haplotypes;
  std::vector<std::uint32_t> order;  ///< places of the pairs, by length
  std::vector<hmm::Pair> pairs;      ///< in that order, counted from the first read and haplotype
  std::vector<HmmLaunch> launches;   ///< of all of them
};

/// Cuts the pairs that the kernel takes, in their order. Where few reads have a length, they are launched
/// with longer ones.
class HmmSlices {
 public:
  /// \param cells, bytes  at most, of a slice of more than one pair
  HmmSlices(const hmm::Pairs& pairs, std::uint64_t cells, std::uint64_t bytes)
      : pairs_(pairs), most_cells_(cells), most_bytes_(bytes) {}

  /// False at the end.
  bool next(HmmSlice& slice);

 private:
  const hmm::Pairs& pairs_;
  std::uint64_t most_cells_, most_bytes_;
  std::uint32_t at_ = 0;
};

}  // namespace fastid
