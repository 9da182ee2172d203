#include "bits/block_range.hpp"

#include <algorithm>

namespace fastid {

BlockRange::BlockRange(const BlockSource& source, const Range& range)
    : source_(source),
      range_(range),
      shape_(source.shape().with(std::min(source.shape().n_profiles, range.end * kLanes) -
                                 std::min(source.shape().n_profiles, range.first * kLanes))) {}

std::span<const std::uint64_t> BlockRange::checksums() const {
  const std::span<const std::uint64_t> all = source_.checksums();
  if (all.empty()) return all;
  return all.subspan(static_cast<std::size_t>(range_.first), static_cast<std::size_t>(range_.size()));
}

RowMask BlockRange::of(const RowMask& rows) const {
  RowMask own(shape_.n_profiles);
  for (std::uint64_t b = 0; b < range_.size(); ++b) own.set_block(b, rows.block(range_.first + b));
  return own;
}

}  // namespace fastid
