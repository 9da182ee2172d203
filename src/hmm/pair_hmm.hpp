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

/// A read and a haplotype, by their indices.
struct Pair {
  std::uint32_t read = 0, haplotype = 0;
};

/// Neighbouring reads or haplotypes: [first, end).
struct IndexRange {
  std::uint32_t first = 0, end = 0;

  std::uint32_t size() const { return end - first; }
};

/// Most pairs that are taken together.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 30;

/// Numbers that sort reads or pairs by rows, then by columns, then by place.
using LengthKey = std::uint64_t;
inline constexpr unsigned kPlaceBits = 30, kLengthBits = 17;
static_assert(kLongest < std::size_t{1} << kLengthBits && kMostPairs == std::size_t{1} << kPlaceBits);
constexpr LengthKey length_key(std::size_t rows, std::size_t columns, std::size_t place) {
  return (LengthKey{rows} << kLengthBits | columns) << kPlaceBits | place;
}
constexpr std::size_t rows_of(LengthKey key) {
  return key >> (kLengthBits + kPlaceBits);
}
/// The places of keys, in the order of the keys, which are sorted. \param keys  in the order of their places
std::vector<std::uint32_t> sorted_places(std::vector<LengthKey>& keys);

/// Groups of reads and haplotypes: each read of a group is paired with each haplotype of it. Pairs are in the
/// order of their reads, and the pairs of a read are in the order of the haplotypes. Each sequence has 1 to
/// kLongest elements.
class Groups {
 public:
  void add_read(std::span<const Row> rows);
  /// \param bases  base_set() of each
  void add_haplotype(std::span<const std::uint8_t> bases);
  /// Makes a group of the reads and haplotypes added since the last group.
  /// \throws Failure where there are more than kMostPairs
  void end_group();
  void clear();

  /// The reads of all groups.
  IndexRange reads() const { return {0, static_cast<std::uint32_t>(first_haplotypes_.size())}; }
  std::span<const Row> read(std::uint32_t i) const { return reads_.of(i); }
  std::span<const std::uint8_t> haplotype(std::uint32_t i) const { return haplotypes_.of(i); }
  /// False where a row's mi + md leaves nothing, or next to nothing, for mm: only the reference engine
  /// computes such a read, since the others divide by mm.
  bool divisible(std::uint32_t read) const { return divisible_[read]; }

  /// The haplotypes that a read is paired with.
  IndexRange haplotypes_of(std::uint32_t read) const {
    const std::uint32_t first = first_haplotypes_[read];
    return {first, first + pair_starts_[read + 1] - pair_starts_[read]};
  }
  /// The first pair of each read (one more: the end).
  std::span<const std::uint32_t> pair_starts() const { return pair_starts_; }
  std::size_t n_pairs() const { return pair_starts_.back(); }
  /// The number of pairs of `reads`.
  std::size_t n_pairs(IndexRange reads) const { return pair_starts_[reads.end] - pair_starts_[reads.first]; }
  /// The part of `log10`, which has an entry for each pair of `reads`, that belongs to the reads `part`.
  std::span<double> part_of(std::span<double> log10, IndexRange reads, IndexRange part) const {
    return log10.subspan(n_pairs({reads.first, part.first}), n_pairs(part));
  }

  /// All rows and all bases, one sequence after the other, and where each begins (one more: the end).
  std::span<const Row> rows() const { return reads_.all; }
  std::span<const std::uint8_t> bases() const { return haplotypes_.all; }
  std::span<const std::uint32_t> read_starts() const { return reads_.starts; }
  std::span<const std::uint32_t> haplotype_starts() const { return haplotypes_.starts; }
  /// Cells of the tables of a read's pairs: rows times columns.
  std::uint64_t cells_of(std::uint32_t read) const;
  /// The cells of all groups, the unfinished one included.
  std::uint64_t cells() const;

 private:
  template <class T>
  struct Sequences {
    std::vector<T> all;
    std::vector<std::uint32_t> starts = {0};

    void add(std::span<const T> one);
    std::span<const T> of(std::uint32_t i) const {
      return std::span(all).subspan(starts[i], starts[i + 1] - starts[i]);
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(starts.size() - 1); }
  };

  Sequences<Row> reads_;
  Sequences<std::uint8_t> haplotypes_;
  std::vector<bool> divisible_;
  std::vector<std::uint32_t> first_haplotypes_;   ///< [read of a finished group]: its first haplotype
  std::vector<std::uint32_t> pair_starts_ = {0};  ///< [read of a finished group]: its first pair; and the end
  std::uint32_t open_haplotype_ = 0;              ///< the first haplotype of the unfinished group
  std::uint64_t cells_ = 0;                       ///< of all groups
};

/// The pairs of `reads`, in their order.
std::vector<Pair> pairs_of(const Groups& groups, IndexRange reads);

/// 10^(-q/10) of each quality q.
const std::array<double, kMostQuality + 1>& error_rates();

/// log10 of a read's likelihood, by the formulas above in double; rows are scaled, so that nothing is lost
/// below the smallest double. Minus infinity where the read is impossible.
double log10_likelihood(std::span<const Row> read, std::span<const std::uint8_t> haplotype);

/// Computes likelihoods. The log10 of all engines agree to 1e-5.
class LikelihoodEngine {
 public:
  virtual ~LikelihoodEngine() = default;
  /// A text for people: "pair-HMM on the CPU, AVX3_DL, 2 threads".
  virtual std::string description() const = 0;
  /// Sets log10 of the likelihood of each pair of `reads`.
  /// \param log10  one for each pair. \throws Interrupted, DeviceError
  virtual void compute(const Groups& groups, IndexRange reads, std::span<double> log10) = 0;
  /// log10 of the likelihoods of all pairs of all groups.
  std::vector<double> log10_likelihoods(const Groups& groups);
  /// The number of pairs that the last call computed again in double.
  virtual std::uint64_t rescued() const { return 0; }
};

/// log10_likelihood() of each pair, on one thread.
std::unique_ptr<LikelihoodEngine> make_reference_engine();

/// The number format: float, and again double where float has too few bits; or double for all pairs.
enum class Precision { kMixed, kDouble };

/// The CPU engine, which computes vectors of pairs of similar length. \param threads  0: as many as the
/// process may use
std::unique_ptr<LikelihoodEngine> make_cpu_engine(std::size_t threads,
                                                  Precision precision = Precision::kMixed);
/// The CPU engine with the instruction set of this name; null where the CPU or the program lacks it.
std::unique_ptr<LikelihoodEngine> make_cpu_engine_for(const std::string& target, std::size_t threads);

/// All of `engines`, at least one, as one engine: each takes the next piece of the reads when it has finished
/// one.
std::unique_ptr<LikelihoodEngine> make_joint_engine(std::vector<std::unique_ptr<LikelihoodEngine>> engines);

}  // namespace fastid::hmm
