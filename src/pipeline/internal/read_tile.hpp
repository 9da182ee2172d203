/// \file
/// Reads a tile on several threads, since a device compares tiles faster than one thread reads them.
#pragma once

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "engine/engine.hpp"

namespace fastid {

/// Whether checksums are checked while reading, or later by the worker.
enum class ReadChecks { kHere, kLater };

/// Reads a tile's blocks in pieces that stay in a core's cache, on the calling thread and on free threads of
/// the pool. \throws what the source throws, after all threads have stopped using the buffers
void read_tile(const BlockSource& source, const Tile& tile, ReadChecks checks, ThreadPool& pool,
               const TileBuffer& to);

}  // namespace fastid
