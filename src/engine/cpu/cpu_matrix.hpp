/// \file
/// The native engine's step for many queries where the CPU multiplies matrices of bytes (AMX-INT8): a product
/// takes 16 queries, 16 profiles and 64 sites in one instruction, 3 times as many as the same core counts
/// bit by bit in that time.
///
/// The queries' side are signed bytes, made once (matrix_queries.hpp); the profiles' side are their bits as
/// bytes of 0 and 1, made on the way by the first group of queries that needs them, and read by all others:
///
///   queries    [product][query of the group]: 64 sites, one byte each
///   profiles   [product][half of the block]: 16 rows of 4 sites of each of 16 profiles; row r of a word has
///              its bits r, r + 8, r + 16 and r + 24, one instruction for all
///   sums       [query of the group][profile of the block]: exact
///
/// Four sums of 16 x 16 pairs stay in tile registers, two tiles of queries by two halves of a block. Profiles
/// stay in L1 and queries stream past them from L2. What else there is to do, making the next products'
/// profiles and testing the sums made before, is done a piece between products: such an instruction is many
/// cycles long, and the CPU does not look far enough ahead to fill them by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bits/blocks.hpp"

namespace fastid {

inline constexpr std::size_t kMatrixGroup = 32;  ///< most queries of a group: two tiles
inline constexpr std::size_t kProductWords = 2;  ///< words of a plane that a product takes
inline constexpr std::size_t kProductSites = kProductWords * kWordBits;
inline constexpr std::size_t kProductProfileBytes = kLanes * kProductSites;
inline constexpr std::size_t kMatrixSums = kMatrixGroup * kLanes;

/// What cpu_engine_targets() call the best instruction set with a matrix unit beside it.
inline constexpr std::string_view kMatrixTarget = "AMX";

/// Whether the CPU has the instructions and the system lets programs use them. Asks the system once.
bool has_matrix_unit();

/// Sets up this thread's tile registers for groups of `n` queries, an even number, and lets go of them in the
/// end: the system need not save them any more. Where has_matrix_unit().
class MatrixTiles {
 public:
  explicit MatrixTiles(std::size_t n);
  ~MatrixTiles();
  MatrixTiles(const MatrixTiles&) = delete;
  MatrixTiles& operator=(const MatrixTiles&) = delete;
};

/// How a group's sums are tested: a pair may pass where sum < limit and, if weighed, where
/// sum < ratio * the profile's weight + 1.
struct MatrixLimits {
  alignas(64) std::array<std::int32_t, kMatrixGroup> limit{};
  alignas(64) std::array<float, kMatrixGroup> most{};  ///< limit
  alignas(64) std::array<float, kMatrixGroup> ratio{};
};

/// The sums of a group and a block, to be tested. All pointers are 64-byte aligned.
struct MatrixTest {
  const std::int32_t* sums = nullptr;  ///< null: none
  const MatrixLimits* limits = nullptr;
  const std::uint32_t* weights = nullptr;  ///< of the block's profiles; null: only limits count
  std::size_t n_queries = 0;
};

/// Where the bytes of profiles come from: a block's words of either plane, from the first that is to be
/// multiplied to the panel's last. All pointers are 64-byte aligned.
struct MatrixSource {
  const Word* bits = nullptr;    ///< null: they have been made
  const Word* called = nullptr;  ///< null where the case does not read it; else planes alternate
  std::size_t n_words = 0;
  std::uint32_t* weights = nullptr;  ///< of the block's profiles, counted on the way: their calls, where they
                                     ///< are read, else their bits. null: not asked for
  bool begin = true;                 ///< weights begin, else they go on
};

/// A run of products of a group with a block. All pointers are 64-byte aligned.
struct MatrixRun {
  const std::int8_t* queries = nullptr;
  std::uint8_t* profiles = nullptr;  ///< written where there is a source, else read
  bool keep = true;                  ///< profiles, for other groups
  std::size_t n_products = 0;
  std::size_t n_queries = 0;     ///< of the group, as the tiles were set up
  std::int32_t* sums = nullptr;  ///< n_queries * kLanes
  bool begin = true;             ///< sums begin, else they go on
};

/// Multiplies, and tests other sums meanwhile: false where none of them may pass.
bool multiply(const MatrixRun& run, const MatrixSource& source, const MatrixTest& test);

/// Tests alone.
bool may_pass(const MatrixTest& test);

/// What the unit does at best: products of nothing but registers, `rounds` times some. Gives the number of
/// bits compared. Where has_matrix_unit().
double multiply_registers(std::uint64_t rounds);

/// A pair that may pass.
struct MatrixHit {
  std::uint16_t profile = 0;  ///< of the block
  std::uint16_t query = 0;    ///< of the group
  std::int32_t sum = 0;
};

/// Writes the pairs that may pass, at most kMatrixSums, and returns their number.
std::size_t list_hits(const MatrixTest& test, MatrixHit* hits);

}  // namespace fastid
