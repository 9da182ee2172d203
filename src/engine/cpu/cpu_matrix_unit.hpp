/// \file
/// The unit that multiplies matrices of bytes (AMX-INT8) for cpu_matrix.hpp, and the same in plain C++. Both
/// write the same bytes and sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bits/blocks.hpp"
#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu_engine.hpp"

namespace fastid::engine {

inline constexpr std::size_t kMatrixGroup = 32;   ///< queries that are multiplied together
inline constexpr std::size_t kProductSites = 64;  ///< sites of a product
inline constexpr std::size_t kProductBytes = kMatrixGroup * kProductSites;  ///< of either side

/// What the bytes of stored profiles are: their bits; minor copies less 1; or, in turns, whether these are -1
/// and whether they are 1.
enum class StoredBytes { kBits, kCopies, kEither };
/// Products that 64 sites take.
constexpr std::size_t products_of(StoredBytes bytes) {
  return bytes == StoredBytes::kEither ? 2 : 1;
}

/// A block's words, from product `first` on, and what is learnt of a block's 32 profiles.
struct MatrixSource {
  const Word *minor, *major;  ///< major: not read for bits
  std::size_t n_words, first;
  std::uint32_t* denominators;  ///< null: not wanted, which only bits allow
  std::uint32_t* not_called;    ///< of bits not written: no call is missing
  Word last_sites;              ///< the sites of the last word
  bool of_both;  ///< denominators are of sites with both alleles; else of called ones, or of bits
};

/// A group's queries, and the bytes of profiles: all if they are kept for further groups.
struct MatrixRun {
  const std::int8_t* queries;
  std::uint8_t* profiles;
  bool keep;
  std::size_t n;  ///< products
  std::int32_t* sums;
  bool begin;  ///< else sums go on
};

/// Complete sums of a group with a block.
struct MatrixTest {
  const std::int32_t *sums, *constants;
  const GroupThresholds* thresholds;
  const std::uint32_t* denominators;
  bool adds_homozygous;  ///< a count has 1 for each site that is not in the denominator
  std::uint32_t n_sites;
};

/// What a unit does, on one thread. Pointers are 64-byte aligned.
struct MatrixKernels {
  void (*set_up)();  ///< for this thread, until release()
  void (*release)();
  std::array<bool (*)(const MatrixRun&, const MatrixSource&, const MatrixTest&, bool makes, bool tests), 3>
      multiply;  ///< by StoredBytes. Returns whether a pair of `test` may pass, where it tests
  std::uint32_t (*queries_that_may_pass)(const MatrixTest&);  ///< bit i: query i of the group
};

/// The AMX kernels; the plain ones where is_plain().
const MatrixKernels& matrix_kernels(Multiply multiply);

}  // namespace fastid::engine
