#include "pipeline/tile_queue.hpp"

#include <algorithm>

namespace fastid {

TileQueue::TileQueue(std::uint64_t begin, std::uint64_t end, std::size_t largest, std::size_t first)
    : at_(begin), end_(end), size_(first), largest_(largest) {}

std::optional<Tile> TileQueue::next() {
  const std::lock_guard lock(guard_);
  if (at_ >= end_) return std::nullopt;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(size_, end_ - at_));
  const Tile tile{at_, n};
  at_ += n;
  size_ = std::min(largest_, 2 * size_);
  return tile;
}

}  // namespace fastid
