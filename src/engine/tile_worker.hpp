/// \file
/// The part of a native worker that some counts of their own have (OwnCount): memory for a tile's two planes.
#pragma once

#include <cstddef>

#include "base/checked.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"

namespace fastid {

class TileWorker : public Worker {
 public:
  TileWorker(const Problem& problem, std::size_t tile_blocks)
      : words_(checked_mul(tile_blocks, problem.database.block_words())) {}

  TileBuffer buffer() final {
    if (bits_.size() == 0) bits_ = WordBuffer(words_), major_ = WordBuffer(words_);
    tile_bits_ = bits_.data(), tile_major_ = major_.data();
    return {bits_.data(), major_.data()};
  }
  bool borrow(const BlocksView& tile) final {
    tile_bits_ = tile.bits, tile_major_ = tile.second;
    return true;
  }

 protected:
  BlocksView view_of(const Tile& tile) const { return {tile.shape, tile_bits_, tile_major_}; }

 private:
  std::size_t words_;  ///< of a plane
  WordBuffer bits_, major_;
  const Word *tile_bits_ = nullptr, *tile_major_ = nullptr;
};

/// Workers of so many threads, with tiles of up to so many bytes.
WorkPlan tile_plan(const Problem& problem, const EngineOptions& options, std::size_t bytes);

}  // namespace fastid
