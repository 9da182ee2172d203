#include "engine/similarity.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "bits/popcount.hpp"
#include "engine/cpu/cpu_similarity.hpp"
#include "engine/cpu/product_filter.hpp"
#include "engine/internal/joint.hpp"
#include "engine/similarity_metric.hpp"

namespace fastid::engine {
namespace {

/// Of a vector's alleles, by its share of minor ones.
struct AlleleWeights {
  explicit AlleleWeights(double share) : minor(allele_weight(share)), major(allele_weight(1 - share)) {}

  double minor, major;
};

/// The highest value of a choice of alleles, without the pivot's weight. \param together  share of both minor
/// alleles \param row, column  shares of minor alleles \param all  of all alleles
double highest(double together, double row, double column, double all, const AlleleWeights& of_row,
               const AlleleWeights& of_column) {
  return std::max(
      std::max(together * of_row.minor * of_column.minor, (row - together) * of_row.minor * of_column.major),
      std::max((column - together) * of_row.major * of_column.minor,
               (all - row - column + together) * of_row.major * of_column.major));
}

}  // namespace

bool ProductFilter::passes(std::size_t i, std::size_t j, double product) const {
  const double least = row.least[i] < column.least[j] ? row.least[i] : column.least[j];
  if (correlation) {
    const AlleleWeights of_row(row.sum[i]), of_column(column.sum[j]), of_pivot(correlation->pivot);
    const double share = correlation->scale * product;
    if (!pivot) return highest(share, row.sum[i], column.sum[j], 1, of_row, of_column) >= least;
    const double with_minor =
        highest(share, row.there[i], column.there[j], correlation->pivot, of_row, of_column);
    const double with_major =
        highest(2 * correlation->scale * pairs[i][j] - share, row.sum[i] - row.there[i],
                column.sum[j] - column.there[j], 1 - correlation->pivot, of_row, of_column);
    return std::max(with_minor * of_pivot.minor, with_major * of_pivot.major) >= least;
  }
  const double has = pairs.empty() ? product : pairs[i][j] - product;
  return has + row.there[i] + column.there[j] >= least * (row.sum[i] + column.sum[j]);
}

bool ProductFilter::passes(std::size_t i, std::size_t j, double product, const CommonUnits& common) const {
  const double least = std::min(row.least[i], column.least[j]), all = 4 * common.units;
  return highest(product, 2 * common.row, 2 * common.column, all, AlleleWeights(row.sum[i]),
                 AlleleWeights(column.sum[j])) >= least * all;
}

void SimilarityEngine::sums_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                                  const ProductPlanes& planes, std::span<double> out) const {
  const std::size_t choices = planes.choices(pivot.has_value());
  const auto product = std::make_unique_for_overwrite<double[]>(choices > 1 ? out.size() : 0);
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::size_t rest = choice;
    const auto chosen = [&](const MemberPlanes& of) {
      const auto plane = static_cast<std::uint32_t>(of.first + rest % of.n);
      rest /= of.n;
      return plane * planes.stride;
    };
    const std::uint32_t column = chosen(planes.column), row = chosen(planes.row);
    const Rectangle shifted{pairs.row_begin + row, pairs.row_end + row, pairs.column_begin + column,
                            pairs.column_end + column};
    const auto with = pivot ? std::optional(*pivot + chosen(planes.pivot)) : pivot;
    const std::span<double> of_choice = choice == 0 ? out : std::span(product.get(), out.size());
    products(with, shifted, row == column ? Wanted::kBelowDiagonal : Wanted::kAll, of_choice);
    for (std::size_t i = 0; choice > 0 && i < out.size(); ++i) out[i] += of_choice[i];
  }
}

namespace {

/// Sums over the common units of the pairs of a rectangle: [units, row's, column's][pair]. Null where a
/// filter does not count these.
std::unique_ptr<double[]> common_sums(const SimilarityEngine& engine, const Rectangle& pairs,
                                      const ProductFilter& filter) {
  if (!filter.counts_common_units()) return nullptr;
  auto sums = std::make_unique_for_overwrite<double[]>(3 * pairs.pairs());
  const CommonPlanes& planes = *filter.correlation->common;
  double* to = sums.get();
  for (const ProductPlanes* of : {&planes.units, &planes.row, &planes.column}) {
    engine.sums_below(std::nullopt, pairs, *of, {to, pairs.pairs()});
    to += pairs.pairs();
  }
  return sums;
}

}  // namespace

std::optional<std::vector<FoundProduct>> SimilarityEngine::find(
    const Rectangle& pairs, std::span<const ProductFilter> filters) const {
  std::vector<FoundProduct> found;
  const std::size_t most = most_found(pairs, filters.size());
  const auto all = std::make_unique_for_overwrite<double[]>(pairs.pairs());
  std::vector<std::uint32_t> places(pairs.columns());
  for (std::uint32_t f = 0; f < filters.size(); ++f) {
    const ProductFilter& filter = filters[f];
    Rectangle wanted = pairs;
    wanted.row_end = std::clamp(filter.pivot.value_or(pairs.row_end), pairs.row_begin, pairs.row_end);
    sums_below(filter.pivot, wanted, filter.planes, {all.get(), wanted.pairs()});
    const std::unique_ptr<double[]> common = common_sums(*this, wanted, filter);
    for (std::uint32_t row = wanted.row_begin; row < wanted.row_end; ++row) {
      const std::size_t i = row - wanted.row_begin;
      const std::span<const double> products(all.get() + i * wanted.columns(), wanted.columns_below(row));
      std::size_t n = 0;
      if (common == nullptr) n = find_passing(filter, i, products, places.data());
      for (std::uint32_t j = 0; common != nullptr && j < products.size(); ++j) {
        const double* const at = common.get() + i * wanted.columns() + j;
        if (filter.passes(i, j, products[j], {at[0], at[wanted.pairs()], at[2 * wanted.pairs()]}))
          places[n++] = j;
      }
      for (const std::uint32_t j : std::span(places).first(n))
        found.push_back({f, row, wanted.column_begin + j, products[j]});
      if (found.size() > most) return std::nullopt;
    }
  }
  return found;
}

namespace {

/// The definition as an engine: one element after the other.
template <class T>
class ReferenceSimilarity final : public SimilarityEngine {
 public:
  explicit ReferenceSimilarity(const VectorBlocks& vectors) : vectors_(vectors) {}

  std::uint32_t n_vectors() const override { return vectors_.n; }
  std::span<const double> sums() const override { return vectors_.sums; }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Wanted /*wanted*/,
                std::span<double> out) const override {
    std::size_t at = 0;
    for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row)
      for (std::uint32_t column = pairs.column_begin; column < pairs.column_end; ++column)
        out[at++] = product(pivot.value_or(row), row, column);
  }

 private:
  double product(std::uint32_t p, std::uint32_t u, std::uint32_t v) const {
    T sum = 0;
    for (std::size_t q = 0; q < vectors_.n_elements; ++q) {
      const T of_p = vectors_.at<T>(p, q), of_u = vectors_.at<T>(u, q), of_v = vectors_.at<T>(v, q);
      if constexpr (std::is_same_v<T, Word>)
        sum += static_cast<Word>(bits_set(of_p & of_u & of_v));
      else
        sum += std::min({of_p, of_u, of_v});
    }
    return sum;
  }

  VectorBlocks vectors_;
};

class JointSimilarity final : public Joint<SimilarityEngine> {
 public:
  using Joint::Joint;

  std::uint32_t n_vectors() const override { return first().n_vectors(); }
  std::span<const double> sums() const override { return first().sums(); }
  std::uint32_t rectangle_side() const override { return first().rectangle_side(); }
  std::uint32_t least_side() const override { return first().least_side(); }
  std::size_t pairs_at_once() const override { return first().pairs_at_once(); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Wanted wanted,
                std::span<double> out) const override {
    lend()->products(pivot, pairs, wanted, out);
  }
  void sums_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const ProductPlanes& planes,
                  std::span<double> out) const override {
    lend()->sums_below(pivot, pairs, planes, out);
  }
  std::optional<std::vector<FoundProduct>> find(const Rectangle& pairs,
                                                std::span<const ProductFilter> filters) const override {
    return lend()->find(pairs, filters);
  }
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_similarity(const std::string& device, const VectorBlocks& vectors) {
  if (device == "cpu") return make_cpu_similarity(vectors);
  if (device != "reference") return nullptr;
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the caller owns it
  return with_element(vectors, [&](auto zero) -> std::unique_ptr<SimilarityEngine> {
    return std::make_unique<ReferenceSimilarity<decltype(zero)>>(vectors);
  });
}

std::unique_ptr<SimilarityEngine> make_joint_similarity(
    std::vector<std::unique_ptr<SimilarityEngine>> engines) {
  return as_one<JointSimilarity>(std::move(engines));
}

}  // namespace fastid::engine
