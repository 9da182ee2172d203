/// \file
/// What engines of similar vectors compute, and their makers, for tests that hold them to one oracle.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "engine/similarity.hpp"
#include "pipeline/all_values.hpp"
#include "support/engine_maker.hpp"
#include "support/similarity_oracle.hpp"

namespace fastid::testing {

/// The products of a rectangle.
inline std::vector<double> products(const engine::SimilarityEngine& engine,
                                    std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs) {
  std::vector<double> out(pairs.pairs(), -1);
  engine.products(pivot, pairs, engine::Wanted::kAll, out);
  return out;
}

using SimilarityMaker = EngineMaker<engine::SimilarityEngine, engine::VectorBlocks>;

/// Checks an engine's sums and products, with and without a pivot.
inline void check_products(const engine::SimilarityEngine& engine, const TrueProducts& truth) {
  const std::uint32_t n = truth.n();
  ASSERT_EQ(engine.n_vectors(), n);
  for (std::uint32_t u = 0; u < n; ++u) EXPECT_EQ(engine.sums()[u], truth.sum(u));
  for (const engine::Rectangle& pairs :
       {engine::Rectangle{0, n, 0, n}, engine::Rectangle{n / 3, n / 2 + 1, n / 4, n}})
    for (const std::optional<std::uint32_t> pivot : {std::optional<std::uint32_t>(), {n - 1}, {n / 2}})
      EXPECT_EQ(products(engine, pivot, pairs), truth.of(pivot, pairs));
}

/// The values of all combinations, by an engine's products.
inline std::vector<double> values_by(const engine::SimilarityEngine& engine,
                                     const engine::VectorPlanes& planes, engine::SimilarityMetric metric,
                                     std::size_t way) {
  ThreadPool pool(2);
  Progress silent(ProgressMode::kNever, "", "", 0);
  pipeline::MomentCounter moments(engine, planes, metric, way);
  if (planes.all_called) moments.prepare(planes.n, pool);
  std::vector<double> all;
  pipeline::EveryValueSink sink(
      [&](std::span<const double> some) { all.insert(all.end(), some.begin(), some.end()); });
  pipeline::ValueSink* const sinks[] = {&sink};
  pipeline::stream_values({moments, pool, silent}, {0, planes.n}, sinks);
  return all;
}

}  // namespace fastid::testing
