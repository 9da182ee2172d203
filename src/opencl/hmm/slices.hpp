/// \file
/// Groups cut into slices that a device takes one after the other, each in launches of reads of like length.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "hmm/pair_hmm.hpp"

namespace fastid::opencl {

/// How the kernel divides a read: `items` work-items of `rows` rows.
struct HmmShape {
  std::uint32_t rows = 0, items = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const HmmShape&, const HmmShape&) = default;
};

/// Most rows of a read that the kernel takes.
inline constexpr std::size_t kMostHmmRows = 512;

/// Whether the kernel takes a read.
bool kernel_takes(const hmm::Groups& groups, std::uint32_t read);

/// The shape with the fewest work-items, of at most 16 rows, for a read of `n` rows, 1 to kMostHmmRows.
HmmShape shape_of(std::size_t n);

/// A read as kernels/pair_hmm.cl has it. Places are counted from the slice's first.
struct HmmRead {
  std::uint32_t first_row = 0, rows = 0;
  std::uint32_t first_haplotype = 0, haplotypes = 0;
  std::uint32_t first_result = 0;  ///< of its pairs in the order of the groups
  std::uint32_t first_pair = 0;    ///< of the same in the order of lengths
};

/// Neighbouring pairs, in the order of lengths, that one launch takes.
struct HmmLaunch {
  HmmShape shape;
  std::size_t first = 0, n = 0;
};

/// Neighbouring reads and their haplotypes, which are uploaded together.
struct HmmSlice {
  hmm::IndexRange reads, haplotypes;
  std::vector<HmmRead> order;       ///< the reads that the kernel takes, by length
  std::vector<HmmLaunch> launches;  ///< of all of their pairs
  std::size_t pairs = 0;            ///< that are launched
};

/// Cuts reads into slices, in their order. Where few pairs have a length, they are launched with longer ones.
/// Thread-safe.
class HmmSlices {
 public:
  /// \param cells, bytes  at most, of a slice of more than one read
  HmmSlices(const hmm::Groups& groups, hmm::IndexRange reads, std::uint64_t cells, std::uint64_t bytes)
      : groups_(groups), left_(reads), most_cells_(cells), most_bytes_(bytes) {}

  /// False at the end.
  bool next(HmmSlice& slice);

 private:
  hmm::IndexRange cut();

  const hmm::Groups& groups_;
  std::mutex guard_;  ///< of left_
  hmm::IndexRange left_;
  std::uint64_t most_cells_, most_bytes_;
};

}  // namespace fastid::opencl
