#include "engine/similarity.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/lender.hpp"

namespace fastid {
namespace {

/// Whether any of a row's first n pairs passes; without a branch, so that vector units test several at once.
bool any_passes(const ProductFilter& filter, std::size_t row, std::span<const double> products) {
  const double* const pairs = filter.pairs.empty() ? nullptr : filter.pairs[row];
  const double need = filter.row[row];
  const double* const column = filter.column.data();
  int any = 0;
  if (pairs != nullptr)
    for (std::size_t j = 0; j < products.size(); ++j)
      any |= pairs[j] - products[j] >= need + column[j] ? 1 : 0;
  else
    for (std::size_t j = 0; j < products.size(); ++j) any |= products[j] >= need + column[j] ? 1 : 0;
  return any != 0;
}

}  // namespace

void SimilarityEngine::find(const Rectangle& pairs, std::span<const ProductFilter> filters,
                            std::vector<FoundProduct>& out) const {
  const auto all = std::make_unique_for_overwrite<double[]>(pairs.pairs());
  for (std::uint32_t f = 0; f < filters.size(); ++f) {
    const ProductFilter& filter = filters[f];
    Rectangle wanted = pairs;
    wanted.row_end = std::clamp(filter.pivot.value_or(pairs.row_end), pairs.row_begin, pairs.row_end);
    products_below(filter.pivot, wanted, {all.get(), wanted.pairs()});
    for (std::uint32_t row = std::max(wanted.row_begin, wanted.column_begin + 1); row < wanted.row_end;
         ++row) {
      const std::size_t i = row - wanted.row_begin;
      const std::span<const double> of_row(all.get() + i * wanted.columns(), wanted.columns_below(row));
      if (!any_passes(filter, i, of_row)) continue;
      for (std::size_t j = 0; j < of_row.size(); ++j)
        if (filter.passes(i, j, of_row[j]))
          out.push_back({f, row, wanted.column_begin + static_cast<std::uint32_t>(j), of_row[j]});
    }
  }
}

namespace {

class JointSimilarity final : public SimilarityEngine {
 public:
  explicit JointSimilarity(std::vector<std::unique_ptr<SimilarityEngine>> engines)
      : engines_(std::move(engines)) {
    for (const auto& engine : engines_) free_.put(engine.get());
  }

  std::uint32_t n_vectors() const override { return engines_.front()->n_vectors(); }
  std::span<const double> sums() const override { return engines_.front()->sums(); }
  std::uint32_t rectangle_side() const override { return engines_.front()->rectangle_side(); }
  std::uint32_t least_side() const override { return engines_.front()->least_side(); }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    free_.lend()->products(pivot, pairs, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                      std::span<double> out) const override {
    free_.lend()->products_below(pivot, pairs, out);
  }
  std::size_t pairs_at_once() const override { return engines_.front()->pairs_at_once(); }
  void find(const Rectangle& pairs, std::span<const ProductFilter> filters,
            std::vector<FoundProduct>& out) const override {
    free_.lend()->find(pairs, filters, out);
  }

 private:
  std::vector<std::unique_ptr<SimilarityEngine>> engines_;
  mutable Lender<const SimilarityEngine> free_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_joint_similarity(
    std::vector<std::unique_ptr<SimilarityEngine>> engines) {
  return std::make_unique<JointSimilarity>(std::move(engines));
}

}  // namespace fastid
