/// \file
/// The native engine's walk over a tile by lookups (cpu_lookup.hpp).
///
///   run of units of profiles  |  chunk of query sets  |  unit  |  span of words  |  each set
///
/// so a span's index lies in L1 for all sets of a chunk, and the tables of a chunk are used while they lie in
/// L2, by all units of a run. For further chunks an index is kept in L2, where that holds a run's. Sums wait
/// between spans. While the sets of the first chunk count, the next unit is fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_lookup.hpp"
#include "engine/cpu/cpu_queries.hpp"
#include "engine/cpu/first_look.hpp"
#include "engine/cpu/lookup_tables.hpp"

namespace fastid {

/// Finds the pairs of a tile that may pass, by lookups. One thread's own.
class LookupPass {
 public:
  /// \param kernels   with those that look up
  /// \param tables    outlive this
  /// \param database  for its sites
  LookupPass(const KernelTable& kernels, const LookupTables& tables, const BlockShape& database);

  /// Whether lookups can serve a problem at all.
  static bool serves(const Problem& problem, const LookupKernels* kernels);
  /// Whether they are faster than counting the bits themselves: it takes some queries to make up for turning
  /// a tile into indices, and some profiles to make up for the tables.
  static bool pays(const Problem& problem, const KernelTable& kernels);

  /// Blocks that are counted together.
  std::size_t unit_blocks() const { return kernels_.shape.profiles() / kLanes; }
  /// Every pair that passes its threshold is among the result, and few others, most often; but some may be
  /// missing where it is more than `most`. Valid until the next call.
  ///
  /// \param tile  its blocks are whole units, 64-byte aligned
  /// \param denominators  of the tile's profiles, aligned too, where bounded_by_profile(); else null.
  /// Written.
  std::span<const PairPlace> find(const BlocksView& tile, const PackedQueries& queries,
                                  std::span<const Threshold> thresholds, std::uint32_t* denominators,
                                  std::size_t most);

 private:
  /// Words that are turned into an index, and counted before sums are taken apart.
  struct Span {
    std::size_t first = 0, n = 0;
  };
  void set_limits(const PackedQueries& queries, std::span<const Threshold> thresholds);
  void weigh(const BlocksView& tile, std::size_t unit, std::uint32_t* denominators) const;
  void pack(const BlocksView& tile, std::size_t unit, const Span& span);
  void count_unit(const BlocksView& tile, const std::uint32_t* denominators, std::size_t unit,
                  std::size_t first_set);
  bool count_span(const BlocksView& tile, const Span& span, std::size_t unit, std::size_t first_set);
  LookupFetch next_unit(const BlocksView& tile, const Span& span, std::size_t unit) const;
  void take(std::size_t n_hits, std::size_t unit, std::size_t set, std::uint64_t n_profiles);

  std::size_t unit_profiles() const { return kernels_.shape.profiles(); }
  std::size_t index_bytes(std::size_t n_words) const;
  std::uint8_t* index(std::size_t unit, const Span& span);
  std::uint16_t* sums(std::size_t set);
  std::uint16_t* denominators();

  const LookupKernels& kernels_;
  CountBits count_bits_;
  const LookupTables& tables_;
  IndexPlanes planes_;
  bool weighed_;
  std::size_t n_words_;
  bool keeps_index_;       ///< for a further chunk
  std::size_t run_units_;  ///< that have a chunk's turn one after the other
  WordBuffer index_, denominators_, sums_;
  std::vector<std::size_t> packed_;  ///< words of each unit of the run whose index is made
  std::vector<char> done_;           ///< for each set of the chunk: nothing can pass any more
  std::vector<SetLimits> limits_;    ///< of all sets
  std::uint32_t largest_limit_ = 0;
  bool look_first_ = false;  ///< after the first span
  std::vector<PairPlace> hits_;
  std::vector<PairPlace> found_;
  FirstLook look_;
};

}  // namespace fastid
