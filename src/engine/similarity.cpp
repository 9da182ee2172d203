#include "engine/similarity.hpp"

namespace fastid {

void SimilarityEngine::find(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                            const ProductFilter& filter, std::vector<FoundProduct>& out) const {
  std::vector<double> all(pairs.pairs());
  products(pivot, pairs, all);
  for (std::size_t i = 0, at = 0; i < pairs.rows(); ++i)
    for (std::size_t j = 0; j < pairs.columns(); ++j, ++at)
      if (filter.passes(i, j, all[at]))
        out.push_back({pairs.row_begin + static_cast<std::uint32_t>(i),
                       pairs.column_begin + static_cast<std::uint32_t>(j), all[at]});
}

}  // namespace fastid
