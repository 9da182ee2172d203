/// \file
/// The tables of the CPU engine's lookups (cpu_lookup.hpp), made once for a problem's queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cpu/cpu_lookup.hpp"
#include "engine/engine.hpp"
#include "engine/kernel_case.hpp"

namespace fastid::engine {

/// What a case turns stored profiles into.
IndexPlanes index_planes(KernelCase which);

/// The index of each group of one row: what LookupKernels::pack() writes for a profile, in plain code.
std::vector<std::uint8_t> row_index(std::span<const Word> words);

/// All tables of a problem. Read-only once made, so workers share them.
///
/// The sets of queries follow one another. A set is [group][pair of its queries][value of the index]. Groups
/// that pad a span's last step and queries that pad the last set count nothing.
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
  void fill(const Problem& problem, std::size_t query, const LookupShape& shape);
  /// \param counts_of  what a group of the plane counts, by its place
  template <class CountsOf>
  void fill_plane(std::size_t query, std::size_t plane, std::size_t n_groups, const LookupShape& shape,
                  const CountsOf& counts_of);

  KernelCase which_;
  IndexPlanes planes_;
  std::size_t n_sets_, n_steps_, step_bytes_;
  WordBuffer words_;
};

}  // namespace fastid::engine
