#include "pipeline/internal/tile_queue.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace fastid::pipeline {

// If the thresholds come from R blocks, about T / R times as many pairs pass in a tile of T blocks as are
// kept. Where small tiles cost nothing T is at most R; elsewhere so large that kPairsATile pass, but at least
// R / 4.
TileSizes tile_sizes(const engine::WorkPlan& plan, const match::PairSink& sink, std::size_t n_queries,
                     std::uint64_t ranked_blocks) {
  constexpr double kPairsATile = 1 << 14;  // about as many may pass, so that ranking takes little of its time
  constexpr std::size_t kMostOpen = 8;     // blocks of a tile while every pair passes
  constexpr double kOpenSinkTiles = 8;  // as many pairs a tile where the sink keeps all, so that none waits
  constexpr double kLeastGrowth = 0.25;
  const auto queries = static_cast<double>(std::max<std::size_t>(1, n_queries));
  const double blocks = kPairsATile / (kLanes * queries);  // of a tile in which all pairs pass
  TileSizes sizes{
      .first = plan.small_first ? 1 : std::clamp<std::size_t>(static_cast<std::size_t>(blocks), 1, kMostOpen),
      .largest = plan.tile_blocks,
      .growth = plan.small_first
                    ? 1
                    : std::max(kLeastGrowth, kPairsATile / (queries * static_cast<double>(sink.keeps()))),
      .ranked = ranked_blocks,
      .workers = plan.workers,
      .small_last = plan.small_last,
      .equal = plan.equal_tiles};
  if (sink.keeps() == UINT64_MAX && !plan.equal_tiles)
    sizes.largest =
        std::clamp<std::size_t>(static_cast<std::size_t>(kOpenSinkTiles * blocks), 1, plan.tile_blocks);
  sizes.first = std::min(sizes.first, sizes.largest);
  return sizes;
}

std::optional<engine::Tile> TileQueue::next(std::size_t most) {
  const std::lock_guard lock(guard_);
  const std::uint64_t left = database_.n_blocks() - at_;
  if (left == 0) return std::nullopt;
  const std::uint64_t n = std::min<std::uint64_t>({size(), most, left});
  const engine::Tile tile{
      at_, database_.with(std::min<std::uint64_t>(n * kLanes, database_.n_profiles - at_ * kLanes))};
  at_ += n;
  return tile;
}

void TileQueue::done(const engine::Tile& tile) {
  const std::lock_guard lock(guard_);
  done_ += tile.n_blocks();
}

std::uint64_t TileQueue::size() const {
  constexpr std::size_t kSmallestShare = 8;  // the last tiles have at least an 8th of a full one's blocks, to
                                             // keep a device busy
  const std::uint64_t largest = sizes_.largest;
  if (sizes_.equal) return largest;
  const double grown = sizes_.growth * static_cast<double>(sizes_.ranked + done_);
  const std::uint64_t size = grown >= static_cast<double>(largest)
                                 ? largest
                                 : std::max<std::uint64_t>(sizes_.first, static_cast<std::uint64_t>(grown));
  if (!sizes_.small_last) return size;
  const std::uint64_t fair = ceil_div<std::uint64_t>(database_.n_blocks() - at_, 2 * sizes_.workers);
  return std::min(size, std::max<std::uint64_t>(fair, ceil_div<std::uint64_t>(largest, kSmallestShare)));
}

void read_tile(const BlockSource& source, const engine::Tile& tile, ReadChecks checks, ThreadPool& pool,
               const engine::TileBuffer& to) {
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

}  // namespace fastid::pipeline
