// Products of vectors of bits: the definition against copies that are counted one by one, and the native
// engine against the definition.
#include "engine/bit_vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/cohort.hpp"
#include "support/cpu_targets.hpp"
#include "support/product_filters.hpp"
#include "support/products.hpp"

namespace fastid {
namespace {

using namespace testing;

// The least copies are what AND counts in vectors of czekanowski; a call is there twice.
TEST(BitVectors, CountTheLeastCopies) {
  const Cohort cohort = make_cohort(20, 75, SiteUnit::kGenotypes, 0.1);
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

// Vectors on both sides of a group of 8 and a block of 32, units on both sides of a word and of a piece of
// words.
TEST(BitVectors, TheNativeEngineCountsWhatTheDefinitionCounts) {
  for (const std::uint32_t n : {1, 8, 33, 70})
    for (const std::uint32_t units : {2, 33, 6200}) {
      SCOPED_TRACE(::testing::Message() << n << " vectors, " << units << " units");
      const Cohort cohort = make_cohort(n, units, SiteUnit::kGenotypes, 0);
      const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kCcc);
      EXPECT_TRUE(vectors.planes().all_called);
      const std::uint32_t all = vectors.planes().value(1, n);  // both planes, and what is between them
      const auto right = make_bit_similarity("reference", vectors.view());
      const auto check = [&](const SimilarityEngine& engine) {
        EXPECT_TRUE(std::ranges::equal(engine.sums(), right->sums()));
        for (const Rectangle& pairs : {Rectangle{0, all, 0, all}, Rectangle{n / 3, n / 2 + 1, n / 4, n}}) {
          EXPECT_EQ(products(engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
          EXPECT_EQ(products(engine, n - 1, pairs), products(*right, n - 1, pairs));
        }
      };
      for_each_target([&] { return make_bit_similarity("cpu", vectors.view()); }, check);
    }
}

TEST(BitVectors, AFilterFindsThePairsThatPass) {
  const Cohort cohort = make_cohort(90, 300, SiteUnit::kGenotypes, 0);
  const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kSorensen);
  const auto engine = make_bit_similarity("cpu", vectors.view());
  for (const std::string& target : cpu_engine_targets()) {
    SCOPED_TRACE(target);
    ASSERT_NE(dispatched_to(target,
                            [&] {
                              check_that_it_finds(*engine, *engine);
                              return &engine;
                            }),
              nullptr);
  }
}

}  // namespace
}  // namespace fastid
