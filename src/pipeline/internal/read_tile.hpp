/// \file
/// A tile's read, shared among threads: a device takes tiles faster than one thread reads them.
#pragma once

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// Whether reading compares checksums, or whoever takes the blocks does.
enum class ReadChecks { kHere, kLater };

/// Reads a tile's blocks in pieces that stay in a core's cache, on the caller and on whoever of the pool is
/// free. \throws what the source throws, once no thread touches the buffers any more
void read_tile(const BlockSource& source, const Tile& tile, ReadChecks checks, ThreadPool& pool,
               const TileBuffer& to);

}  // namespace fastid
