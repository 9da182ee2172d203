#include "engine/similarity.hpp"

#include <algorithm>

namespace fastid {

void SimilarityEngine::find(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                            const ProductFilter& filter, std::vector<FoundProduct>& out) const {
  std::vector<double> all(pairs.pairs());
  products(pivot, pairs, all);
  for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row) {
    const std::size_t i = row - pairs.row_begin;
    for (std::uint32_t column = pairs.column_begin; column < std::min(row, pairs.column_end); ++column) {
      const std::size_t j = column - pairs.column_begin;
      if (const double product = all[i * pairs.columns() + j]; filter.passes(i, j, product))
        out.push_back({row, column, product});
    }
  }
}

}  // namespace fastid
