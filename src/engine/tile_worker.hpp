/// \file
/// The part that workers of CPU engines share: memory for a tile's planes, or the planes of blocks in memory.
#pragma once

#include <cstddef>

#include "base/checked.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

class TileWorker : public Worker {
 public:
  TileWorker(const Problem& problem, std::size_t tile_blocks)
      : words_(checked_mul(tile_blocks, problem.database.block_words())), has_second_(problem.has_second) {}

  // Made at first use: blocks in memory are compared where they are.
  TileBuffer buffer() final {
    if (bits_.size() == 0) {
      bits_ = WordBuffer(words_);
      if (has_second_) second_ = WordBuffer(words_);
    }
    tile_bits_ = bits_.data(), tile_second_ = second_.data();
    return {bits_.data(), second_.data()};
  }
  bool borrow(const BlocksView& tile) final {
    tile_bits_ = tile.bits, tile_second_ = has_second_ ? tile.second : nullptr;
    return true;
  }

 protected:
  BlocksView view_of(const Tile& tile) const { return {tile.shape, tile_bits_, tile_second_}; }

 private:
  std::size_t words_;  ///< of a plane
  bool has_second_;
  WordBuffer bits_, second_;
  const Word *tile_bits_ = nullptr, *tile_second_ = nullptr;  ///< of the buffers, or borrowed
};

/// Workers of the options' threads, with tiles of up to so many bytes. \param multiple  of which tiles have
/// as many blocks, where there are enough
WorkPlan tile_plan(const Problem& problem, const EngineOptions& options, std::size_t bytes,
                   std::size_t multiple = 1);

}  // namespace fastid::engine
