/// \file
/// Vectors as engines multiply them (similarity.hpp): of words of bits, which lie as profiles do
/// (bits/blocks.hpp), or of numbers (real_matrix.hpp). Both lie in blocks of 32, [element][vector].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/real_matrix.hpp"

namespace fastid::engine {

/// Either kind is given as it is; its owner must outlive this.
struct VectorBlocks {
  // NOLINTNEXTLINE(google-explicit-constructor)
  VectorBlocks(const BlocksView& bits);  ///< whose second plane is not read
  // NOLINTNEXTLINE(google-explicit-constructor)
  VectorBlocks(const RealMatrix& matrix);

  std::size_t block_bytes() const { return n_elements * kLanes * bytes_of_element(); }
  std::size_t bytes_of_element() const { return numbers ? bytes_of(*numbers) : sizeof(Word); }

  /// A block, [element][vector]; T must be the type of an element, Word of bits.
  template <class T>
  const T* block(std::size_t b) const {
    return static_cast<const T*>(blocks[b]);
  }
  template <class T>
  T at(std::size_t vector, std::size_t element) const {
    return block<T>(vector / kLanes)[element * kLanes + vector % kLanes];
  }

  std::optional<RealType> numbers;  ///< no value: elements are words of bits
  bool has_denormals = false;       ///< RealMatrix::has_denormals()
  std::uint32_t n;                  ///< vectors
  std::size_t n_elements;           ///< of a vector
  std::uint64_t n_bits;             ///< of a vector: its units, or those of its numbers
  std::vector<const void*> blocks;  ///< those of bits lie one behind the other
  std::vector<double> sums;         ///< of each vector's numbers, or bits
};

/// Calls work(float()), work(double()) or work(Word()).
template <class Work>
decltype(auto) with_element(const VectorBlocks& vectors, const Work& work) {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): what work() returns owns it
  return vectors.numbers ? with_real(*vectors.numbers, work) : work(Word{});
}

/// Which vector of an engine is which plane of a profile, or of a row of numbers.
struct VectorPlanes {
  std::uint32_t n = 0;       ///< vectors that are compared
  std::uint32_t stride = 0;  ///< from a plane to the next one
  std::uint32_t first = 0;   ///< plane of values
  std::uint32_t n_values = 1;
  bool all_called = true;  ///< there is no plane of calls
  double units = 0;        ///< of which a vector has values: sites, people, columns

  std::uint32_t value(std::uint32_t plane, std::uint32_t vector) const {
    return (first + plane) * stride + vector;
  }
  std::uint32_t calls(std::uint32_t vector) const { return value(n_values, vector); }
};

/// A matrix's rows as vectors: one plane, every number there.
inline VectorPlanes planes_of(const RealMatrix& matrix) {
  return {.n = matrix.n_rows(), .stride = matrix.n_rows(), .units = static_cast<double>(matrix.n_columns())};
}

}  // namespace fastid::engine
