// Products of vectors of bits on the CPU, by the kernel that counts pairs of sites (cpu_ld.hpp): a product
// is what haplotypes have in common. With a pivot the rows are those of AND with it.
//
//   a piece of kPieceWords words:   groups of 8 rows, packed, in L1   x   a block of 32 columns, from L2
#include "engine/cpu/cpu_similarity.hpp"

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/cpu/cpu_ld.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kPieceWords = 192;  // 24 KiB of a block

class CpuSimilarity final : public SimilarityEngine {
 public:
  explicit CpuSimilarity(const BlocksView& vectors)
      : vectors_(vectors), kernel_(ld_kernel(LdUnit::kHaplotypes, true)), sums_(bits_of_vectors(vectors)) {}

  std::uint32_t n_vectors() const override { return static_cast<std::uint32_t>(sums_.size()); }
  std::span<const double> sums() const override { return sums_; }

  std::uint32_t least_side() const override { return rectangle_side(); }
  KernelStep step() const override { return kernel_step({kMostSites, 1}, {kLanes, 1}, 1); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    compute(pivot, pairs, pairs.column_end, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                      std::span<double> out) const override {
    compute(pivot, pairs, 0, out);
  }

 private:
  /// A piece of the rows, in groups: [group][word][row].
  struct Packed {
    std::size_t first, groups;
    std::vector<Word> words;

    explicit Packed(const Rectangle& pairs)
        : first(pairs.row_begin / kMostSites * kMostSites),
          groups(ceil_div<std::size_t>(pairs.row_end - first, kMostSites)),
          words(groups * kMostSites * kPieceWords) {}
  };
  static_assert(kLanes % kMostSites == 0);

  /// Of each row at least the columns below `all_below` and below the row itself.
  void compute(std::optional<std::uint32_t> pivot, const Rectangle& pairs, std::size_t all_below,
               std::span<double> out) const {
    std::ranges::fill(out, 0);
    Packed rows(pairs);
    BlockSums sums{};
    for (std::size_t word = 0; word < vectors_.shape.n_words(); word += kPieceWords) {
      const std::size_t n = std::min(kPieceWords, vectors_.shape.n_words() - word);
      pack(pivot, word, n, rows);
      for (std::size_t block = pairs.column_begin / kLanes;
           block < ceil_div<std::size_t>(pairs.column_end, kLanes); ++block)
        for (std::size_t group = 0; group < rows.groups; ++group) {
          const std::size_t first = rows.first + group * kMostSites;
          if (block * kLanes >= std::max(all_below, first + kMostSites)) continue;
          const Word* const columns = words_of(block, word);
          kernel_.count(columns, columns, n, {.words = rows.words.data() + group * n * kMostSites}, sums);
          add(pairs, first, block, sums, out);
        }
    }
  }

  const Word* words_of(std::size_t block, std::size_t word) const {
    return vectors_.bits + block * vectors_.shape.block_words() + word * kLanes;
  }

  void pack(std::optional<std::uint32_t> pivot, std::size_t word, std::size_t n, Packed& rows) const {
    for (std::size_t group = 0; group < rows.groups; ++group) {
      const std::size_t row = rows.first + group * kMostSites;
      const Word* from = words_of(row / kLanes, word) + row % kLanes;
      Word* to = rows.words.data() + group * n * kMostSites;
      for (std::size_t w = 0; w < n; ++w, from += kLanes, to += kMostSites) {
        const Word mask = pivot ? vectors_.bits_word(*pivot, word + w) : ~Word{0};
        for (std::size_t i = 0; i < kMostSites; ++i) to[i] = from[i] & mask;
      }
    }
  }

  // The part of a group and a block that is of the rectangle.
  static void add(const Rectangle& pairs, std::size_t first_row, std::size_t block, const BlockSums& sums,
                  std::span<double> out) {
    const std::size_t first_column = block * kLanes;
    const std::size_t row_end = std::min<std::size_t>(first_row + kMostSites, pairs.row_end);
    const std::size_t begin = std::max<std::size_t>(first_column, pairs.column_begin);
    const std::size_t end = std::min<std::size_t>(first_column + kLanes, pairs.column_end);
    for (std::size_t row = std::max<std::size_t>(first_row, pairs.row_begin); row < row_end; ++row) {
      double* const to = out.data() + (row - pairs.row_begin) * pairs.columns() - pairs.column_begin;
      for (std::size_t column = begin; column < end; ++column)
        to[column] += static_cast<std::int32_t>(sums[row - first_row][0][column - first_column]);
    }
  }

  BlocksView vectors_;
  LdKernel kernel_;
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_cpu_similarity(const BlocksView& vectors) {
  return std::make_unique<CpuSimilarity>(vectors);
}

}  // namespace fastid::engine
