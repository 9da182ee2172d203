#include "engine/vector_blocks.hpp"

#include "base/checked.hpp"
#include "bits/popcount.hpp"

namespace fastid::engine {

VectorBlocks::VectorBlocks(const BlocksView& bits)
    : n(narrow<std::uint32_t>(bits.shape.n_profiles)), n_elements(bits.shape.n_words()), sums(n, 0) {
  for (std::uint64_t block = 0; block < bits.shape.n_blocks(); ++block)
    blocks.push_back(bits.bits + block * bits.shape.block_words());
  for (std::uint32_t vector = 0; vector < n; ++vector)
    for (std::size_t word = 0; word < n_elements; ++word) sums[vector] += bits_set(at<Word>(vector, word));
}

VectorBlocks::VectorBlocks(const RealMatrix& matrix)
    : numbers(matrix.type()),
      has_denormals(matrix.has_denormals()),
      n(matrix.n_rows()),
      n_elements(matrix.n_columns()),
      sums(matrix.sums().begin(), matrix.sums().end()) {
  for (std::size_t block = 0; block < matrix.n_blocks(); ++block)
    blocks.push_back(with_real(
        matrix.type(), [&](auto zero) -> const void* { return matrix.block<decltype(zero)>(block); }));
}

}  // namespace fastid::engine
