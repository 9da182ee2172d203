/// \file
/// The tables of the native engine's lookups (cpu_lookup.hpp), made once for a problem's queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cpu/cpu_lookup.hpp"
#include "engine/engine.hpp"
#include "engine/kernel_case.hpp"

namespace fastid::engine {

/// Which planes of stored profiles a case turns into an index.
struct IndexPlanes {
  bool bits = false;    ///< sites with a minor allele
  bool others = false;  ///< sites called without one
  std::size_t n() const { return std::size_t{bits} + std::size_t{others}; }
};
IndexPlanes index_planes(KernelCase which);

/// The index of each group of one row: what LookupKernels::pack() writes for a profile, in plain code.
std::vector<std::uint8_t> row_index(std::span<const Word> words);

/// All tables of a problem. Read-only once made, so workers share them.
///
/// The sets of queries follow one another. A set is [group][pair of its queries][value of the index]. With
/// two planes, their groups alternate. Groups that pad a span's last step and queries that pad the last set
/// count nothing.
class LookupTables {
 public:
  /// \throws Failure where there is not enough memory.
  LookupTables(const Problem& problem, const LookupShape& shape);

  /// Bytes that the tables of a problem take.
  static std::uint64_t bytes(const Problem& problem, const LookupShape& shape);

  KernelCase which() const { return which_; }
  std::size_t n_sets() const { return n_sets_; }
  const std::uint8_t* of(std::size_t set, std::size_t step) const {
    return bytes_of(words_.data()) + (set * n_steps_ + step) * step_bytes_;
  }

 private:
  static const std::uint8_t* bytes_of(const Word* words) {
    return reinterpret_cast<const std::uint8_t*>(words);
  }
  /// The sites that count if the stored bit is clear, and those that count if it is set, each as an index.
  struct CountedIndex {
    std::vector<std::uint8_t> clear, set;
  };
  /// The places of a plane's groups among those of all planes: first, first + step, ...
  struct GroupSeries {
    std::size_t first = 0, step = 1;
  };
  void fill(const Problem& problem, std::size_t query, const LookupShape& shape);
  void fill_plane(std::size_t query, const CountedIndex& counted, const GroupSeries& groups,
                  const LookupShape& shape);

  KernelCase which_;
  std::size_t n_sets_, n_steps_, step_bytes_;
  WordBuffer words_;
};

}  // namespace fastid::engine
