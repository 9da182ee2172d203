/// \file
/// What engines of similar vectors compute, for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/similarity.hpp"

namespace fastid::testing {

/// The products of a rectangle.
inline std::vector<double> products(const engine::SimilarityEngine& engine,
                                    std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs) {
  std::vector<double> out(pairs.pairs(), -1);
  engine.products(pivot, pairs, engine::Wanted::kAll, out);
  return out;
}

}  // namespace fastid::testing
