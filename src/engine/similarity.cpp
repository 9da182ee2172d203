#include "engine/similarity.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/cpu/product_filter.hpp"
#include "engine/internal/joint.hpp"

namespace fastid {
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
    products_below(filter.pivot, wanted, {all.get(), wanted.pairs()});
    for (std::uint32_t row = wanted.row_begin; row < wanted.row_end; ++row) {
      const std::size_t i = row - wanted.row_begin;
      const std::span<const double> products(all.get() + i * wanted.columns(), wanted.columns_below(row));
      const std::size_t n = find_passing(filter, i, products, places.data());
      for (const std::uint32_t j : std::span(places).first(n))
        found.push_back({f, row, wanted.column_begin + j, products[j]});
      if (found.size() > most) return std::nullopt;
    }
  }
  return found;
}

namespace {

class JointSimilarity final : public Joint<SimilarityEngine> {
 public:
  using Joint::Joint;

  std::uint32_t n_vectors() const override { return first().n_vectors(); }
  std::span<const double> sums() const override { return first().sums(); }
  std::uint32_t rectangle_side() const override { return first().rectangle_side(); }
  std::uint32_t least_side() const override { return first().least_side(); }
  std::size_t pairs_at_once() const override { return first().pairs_at_once(); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    lend()->products(pivot, pairs, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                      std::span<double> out) const override {
    lend()->products_below(pivot, pairs, out);
  }
  std::optional<std::vector<FoundProduct>> find(const Rectangle& pairs,
                                                std::span<const ProductFilter> filters) const override {
    return lend()->find(pairs, filters);
  }
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_joint_similarity(
    std::vector<std::unique_ptr<SimilarityEngine>> engines) {
  return as_one<JointSimilarity>(std::move(engines));
}

}  // namespace fastid
