/// \file
/// One of several shards into which work is cut so that machines can share it.
#pragma once

#include <cstdint>

namespace fastid {

struct Shard {
  std::uint32_t index = 1;  ///< from 1
  std::uint32_t of = 1;     ///< number of shards

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// A range of indices: first .. end - 1.
struct Range {
  std::uint64_t first = 0, end = 0;

  std::uint64_t size() const { return end - first; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// A shard's share of `n` things, in order: shares differ by one at most, and are empty where there are more
/// shards than things. n * shard.of must fit in 128 bits.
constexpr Range share_of(std::uint64_t n, const Shard& shard) {
  const auto at = [&](std::uint32_t i) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{n} * i / shard.of);
  };
  return {at(shard.index - 1), at(shard.index)};
}

}  // namespace fastid
