#include "engine/vector_blocks.hpp"

#include <algorithm>
#include <climits>

#include "base/checked.hpp"
#include "bits/popcount.hpp"

namespace fastid::engine {

VectorBlocks::VectorBlocks(const BlocksView& bits)
    : n(narrow<std::uint32_t>(bits.shape.n_profiles)),
      n_elements(bits.shape.n_words()),
      n_bits(bits.shape.n_sites),
      sums(n, 0) {
  for (std::uint32_t first = 0; first < n; first += kLanes) {
    const Word* word = bits.bits + first / kLanes * bits.shape.block_words();
    blocks.push_back(word);
    const std::size_t lanes = std::min<std::size_t>(kLanes, n - first);
    for (std::size_t element = 0; element < n_elements; ++element, word += kLanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[first + lane] += bits_set(word[lane]);
  }
}

VectorBlocks::VectorBlocks(const RealMatrix& matrix)
    : numbers(matrix.type()),
      has_denormals(matrix.has_denormals()),
      n(matrix.n_rows()),
      n_elements(matrix.n_columns()),
      n_bits(std::uint64_t{n_elements} * bytes_of_element() * CHAR_BIT),
      sums(matrix.sums().begin(), matrix.sums().end()) {
  for (std::size_t block = 0; block < matrix.n_blocks(); ++block)
    blocks.push_back(with_real(
        matrix.type(), [&](auto zero) -> const void* { return matrix.block<decltype(zero)>(block); }));
}

}  // namespace fastid::engine
