// Products of vectors of bits on a device against the definition, on both sides of tiles' and words' edges.
#include "opencl/bit_similarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/bit_vectors.hpp"
#include "opencl/device_buffer.hpp"
#include "support/cohort.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"
#include "support/products.hpp"

namespace fastid {
namespace {

using namespace testing;

class BitSimilarityOnADevice : public OnADevice {};

TEST_F(BitSimilarityOnADevice, CountsWhatTheDefinitionCounts) {
  BufferGuard guard;
  for (const std::uint32_t n : {1, 33, 150})
    for (const std::uint32_t units : {33, 256, 300}) {
      SCOPED_TRACE(::testing::Message() << n << " vectors, " << units << " units");
      const Cohort cohort = make_cohort(n, units, SiteUnit::kGenotypes, 0);
      const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kSorensen);
      const auto right = make_bit_similarity("reference", vectors.view());
      const auto engine = make_opencl_bit_similarity(opencl_selector(), vectors.view());
      for (const Rectangle& pairs : {Rectangle{0, n, 0, n}, Rectangle{n / 3, n / 2 + 1, n / 4, n}}) {
        EXPECT_EQ(products(*engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
        EXPECT_EQ(products(*engine, n - 1, pairs), products(*right, n - 1, pairs));
      }
    }
  EXPECT_TRUE(guard.whole());
}

// Also where more pass than the device's buffer holds.
TEST_F(BitSimilarityOnADevice, FindsThePairsThatPass) {
  const Cohort cohort = make_cohort(60, 200, SiteUnit::kGenotypes, 0);
  const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kSorensen);
  const auto right = make_bit_similarity("reference", vectors.view());
  BufferGuard guard;
  for (const std::uint32_t most_found : {1U << 10, 7U}) {
    const auto engine = make_opencl_bit_similarity(opencl_selector(), vectors.view(), most_found);
    // The second has the products without a pivot that were made for the first.
    for (const Rectangle& pairs : {Rectangle{20, 50, 3, 45}, {20, 60, 3, 50}}) {
      const std::vector<double> without = products(*right, std::nullopt, pairs);
      std::vector<const double*> rows;
      for (std::size_t i = 0; i < pairs.rows(); ++i) rows.push_back(without.data() + i * pairs.columns());
      const std::vector<double> row(pairs.rows(), 10), column(pairs.columns(), 12);
      for (const std::optional<std::uint32_t> pivot : {std::optional<std::uint32_t>(), std::optional(59U)}) {
        const ProductFilter filter{
            row, column, pivot ? std::span<const double* const>(rows) : std::span<const double* const>()};
        std::vector<FoundProduct> wanted, found;
        right->find(pivot, pairs, filter, wanted);
        engine->find(pivot, pairs, filter, found);
        ASSERT_GT(wanted.size(), 20U);
        std::ranges::sort(found, {}, [](const FoundProduct& one) { return std::pair(one.row, one.column); });
        EXPECT_EQ(found, wanted);
      }
    }
  }
  EXPECT_TRUE(guard.whole());
}

}  // namespace
}  // namespace fastid
