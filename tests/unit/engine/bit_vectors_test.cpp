// Vectors of bits: what their products are of copies that are counted one by one. tests/conformance has the
// engines.
#include "engine/bit_vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/cohort.hpp"
#include "support/products.hpp"

namespace fastid {
namespace {

using namespace testing;

// The least copies are what AND counts in vectors of czekanowski; a call is there twice.
TEST(BitVectors, CountTheLeastCopies) {
  const Cohort cohort = make_cohort(20, 75, LdUnit::kGenotypes, 0.1);
  const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kCzekanowski);
  const VectorPlanes& planes = vectors.planes();
  ASSERT_FALSE(planes.all_called);
  const auto engine = make_bit_similarity("reference", vectors.view());
  const auto product = [&](std::uint32_t a, std::uint32_t b) {
    return products(*engine, std::nullopt, {a, a + 1, b, b + 1}).front();
  };
  for (std::uint32_t u = 0; u < 20; ++u)
    for (std::uint32_t v = 0; v < 20; ++v) {
      double least = 0, where_called = 0;
      for (std::uint32_t i = 0; i < cohort.units; ++i) {
        const int a = cohort.copies[u][i], b = cohort.copies[v][i];
        least += std::max(0, std::min(a, b));
        where_called += b == kMissing ? 0 : std::max(0, a);
      }
      EXPECT_EQ(product(planes.value(0, u), planes.value(0, v)), least);
      EXPECT_EQ(product(planes.value(0, u), planes.calls(v)), where_called);
    }
}

}  // namespace
}  // namespace fastid
