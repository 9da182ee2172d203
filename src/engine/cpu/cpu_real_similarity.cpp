// Products of minima on the CPU: squares of blocks, whose sums stay in L2, along pieces of their elements, of
// which a block of columns stays in L1 while blocks of rows pass.
#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/cpu/min_plus.hpp"
#include "engine/real_similarity.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kPieceBytes = 8192;  // of a block: two, and some sums, stay in an L1 of 32 KiB
constexpr std::uint32_t kSquare = 8;       // blocks: 256 vectors

/// Numbers of a thread, kept from call to call, aligned for vectors.
template <class T>
T* scratch(WordBuffer& memory, std::size_t n) {
  const std::size_t words = n * (sizeof(T) / sizeof(Word));
  if (memory.size() < words) memory = WordBuffer(words);
  return reinterpret_cast<T*>(memory.data());
}

/// Blocks of rows and of columns whose products are computed together, one square after the other.
struct Square {
  std::size_t row_begin, row_end, column_begin, column_end;

  std::size_t rows() const { return row_end - row_begin; }
  std::size_t stride() const { return (column_end - column_begin) * kLanes; }
};

/// Which pairs are wanted.
enum class Wanted : std::uint8_t { kAll, kBelowDiagonal };

template <class T>
class CpuRealSimilarity final : public SimilarityEngine {
 public:
  CpuRealSimilarity(const RealMatrix& matrix, const MinPlusKernel<T>& kernel)
      : matrix_(matrix), kernel_(kernel) {}

  std::uint32_t n_vectors() const override { return matrix_.n_rows(); }
  std::span<const double> sums() const override { return matrix_.sums(); }
  std::uint32_t rectangle_side() const override { return kSquare * kLanes; }

  std::uint32_t least_side() const override { return rectangle_side(); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    compute(pivot, pairs, Wanted::kAll, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                      std::span<double> out) const override {
    compute(pivot, pairs, Wanted::kBelowDiagonal, out);
  }

 private:
  static constexpr std::size_t kPiece = kPieceBytes / (kLanes * sizeof(T));  // elements

  void compute(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Wanted wanted,
               std::span<double> out) const {
    const std::size_t row_blocks = ceil_div<std::size_t>(pairs.row_end, kLanes),
                      column_blocks = ceil_div<std::size_t>(pairs.column_end, kLanes);
    for (std::size_t row = pairs.row_begin / kLanes; row < row_blocks; row += kSquare)
      for (std::size_t column = pairs.column_begin / kLanes; column < column_blocks; column += kSquare) {
        const Square square{row, std::min(row + kSquare, row_blocks), column,
                            std::min(column + kSquare, column_blocks)};
        store(square, add_up(pivot, square, wanted), pairs, out);
      }
  }

  /// The sums of a square, [row][column].
  const T* add_up(std::optional<std::uint32_t> pivot, const Square& square, Wanted wanted) const {
    thread_local WordBuffer sum_memory, cut_memory;
    const std::size_t n = square.rows() * kLanes * square.stride();
    T* const sums = scratch<T>(sum_memory, n);
    std::fill_n(sums, n, T{0});
    T* const cut = scratch<T>(cut_memory, kSquare * kPiece * kLanes);
    for (std::size_t q = 0; q < matrix_.n_columns(); q += kPiece) {
      const std::size_t piece = std::min(kPiece, matrix_.n_columns() - q);
      if (pivot) cut_rows(*pivot, square, q, piece, cut);
      for (std::size_t column = square.column_begin; column < square.column_end; ++column)
        for (std::size_t i = 0; i < square.rows(); ++i) {
          if (wanted == Wanted::kBelowDiagonal && column > square.row_begin + i) continue;  // sums stay 0
          const T* const rows =
              pivot ? cut + i * kPiece * kLanes : matrix_.block<T>(square.row_begin + i) + q * kLanes;
          kernel_.add(rows, matrix_.block<T>(column) + q * kLanes, piece,
                      sums + i * kLanes * square.stride() + (column - square.column_begin) * kLanes,
                      square.stride());
        }
    }
    return sums;
  }

  void cut_rows(std::uint32_t pivot, const Square& square, std::size_t q, std::size_t piece, T* cut) const {
    const T* const least = matrix_.block<T>(pivot / kLanes) + q * kLanes + pivot % kLanes;
    for (std::size_t i = 0; i < square.rows(); ++i)
      kernel_.cut(matrix_.block<T>(square.row_begin + i) + q * kLanes, least, piece,
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

  const RealMatrix& matrix_;
  MinPlusKernel<T> kernel_;
};

/// The definition as an engine.
class ReferenceRealSimilarity final : public SimilarityEngine {
 public:
  explicit ReferenceRealSimilarity(const RealMatrix& matrix) : matrix_(matrix) {}

  std::uint32_t n_vectors() const override { return matrix_.n_rows(); }
  std::span<const double> sums() const override { return matrix_.sums(); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    std::size_t at = 0;
    for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row)
      for (std::uint32_t column = pairs.column_begin; column < pairs.column_end; ++column)
        out[at++] = pivot ? sum_of_minima(matrix_, *pivot, row, column) : sum_of_minima(matrix_, row, column);
  }

 private:
  const RealMatrix& matrix_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_real_similarity_engine(const std::string& device,
                                                              const RealMatrix& matrix) {
  if (device == "reference") return std::make_unique<ReferenceRealSimilarity>(matrix);
  if (device != "cpu") return nullptr;
  return with_real(matrix.type(), [&](auto zero) -> std::unique_ptr<SimilarityEngine> {
    using T = decltype(zero);
    return std::make_unique<CpuRealSimilarity<T>>(matrix, min_plus_kernels().of<T>());
  });
}

}  // namespace fastid::engine
