#include "hmm/pair_hmm.hpp"

#include <algorithm>
#include <cmath>

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

class ReferenceEngine final : public LikelihoodEngine {
 public:
  std::string description() const override { return "pair-HMM by definition, double, 1 thread"; }

  std::vector<double> log10_likelihoods(const Pairs& pairs) override {
    std::vector<double> all;
    all.reserve(pairs.pairs().size());
    for (const Pair pair : pairs.pairs()) {
      check_interrupt();
      all.push_back(log10_likelihood(pairs.read(pair.read), pairs.haplotype(pair.haplotype)));
    }
    return all;
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
  if (!std::ranges::is_sorted(keys)) std::ranges::sort(keys);
  std::vector<std::uint32_t> places(keys.size());
  std::ranges::transform(keys, places.begin(),
                         [](LengthKey key) { return static_cast<std::uint32_t>(key % kMostPairs); });
  return places;
}

template <class T>
std::uint32_t Pairs::Sequences<T>::add(std::span<const T> one) {
  all.insert(all.end(), one.begin(), one.end());
  starts.push_back(narrow<std::uint32_t>(all.size()));
  return static_cast<std::uint32_t>(starts.size() - 2);
}

std::uint32_t Pairs::add_read(std::span<const Row> rows) {
  divisible_.push_back(
      std::ranges::all_of(rows, [](Row row) { return Transitions(row).stay() >= kLeastStay; }));
  return reads_.add(rows);
}

std::uint32_t Pairs::add_haplotype(std::span<const std::uint8_t> bases) {
  return haplotypes_.add(bases);
}

void Pairs::add_pair(Pair pair) {
  if (pairs_.size() == kMostPairs) throw Failure("too many pairs of reads and haplotypes at once");
  pairs_.push_back(pair);
  cells_ += cells_of(pair);
}

void Pairs::clear() {
  *this = {};
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

std::unique_ptr<LikelihoodEngine> make_reference_engine() {
  return std::make_unique<ReferenceEngine>();
}

}  // namespace fastid::hmm
