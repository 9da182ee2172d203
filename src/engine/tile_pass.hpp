/// \file
/// A way to find the pairs of a tile that may pass their bars, other than to count bits block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/cpu_queries.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// A pair that may pass its bar.
struct MayPass {
  std::uint32_t profile = 0;           ///< place in the tile
  std::uint32_t query = 0;             ///< of the problem
  std::optional<std::uint32_t> count;  ///< where the pass counts exactly
};

/// One thread's own.
class TilePass {
 public:
  virtual ~TilePass() = default;

  /// Blocks that are counted at once.
  virtual std::size_t unit_blocks() const = 0;

  /// A tile can be searched in pieces without a loss.
  virtual bool splits() const = 0;

  /// find() looks whether the rest of a count still matters (first_look.hpp).
  virtual bool looks() const = 0;

  /// find() weighs the tile's profiles.
  virtual bool weighs() const = 0;

  /// Every pair that passes its bar is among the result, and few others, most often. Valid until the next
  /// call.
  ///
  /// \param tile     its blocks are whole units, 64-byte aligned
  /// \param weights  of the tile's profiles, aligned too, where bounded_by_profile(); else null. Read, or
  /// written
  ///                 where the pass weighs()
  virtual std::span<const MayPass> find(const BlocksView& tile, const PackedQueries& queries,
                                        std::span<const Bar> bars, std::uint32_t* weights) = 0;
};

}  // namespace fastid
