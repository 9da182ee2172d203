#include "pipeline/tile_queue.hpp"

#include <algorithm>
#include <chrono>

#include "base/checked.hpp"

namespace fastid {
namespace {

constexpr std::size_t kSmallestShare = 8;  ///< of a full tile, at the end: less would not keep a device busy

}  // namespace

TileQueue::TileQueue(std::uint64_t begin, std::uint64_t end, const TileSizes& sizes, std::uint64_t ranked)
    : begin_(begin), at_(begin), end_(end), sizes_(sizes), ranked_(ranked) {}

std::optional<Tile> TileQueue::next(const std::atomic<bool>& failed, std::size_t most) {
  constexpr std::chrono::milliseconds kLook{1};  // between looks at `failed`, which tells nobody
  std::unique_lock lock(guard_);
  while (sizes_.wait && !same_size() && at_ > begin_ && at_ < end_ && ranked_ == 0 && !failed)
    ranked_first_.wait_for(lock, kLook);
  return failed ? std::nullopt : cut(std::min(size(), most));
}

std::optional<Tile> TileQueue::take(std::size_t n) {
  const std::lock_guard lock(guard_);
  return cut(n);
}

std::optional<Tile> TileQueue::cut(std::uint64_t n) {
  if (at_ >= end_) return std::nullopt;
  const Tile tile{at_, static_cast<std::size_t>(std::min(n, end_ - at_))};
  at_ += tile.n;
  return tile;
}

void TileQueue::done(const Tile& tile) {
  const std::lock_guard lock(guard_);
  if (ranked_ == 0) ranked_first_.notify_all();
  ranked_ += tile.n;
}

std::size_t TileQueue::size() const {
  const std::size_t largest = sizes_.largest;
  const auto grown = static_cast<std::size_t>(std::min<std::uint64_t>(sizes_.grown(ranked_), largest));
  if (same_size() || !sizes_.small_last) return grown;
  const std::uint64_t fair = ceil_div<std::uint64_t>(end_ - at_, 2 * sizes_.lanes);
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(grown, std::max<std::uint64_t>(fair, ceil_div(largest, kSmallestShare))));
}

}  // namespace fastid
