/// \file
/// A way to find the pairs of a tile that may pass their bars, other than to count bits block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/cpu/cpu_queries.hpp"
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

  /// find() looks whether the rest of a count still matters (first_look.hpp).
  virtual bool looks() const = 0;

  /// Every pair that passes its bar is among the result, and few others, most often; but some may be missing
  /// where it is more than `most`. Valid until the next call.
  ///
  /// \param tile     its blocks are whole units, 64-byte aligned
  /// \param weights  of the tile's profiles, aligned too, where bounded_by_profile(); else null. Written.
  virtual std::span<const MayPass> find(const BlocksView& tile, const PackedQueries& queries,
                                        std::span<const Bar> bars, std::uint32_t* weights,
                                        std::size_t most) = 0;
};

}  // namespace fastid
