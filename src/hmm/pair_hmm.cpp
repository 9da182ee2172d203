#include "hmm/pair_hmm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid::hmm {
namespace {

constexpr double kLeastStay = 1.0 / 1024;  // of mm, below which a read is not divisible()

/// The probabilities of one row.
struct Transitions {
  explicit Transitions(Row row)
      : error(error_rates()[std::max(quality_of(row, 0), kLeastBaseQuality)]),
        to_insertion(error_rates()[quality_of(row, 1)]),
        to_deletion(error_rates()[quality_of(row, 2)]),
        go_on(error_rates()[quality_of(row, 3)]) {}

  double stay() const { return 1 - std::min(1.0, to_insertion + to_deletion); }

  double error, to_insertion, to_deletion, go_on;
};

/// The states of a row of the table, and the power of two that they are scaled by.
class States {
 public:
  explicit States(std::size_t columns) : cells_(columns + 1) {
    for (Cell& cell : cells_) cell.deletion = 1.0 / static_cast<double>(columns);
  }

  void next_row(Row row, std::span<const std::uint8_t> haplotype) {
    const Transitions t(row);
    const double stay = t.stay(), back = 1 - t.go_on;
    Cell diagonal = cells_[0];
    cells_[0] = {};
    double largest = 0;
    for (std::size_t j = 1; j < cells_.size(); ++j) {
      const Cell above = cells_[j], left = cells_[j - 1];
      const double p = (haplotype[j - 1] & row) != 0 ? 1 - t.error : t.error / 3;
      cells_[j] = {p * (diagonal.match * stay + (diagonal.insertion + diagonal.deletion) * back),
                   above.match * t.to_insertion + above.insertion * t.go_on,
                   left.match * t.to_deletion + left.deletion * t.go_on};
      diagonal = above;
      largest = std::max({largest, cells_[j].match, cells_[j].insertion, cells_[j].deletion});
    }
    if (largest < kSmall) scale_up();
  }

  double log10_sum() const {
    double sum = 0;
    for (const Cell& cell : cells_) sum += cell.match + cell.insertion;
    return std::log10(sum) - scaled_ * kScaleBits * std::log10(2.0);
  }

 private:
  struct Cell {
    double match = 0, insertion = 0, deletion = 0;
  };
  static constexpr int kScaleBits = 512;
  static constexpr double kSmall = 0x1p-256;

  void scale_up() {
    for (Cell& cell : cells_)
      for (double* state : {&cell.match, &cell.insertion, &cell.deletion})
        *state = std::ldexp(*state, kScaleBits);
    ++scaled_;
  }

  std::vector<Cell> cells_;
  int scaled_ = 0;
};

/// Sorts keys that are in the order of their places: by one digit of their lengths after the other, the last
/// one first.
void sort_by_counting(std::vector<LengthKey>& keys) {
  constexpr unsigned kDigitBits = 12;
  constexpr LengthKey kDigits = LengthKey{1} << kDigitBits;
  std::vector<LengthKey> sorted(keys.size());
  for (unsigned shift = kPlaceBits; shift < kPlaceBits + 2 * kLengthBits; shift += kDigitBits) {
    const auto digit = [shift](LengthKey key) { return key >> shift & (kDigits - 1); };
    std::array<std::uint32_t, kDigits> ends{};
    for (const LengthKey key : keys) ++ends[digit(key)];
    if (ends[digit(keys.front())] == keys.size()) continue;  // they all have this one
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::uint32_t{0});
    for (const LengthKey key : keys) sorted[ends[digit(key)]++] = key;
    keys.swap(sorted);
  }
}

class ReferenceEngine final : public LikelihoodEngine {
 public:
  std::string description() const override { return "pair-HMM by definition, double, 1 thread"; }

  void compute(const Groups& groups, IndexRange reads, std::span<double> log10) override {
    std::size_t at = 0;
    for (const Pair pair : pairs_of(groups, reads)) {
      check_interrupt();
      log10[at++] = log10_likelihood(groups.read(pair.read), groups.haplotype(pair.haplotype));
    }
  }
};

}  // namespace

std::uint8_t base_set(char letter) {
  switch (letter) {
    case 'A':
    case 'a':
      return 1;
    case 'C':
    case 'c':
      return 2;
    case 'G':
    case 'g':
      return 4;
    case 'T':
    case 't':
      return 8;
    case 'N':
    case 'n':
      return kAnyBase;
    default:
      return 0;
  }
}

Row pack(std::uint8_t base, const Qualities& qualities) {
  Row row = base;
  unsigned shift = kBaseBits;
  for (const std::uint8_t quality :
       {qualities.base, qualities.insertion, qualities.deletion, qualities.continuation}) {
    row |= Row{quality} << shift;
    shift += kQualityBits;
  }
  return row;
}

std::vector<std::uint32_t> sorted_places(std::vector<LengthKey>& keys) {
  constexpr std::size_t kFew = 2048;  // are sorted before digits are counted
  if (keys.size() < kFew)
    std::ranges::sort(keys);
  else if (!std::ranges::is_sorted(keys))
    sort_by_counting(keys);
  std::vector<std::uint32_t> places(keys.size());
  std::ranges::transform(keys, places.begin(),
                         [](LengthKey key) { return static_cast<std::uint32_t>(key % kMostPairs); });
  return places;
}

template <class T>
void Groups::Sequences<T>::add(std::span<const T> one) {
  all.insert(all.end(), one.begin(), one.end());
  starts.push_back(narrow<std::uint32_t>(all.size()));
}

void Groups::add_read(std::span<const Row> rows) {
  divisible_.push_back(
      std::ranges::all_of(rows, [](Row row) { return Transitions(row).stay() >= kLeastStay; }));
  reads_.add(rows);
}

void Groups::add_haplotype(std::span<const std::uint8_t> bases) {
  haplotypes_.add(bases);
}

void Groups::end_group() {
  const std::uint64_t haplotypes = haplotypes_.size() - open_haplotype_;
  const std::uint64_t reads = reads_.size() - this->reads().end;
  if (n_pairs() + reads * haplotypes > kMostPairs)
    throw Failure("too many pairs of reads and haplotypes at once");
  cells_ = cells();
  first_haplotypes_.resize(reads_.size(), open_haplotype_);
  for (std::uint64_t i = 0; i < reads; ++i)
    pair_starts_.push_back(pair_starts_.back() + static_cast<std::uint32_t>(haplotypes));
  open_haplotype_ = haplotypes_.size();
}

void Groups::clear() {
  *this = {};
}

std::uint64_t Groups::cells_of(std::uint32_t read) const {
  const IndexRange with = haplotypes_of(read);
  return std::uint64_t{this->read(read).size()} *
         (haplotypes_.starts[with.end] - haplotypes_.starts[with.first]);
}

std::uint64_t Groups::cells() const {
  const std::uint64_t rows = reads_.all.size() - reads_.starts[reads().end];
  return cells_ + rows * (haplotypes_.all.size() - haplotypes_.starts[open_haplotype_]);
}

std::vector<Pair> pairs_of(const Groups& groups, IndexRange reads) {
  std::vector<Pair> pairs;
  pairs.reserve(groups.n_pairs(reads));
  for (std::uint32_t read = reads.first; read < reads.end; ++read) {
    const IndexRange with = groups.haplotypes_of(read);
    for (std::uint32_t haplotype = with.first; haplotype < with.end; ++haplotype)
      pairs.push_back({read, haplotype});
  }
  return pairs;
}

const std::array<double, kMostQuality + 1>& error_rates() {
  static const auto rates = [] {
    std::array<double, kMostQuality + 1> made{};
    for (std::size_t q = 0; q < made.size(); ++q) made[q] = std::pow(10.0, -0.1 * static_cast<double>(q));
    return made;
  }();
  return rates;
}

double log10_likelihood(std::span<const Row> read, std::span<const std::uint8_t> haplotype) {
  States states(haplotype.size());
  for (const Row row : read) states.next_row(row, haplotype);
  return states.log10_sum();
}

std::vector<double> LikelihoodEngine::log10_likelihoods(const Groups& groups) {
  std::vector<double> log10(groups.n_pairs());
  compute(groups, groups.reads(), log10);
  return log10;
}

std::unique_ptr<LikelihoodEngine> make_reference_engine() {
  return std::make_unique<ReferenceEngine>();
}

}  // namespace fastid::hmm
