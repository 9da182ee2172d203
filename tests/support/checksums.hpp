/// \file
/// Checksums of blocks in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "bits/blocks.hpp"

namespace fastid::testing {

/// As a database has them: of each block's bits, then of its called plane.
inline std::vector<std::uint64_t> block_checksums(const BlocksView& view) {
  const std::size_t words = view.shape.block_words(), bytes = view.shape.block_bytes();
  std::vector<std::uint64_t> sums;
  for (std::size_t at = 0; at < view.shape.n_blocks() * words; at += words)
    sums.push_back(view.second == nullptr ? xxh3_64(view.bits + at, bytes)
                                          : xxh3_64(view.bits + at, bytes, view.second + at, bytes));
  return sums;
}

}  // namespace fastid::testing
