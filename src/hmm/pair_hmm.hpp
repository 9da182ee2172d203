/// \file
/// The pair hidden Markov model: how probable a read is, given the haplotype that it was read from.
///
/// States match, insertion and deletion; rows i = 1..R are the read's bases, columns j = 1..H the
/// haplotype's. With eps = 10^(-Q/10) of a base quality Q (below 6 taken as 6), and the qualities of a row
///
///   mi = 10^(-insertion/10), md = 10^(-deletion/10), ii = 10^(-continuation/10), im = 1 - ii,
///   mm = 1 - min(1, mi + md)
///
///   M[i][j] = p (M[i-1][j-1] mm + (I[i-1][j-1] + D[i-1][j-1]) im)   p = 1 - eps where the bases are equal or
///   I[i][j] = M[i-1][j] mi + I[i-1][j] ii                              one of them is N, else eps / 3
///   D[i][j] = M[i][j-1] md + D[i][j-1] ii
///
/// from M[0] = I[0] = 0, D[0][j] = 1/H: the read may begin and end anywhere. Its likelihood is the sum over j
/// of M[R][j] + I[R][j].
///
/// Sources: R. Durbin et al., Biological Sequence Analysis, 1998, chapter 4, and GATK's PairHMM, whose test
/// cases these formulas meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastid::hmm {

/// A row of a read, packed: bits 0..3 the base as a set of A, C, G, T (all four: N), then 7 bits each of the
/// qualities of base, insertion, deletion and continuation. Never 0.
using Row = std::uint32_t;
inline constexpr std::uint32_t kBaseBits = 4, kQualityBits = 7;
inline constexpr std::uint32_t kMostQuality = (1U << kQualityBits) - 1;
inline constexpr std::uint8_t kAnyBase = 15;
inline constexpr std::uint32_t kLeastBaseQuality = 6;

/// Most rows of a read, and most columns of a haplotype.
inline constexpr std::size_t kLongest = 1 << 16;

/// 1, 2, 4, 8 for A, C, G, T (either case), 15 for N; 0 for anything else.
std::uint8_t base_set(char letter);

/// The qualities of a base.
struct Qualities {
  std::uint8_t base = 0, insertion = 0, deletion = 0, continuation = 0;  ///< each at most kMostQuality
};
/// \param base  base_set(), not 0
Row pack(std::uint8_t base, const Qualities& qualities);

/// The k-th quality of a row: base, insertion, deletion, continuation.
constexpr std::uint32_t quality_of(Row row, unsigned k) {
  return row >> (kBaseBits + k * kQualityBits) & kMostQuality;
}

/// A read and a haplotype, by their places.
struct Pair {
  std::uint32_t read = 0, haplotype = 0;
};

/// Most pairs that are taken together.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 30;

/// Numbers that sort pairs by rows, then by columns, then by place.
using LengthKey = std::uint64_t;
inline constexpr unsigned kPlaceBits = 30, kLengthBits = 17;
static_assert(kLongest < std::size_t{1} << kLengthBits && kMostPairs == std::size_t{1} << kPlaceBits);
constexpr LengthKey length_key(std::size_t rows, std::size_t columns, std::size_t place) {
  return (LengthKey{rows} << kLengthBits | columns) << kPlaceBits | place;
}
constexpr std::size_t rows_of(LengthKey key) {
  return key >> (kLengthBits + kPlaceBits);
}
/// The places of keys, in their order, which are sorted if they are not.
std::vector<std::uint32_t> sorted_places(std::vector<LengthKey>& keys);

/// Reads, haplotypes, and which of them are paired. Each sequence has 1 to kLongest elements.
class Pairs {
 public:
  std::uint32_t add_read(std::span<const Row> rows);
  /// \param bases  base_set() of each
  std::uint32_t add_haplotype(std::span<const std::uint8_t> bases);
  /// \throws Failure where there are kMostPairs
  void add_pair(Pair pair);
  void clear();

  std::span<const Pair> pairs() const { return pairs_; }
  std::span<const Row> read(std::uint32_t i) const { return reads_.of(i); }
  std::span<const std::uint8_t> haplotype(std::uint32_t i) const { return haplotypes_.of(i); }
  /// False where a row's mi + md leaves nothing, or next to nothing, for mm: only the reference takes such a
  /// read, since the others divide by mm.
  bool divisible(std::uint32_t read) const { return divisible_[read]; }

  /// All rows and all bases, one sequence after the other, and where each begins (one more: the end).
  std::span<const Row> rows() const { return reads_.all; }
  std::span<const std::uint8_t> bases() const { return haplotypes_.all; }
  std::span<const std::uint32_t> read_starts() const { return reads_.starts; }
  std::span<const std::uint32_t> haplotype_starts() const { return haplotypes_.starts; }
  /// Cells of a pair's table: rows times columns.
  std::uint64_t cells_of(Pair pair) const {
    return std::uint64_t{read(pair.read).size()} * haplotype(pair.haplotype).size();
  }
  /// Those of all pairs.
  std::uint64_t cells() const { return cells_; }

 private:
  template <class T>
  struct Sequences {
    std::vector<T> all;
    std::vector<std::uint32_t> starts = {0};

    std::uint32_t add(std::span<const T> one);
    std::span<const T> of(std::uint32_t i) const {
      return std::span(all).subspan(starts[i], starts[i + 1] - starts[i]);
    }
  };

  Sequences<Row> reads_;
  Sequences<std::uint8_t> haplotypes_;
  std::vector<bool> divisible_;
  std::vector<Pair> pairs_;
  std::uint64_t cells_ = 0;
};

/// 10^(-q/10) of each quality q.
const std::array<double, kMostQuality + 1>& error_rates();

/// log10 of a read's likelihood, by the formulas above in double; rows are scaled, so that nothing is lost
/// below the smallest double. Minus infinity where the read is impossible.
double log10_likelihood(std::span<const Row> read, std::span<const std::uint8_t> haplotype);

/// What computes likelihoods. All engines give log10 of the same to 1e-5.
class LikelihoodEngine {
 public:
  virtual ~LikelihoodEngine() = default;
  /// For a person: "pair-HMM on the CPU, AVX3_DL, 2 threads".
  virtual std::string description() const = 0;
  /// log10 of each pair's likelihood. \throws Interrupted, DeviceError
  virtual std::vector<double> log10_likelihoods(const Pairs& pairs) = 0;
  /// How many pairs of the last call were computed again in double.
  virtual std::uint64_t rescued() const { return 0; }
};

/// log10_likelihood() of each pair, on one thread.
std::unique_ptr<LikelihoodEngine> make_reference_engine();

/// The native engine: float, and again in double where float has too few bits, in vectors of pairs of like
/// length. \param threads  0: as many as the process may use
std::unique_ptr<LikelihoodEngine> make_cpu_engine(std::size_t threads);
/// The same with the instruction set of that name; null where the CPU or the program lacks it.
std::unique_ptr<LikelihoodEngine> make_cpu_engine_for(const std::string& target, std::size_t threads);

/// All of `engines`, at least one, as one: each takes the next piece of the pairs when it has done one.
std::unique_ptr<LikelihoodEngine> make_joint_engine(std::vector<std::unique_ptr<LikelihoodEngine>> engines);

}  // namespace fastid::hmm
