#include "pipeline/internal/read_tile.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace fastid {

void read_tile(const BlockSource& source, const Tile& tile, ReadChecks checks, ThreadPool& pool,
               const TileBuffer& to) {
  constexpr std::size_t kPieceBytes = std::size_t{512} << 10;  // of a plane
  const std::size_t block = std::max<std::size_t>(1, tile.shape.block_bytes()), n_blocks = tile.n_blocks();
  const std::size_t piece = std::max<std::size_t>(1, kPieceBytes / block);
  const auto read = checks == ReadChecks::kHere ? &BlockSource::read : &BlockSource::read_unhashed;
  pool.for_each(ceil_div(n_blocks, piece), [&](std::size_t i, const ThreadPool::Stop&) {
    const std::size_t at = i * piece, words = at * tile.shape.block_words();
    (source.*read)(tile.first_block + at, std::min(piece, n_blocks - at), to.bits + words,
                   to.second == nullptr ? nullptr : to.second + words);
  });
}

}  // namespace fastid
