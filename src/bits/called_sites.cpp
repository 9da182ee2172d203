#include "bits/called_sites.hpp"

#include <algorithm>

#include "bits/popcount.hpp"

namespace fastid {

std::array<std::uint32_t, kLanes> called_in_block(const BlocksView& blocks, std::uint64_t block) {
  std::array<std::uint32_t, kLanes> called{};
  const std::uint64_t first = block * kLanes;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, blocks.shape.n_profiles - first));
  if (blocks.second == nullptr) {
    std::fill_n(called.begin(), n, blocks.shape.n_sites);
    return called;
  }
  const Word either = blocks.shape.encoding == Encoding::kAlleles ? ~Word{0} : 0;
  const Word* bits = blocks.bits + block * blocks.shape.block_words();
  const Word* second = blocks.second + block * blocks.shape.block_words();
  for (std::size_t word = 0; word < blocks.shape.n_words(); ++word, bits += kLanes, second += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {  // of vectors, unlike std::popcount
      Word set = second[lane] | (bits[lane] & either);
      set -= set >> 1 & 0x55555555;
      set = (set & 0x33333333) + (set >> 2 & 0x33333333);
      called[lane] += ((set + (set >> 4)) & 0x0F0F0F0F) * 0x01010101 >> 24;
    }
  return called;
}

}  // namespace fastid
