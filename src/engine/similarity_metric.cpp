#include "engine/similarity_metric.hpp"

#include "bits/popcount.hpp"

namespace fastid::engine {
namespace {

/// A moment of combination i of a row.
template <bool kEach>
double moment(const MomentRow& row, std::size_t of, std::size_t i) {
  return kEach ? row.of[of][i] : row.at(of, i);
}

double ratio(double count, double of) {
  return of > 0 ? count / of : 0;
}

template <bool kEach>
void proportional_of_two(const MomentRow& row, double* out) {
  for (std::size_t i = 0; i < row.n; ++i)
    out[i] =
        ratio(2 * moment<kEach>(row, 0b11, i), moment<kEach>(row, 0b01, i) + moment<kEach>(row, 0b10, i));
}

template <bool kEach>
void proportional_of_three(const MomentRow& row, double* out) {
  const auto m = [&](std::size_t of, std::size_t i) { return moment<kEach>(row, of, i); };
  for (std::size_t i = 0; i < row.n; ++i) {
    const double pairs = m(0b011, i) + m(0b101, i) + m(0b110, i);
    out[i] = ratio(1.5 * (pairs - m(0b111, i)), m(0b001, i) + m(0b010, i) + m(0b100, i));
  }
}

/// How often a choice of alleles occurs. A member's major copies are 2 less the minor ones, which is
/// multiplied out. \param minor  the members of whom it is the minor allele
template <bool kEach, std::size_t kWay>
double together(const MomentRow& row, std::size_t minor, std::size_t i) {
  double count = 0;
  for (std::size_t of = 0; of < (std::size_t{1} << kWay); ++of) {
    if ((of & minor) != minor) continue;
    const double copies = std::size_t{1} << (kWay - static_cast<std::size_t>(bits_set(of)));
    const double term = copies * moment<kEach>(row, of, i);
    count += bits_set(of ^ minor) % 2 == 0 ? term : -term;
  }
  return count;
}

template <bool kEach, std::size_t kWay>
void correlation(const MomentRow& row, const std::array<std::vector<double>, 2>& weights, double* out) {
  constexpr std::size_t kCells = std::size_t{1} << kWay;
  for (std::size_t i = 0; i < row.n; ++i) {
    const double all = kCells * moment<kEach>(row, 0, i);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      std::size_t minor = 0;  // the cell's bits, the other way round
      for (std::size_t m = 0; m < kWay; ++m) minor |= (cell >> (kWay - 1 - m) & 1) << m;
      double value = kCorrelationScale * ratio(together<kEach, kWay>(row, minor, i), all);
      for (std::size_t m = 0; m < kWay; ++m)
        value *= weights[minor >> m & 1][row.members[m] + (m == 0 ? i : 0)];
      out[i * kCells + cell] = value;
    }
  }
}

template <bool kEach>
void values_of(SimilarityMetric metric, std::size_t way, const MomentRow& row,
               const std::array<std::vector<double>, 2>& weights, double* out) {
  if (metric == SimilarityMetric::kCcc)
    way == 2 ? correlation<kEach, 2>(row, weights, out) : correlation<kEach, 3>(row, weights, out);
  else
    way == 2 ? proportional_of_two<kEach>(row, out) : proportional_of_three<kEach>(row, out);
}

}  // namespace

SimilarityValues::SimilarityValues(SimilarityMetric metric, std::size_t way, bool each, const OwnSums& own)
    : metric_(metric), way_(way), each_(each) {
  if (metric != SimilarityMetric::kCcc) return;
  for (std::size_t v = 0; v < own.sum.size(); ++v) {
    const double copies = 2 * own.called[v];
    weights_[0].push_back(allele_weight(ratio(copies - own.sum[v], copies)));
    weights_[1].push_back(allele_weight(ratio(own.sum[v], copies)));
  }
}

void SimilarityValues::of_row(const MomentRow& row, std::span<double> out) const {
  if (each_)
    values_of<true>(metric_, way_, row, weights_, out.data());
  else
    values_of<false>(metric_, way_, row, weights_, out.data());
}

}  // namespace fastid::engine
