/// \file
/// How the CPU engine compares a tile by lookups (cpu_lookup.hpp). Its loops, outermost first:
///
///   run of units of profiles  |  chunk of query sets  |  unit  |  span of words  |  each set
///
/// So a span's index is in L1 for all sets of a chunk, and a chunk's tables are in L2 for all units of a run.
/// The index is kept for further chunks if L2 can hold the index of a whole run. Sums are stored between
/// spans. While the sets of the first chunk count, the next unit is fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_lookup.hpp"
#include "engine/cpu/cpu_queries.hpp"
#include "engine/cpu/early_exit.hpp"
#include "engine/cpu/lookup_tables.hpp"

namespace fastid::engine {

/// Finds the pairs of a tile that may pass, by lookups. Used by one thread.
class LookupPass {
 public:
  /// \param kernels   with lookups
  /// \param tables    must outlive this
  /// \param database  only its number of sites is used
  LookupPass(const KernelTable& kernels, const LookupTables& tables, const BlockShape& database);

  /// Whether lookups can be used for a problem at all.
  static bool serves(const Problem& problem, const KernelTable& kernels);
  /// Whether lookups are faster than counting the bits. They need enough queries to make up for turning a
  /// tile into an index, and enough profiles to make up for the tables.
  static bool pays(const Problem& problem);

  /// Blocks that are counted together.
  std::size_t unit_blocks() const { return kernels_.shape.profiles() / kLanes; }
  /// Returns every pair that passes its threshold and, as a rule, few others. If there are more than `most`,
  /// some may be missing. The result is valid until the next call.
  ///
  /// \param tile  its blocks are whole units, 64-byte aligned
  /// \param denominators  where the tile's profiles' denominators are written, 64-byte aligned; null unless
  ///                      bounded_by_profile()
  std::span<const PairPlace> find(const BlocksView& tile, const PackedQueries& queries,
                                  std::span<const Threshold> thresholds, std::uint32_t* denominators,
                                  std::size_t most);

 private:
  /// Words whose index is made together, and whose lookups are summed before the nibbles are separated.
  struct Span {
    std::size_t first = 0, n = 0;
  };
  void set_limits(const PackedQueries& queries, std::span<const Threshold> thresholds);
  void count_denominators(const BlocksView& tile, std::size_t unit, std::uint32_t* denominators) const;
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
  const KernelTable& all_;
  const LookupTables& tables_;
  IndexPlanes planes_;
  bool by_profile_;      ///< limits depend on the profiles' denominators
  std::uint32_t scale_;  ///< of these denominators
  std::size_t n_words_;
  bool keeps_index_;       ///< for further chunks
  std::size_t run_units_;  ///< units in a run
  WordBuffer index_, denominators_, sums_;
  std::vector<std::size_t> packed_;  ///< for each unit of the run, words whose index is made
  std::vector<char> done_;           ///< for each set of the chunk: no pair can pass any more
  std::vector<SetLimits> limits_;    ///< of all sets
  std::uint32_t largest_limit_ = 0;
  bool checks_first_ = false;  ///< check after the first span whether any pair may still pass
  std::vector<PairPlace> hits_;
  std::vector<PairPlace> found_;
  EarlyExit early_exit_;
};

}  // namespace fastid::engine
