/// \file
/// The native engine's walk over a tile by lookups (cpu_lookup.hpp).
///
///   chunk of query sets  |  a few units of profiles  |  span of words: its index is made  |  each set  |
///   each unit
///
/// so an index is used while it lies in L1, by all sets, and a set's tables of a span by all units. Sums wait
/// between spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu_lookup.hpp"
#include "engine/cpu_queries.hpp"
#include "engine/first_look.hpp"
#include "engine/lookup_tables.hpp"
#include "engine/tile_pass.hpp"

namespace fastid {

/// Finds the pairs of a tile that may pass, by lookups. The tables are shared.
class LookupPass final : public TilePass {
 public:
  /// \param database  for its sites
  LookupPass(const LookupKernels& kernels, std::shared_ptr<const LookupTables> tables,
             const BlockShape& database);

  /// Whether lookups can serve a problem at all.
  static bool serves(const Problem& problem, const LookupKernels* kernels);
  /// Whether they are faster than counting the bits themselves: it takes some queries to make up for turning
  /// a tile into indices, and some profiles to make up for the tables.
  static bool pays(const Problem& problem, const LookupKernels& kernels);

  std::size_t unit_blocks() const override { return kernels_.shape.profiles() / kLanes; }
  bool splits() const override { return false; }  // tables are read once for each
  bool looks() const override { return true; }
  bool weighs() const override { return false; }
  std::span<const MayPass> find(const BlocksView& tile, const PackedQueries& queries,
                                std::span<const Bar> bars, std::uint32_t* weights) override;

 private:
  /// Words that are turned into an index, and counted before sums are taken apart.
  struct Span {
    std::size_t first = 0, n = 0;
  };
  void set_limits(const PackedQueries& queries, std::span<const Bar> bars);
  void cut_spans();
  void pack(const BlocksView& tile, std::size_t unit, const Span& span);
  void count_unit(const BlocksView& tile, const std::uint32_t* weights, std::size_t unit,
                  std::size_t first_set);
  bool count_span(const Span& span, std::size_t first_set, std::size_t unit, std::uint64_t n_profiles);
  void take(std::size_t n_hits, std::size_t unit, std::size_t set, std::uint64_t n_profiles);

  std::size_t unit_profiles() const { return kernels_.shape.profiles(); }
  std::uint16_t* sums(std::size_t set);
  std::uint16_t* weights();

  const LookupKernels& kernels_;
  std::shared_ptr<const LookupTables> tables_;
  IndexPlanes planes_;
  bool weighed_;
  std::size_t n_words_;
  std::size_t span_words_;  ///< at most
  WordBuffer index_, weights_, sums_;
  std::vector<char> done_;         ///< for each set of the chunk: nothing can pass any more
  std::vector<SetLimits> limits_;  ///< of all sets
  std::uint32_t largest_limit_ = 0;
  std::vector<Span> spans_;
  bool look_first_ = false;  ///< after the first span
  std::vector<LookupHit> hits_;
  std::vector<MayPass> found_;
  FirstLook look_;
};

}  // namespace fastid
