// Products of vectors on the CPU: squares of blocks, whose sums stay in L2, along pieces of their elements,
// of which a block of columns stays in L1 while blocks of rows pass.
#include "engine/cpu/cpu_similarity.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "base/checked.hpp"
#include "engine/cpu/min_plus.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kPieceBytes = 8192;  // of a block: two, and some sums, stay in an L1 of 32 KiB
constexpr std::uint32_t kSquare = 8;       // blocks: 256 vectors

/// Numbers of a thread, kept from call to call, aligned for vectors.
template <class T>
T* scratch(WordBuffer& memory, std::size_t n) {
  const std::size_t words = n * sizeof(T) / sizeof(Word);
  if (memory.size() < words) memory = WordBuffer(words);
  return reinterpret_cast<T*>(memory.data());
}

/// Blocks of rows and of columns whose products are computed together, one square after the other.
struct Square {
  std::size_t row_begin, row_end, column_begin, column_end;

  std::size_t rows() const { return row_end - row_begin; }
  std::size_t stride() const { return (column_end - column_begin) * kLanes; }
};

template <class T>
class CpuSimilarity final : public SimilarityEngine {
 public:
  CpuSimilarity(const VectorBlocks& vectors, const MinPlusKernel<T>& kernel)
      : vectors_(vectors), kernel_(kernel) {}

  std::uint32_t n_vectors() const override { return vectors_.n; }
  std::span<const double> sums() const override { return vectors_.sums; }
  std::uint32_t rectangle_side() const override { return kSquare * kLanes; }
  std::uint32_t least_side() const override { return rectangle_side(); }

  /// Of bits: what the kernel does with a word of a row of 32 vectors.
  KernelStep step() const override {
    return std::is_same_v<T, Word> ? kernel_step({8, 1}, {kLanes, 1}, 1) : KernelStep{};
  }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Wanted wanted,
                std::span<double> out) const override {
    const std::size_t row_blocks = ceil_div<std::size_t>(pairs.row_end, kLanes),
                      column_blocks = ceil_div<std::size_t>(pairs.column_end, kLanes);
    for (std::size_t row = pairs.row_begin / kLanes; row < row_blocks; row += kSquare)
      for (std::size_t column = pairs.column_begin / kLanes; column < column_blocks; column += kSquare) {
        const Square square{row, std::min(row + kSquare, row_blocks), column,
                            std::min(column + kSquare, column_blocks)};
        store(square, add_up(pivot, pairs, square, wanted), pairs, out);
      }
  }

 private:
  static constexpr std::size_t kPiece = kPieceBytes / (kLanes * sizeof(T));  // elements

  /// The sums of a square, [row][column], at least of its pairs that are of the rectangle.
  const T* add_up(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const Square& square,
                  Wanted wanted) const {
    thread_local WordBuffer sum_memory, cut_memory;
    const std::size_t n = square.rows() * kLanes * square.stride();
    T* const sums = scratch<T>(sum_memory, n);
    std::fill_n(sums, n, T{0});
    T* const cut = scratch<T>(cut_memory, kSquare * kPiece * kLanes);
    for (std::size_t q = 0; q < vectors_.n_elements; q += kPiece) {
      const std::size_t piece = std::min(kPiece, vectors_.n_elements - q);
      if (pivot) cut_rows(*pivot, square, q, piece, cut);
      for (std::size_t column = square.column_begin; column < square.column_end; ++column)
        for (std::size_t i = 0; i < square.rows(); ++i) {
          if (wanted == Wanted::kBelowDiagonal && column > square.row_begin + i) continue;  // sums stay 0
          const std::size_t block = square.row_begin + i, first = block * kLanes;
          const T* const rows = pivot ? cut + i * kPiece * kLanes : vectors_.block<T>(block) + q * kLanes;
          kernel_.add(rows, vectors_.block<T>(column) + q * kLanes, piece,
                      std::max<std::size_t>(first, pairs.row_begin) - first,
                      std::min<std::size_t>(first + kLanes, pairs.row_end) - first,
                      sums + i * kLanes * square.stride() + (column - square.column_begin) * kLanes,
                      square.stride());
        }
    }
    return sums;
  }

  void cut_rows(std::uint32_t pivot, const Square& square, std::size_t q, std::size_t piece, T* cut) const {
    const T* const least = vectors_.block<T>(pivot / kLanes) + q * kLanes + pivot % kLanes;
    for (std::size_t i = 0; i < square.rows(); ++i)
      kernel_.cut(vectors_.block<T>(square.row_begin + i) + q * kLanes, least, piece,
                  cut + i * kPiece * kLanes);
  }

  /// The part of a square that is of the rectangle.
  static void store(const Square& square, const T* sums, const Rectangle& pairs, std::span<double> out) {
    const std::size_t first_row = square.row_begin * kLanes, first_column = square.column_begin * kLanes;
    const std::size_t row_end = std::min<std::size_t>(square.row_end * kLanes, pairs.row_end),
                      column_begin = std::max<std::size_t>(first_column, pairs.column_begin),
                      column_end = std::min<std::size_t>(square.column_end * kLanes, pairs.column_end);
    for (std::size_t row = std::max<std::size_t>(first_row, pairs.row_begin); row < row_end; ++row)
      std::copy_n(sums + (row - first_row) * square.stride() + column_begin - first_column,
                  column_end - column_begin,
                  out.data() + (row - pairs.row_begin) * pairs.columns() + column_begin - pairs.column_begin);
  }

  VectorBlocks vectors_;
  MinPlusKernel<T> kernel_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_cpu_similarity(const VectorBlocks& vectors) {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the caller owns it
  return with_element(vectors, [&](auto zero) -> std::unique_ptr<SimilarityEngine> {
    using T = decltype(zero);
    return std::make_unique<CpuSimilarity<T>>(vectors, std::get<MinPlusKernel<T>>(min_plus_kernels()));
  });
}

}  // namespace fastid::engine
