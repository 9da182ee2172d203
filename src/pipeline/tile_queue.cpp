#include "pipeline/tile_queue.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace fastid {
namespace {

constexpr std::size_t kSmallestShare = 8;  ///< of a full tile, at the end: less would not keep a device busy

}  // namespace

TileQueue::TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes)
    : at_(begin), end_(end), sizes_(sizes) {}

std::optional<Tile> TileQueue::next() {
  const std::lock_guard lock(guard_);
  if (at_ >= end_) return std::nullopt;
  const Tile tile{at_, static_cast<std::size_t>(std::min<std::uint64_t>(size(), end_ - at_))};
  at_ += tile.n;
  return tile;
}

void TileQueue::done(const Tile& tile) {
  const std::lock_guard lock(guard_);
  ranked_ += tile.n;
}

std::size_t TileQueue::size() const {
  const auto [first, largest, lanes] = sizes_;
  if (first == largest) return largest;
  const auto grown = static_cast<std::size_t>(std::clamp<std::uint64_t>(ranked_, first, largest));
  const std::uint64_t fair = ceil_div<std::uint64_t>(end_ - at_, 2 * lanes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(grown, std::max<std::uint64_t>(fair, ceil_div(largest, kSmallestShare))));
}

}  // namespace fastid
