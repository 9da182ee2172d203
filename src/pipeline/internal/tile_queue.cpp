#include "pipeline/internal/tile_queue.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace fastid {
namespace {

constexpr std::size_t kSmallestShare = 8;  ///< of a full tile, at the end: less would not keep a device busy

}  // namespace

TileQueue::TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes)
    : begin_(begin), at_(begin), end_(end), sizes_(sizes) {}

std::optional<Tile> TileQueue::next(std::size_t most) {
  const std::lock_guard lock(guard_);
  if (at_ >= end_) return std::nullopt;
  const Tile tile{at_, static_cast<std::size_t>(std::min<std::uint64_t>(std::min(size(), most), end_ - at_))};
  at_ += tile.n;
  return tile;
}

void TileQueue::done(const Tile& tile) {
  const std::lock_guard lock(guard_);
  ranked_ += tile.n;
}

std::size_t TileQueue::size() const {
  const std::size_t largest = sizes_.largest;
  std::uint64_t so_far = at_ == begin_ ? sizes_.first : largest;
  if (sizes_.grow) so_far = std::clamp<std::uint64_t>(ranked_, sizes_.first, largest);
  const auto grown = static_cast<std::size_t>(so_far);
  if (sizes_.first == largest || !sizes_.small_last) return grown;
  const std::uint64_t fair = ceil_div<std::uint64_t>(end_ - at_, 2 * sizes_.lanes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(grown, std::max<std::uint64_t>(fair, ceil_div(largest, kSmallestShare))));
}

}  // namespace fastid
