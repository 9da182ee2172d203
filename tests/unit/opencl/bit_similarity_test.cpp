// Products of vectors of bits on a device against the definition, on both sides of tiles' and words' edges.
#include "opencl/bit_similarity.hpp"

#include <gtest/gtest.h>

#include "engine/bit_vectors.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/min_plus_similarity.hpp"
#include "support/cohort.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"
#include "support/product_filters.hpp"
#include "support/products.hpp"

namespace fastid {
namespace {

using namespace testing;

enum class Kernel : std::uint8_t { kStagedPopcounts, kDirectPopcounts, kPortableMatrix };

/// By each kernel that any device can run.
class BitSimilarityOnADevice : public OnADevice, public ::testing::WithParamInterface<Kernel> {
 protected:
  static std::unique_ptr<SimilarityEngine> make(const BitVectors& vectors) {
    if (GetParam() == Kernel::kPortableMatrix)
      return make_opencl_bit_similarity(opencl_selector(), vectors.view(), BitProducts::kPortableMatrix);
    return make_opencl_word_similarity(
        select_opencl_device(opencl_selector()), vectors.view(),
        GetParam() == Kernel::kStagedPopcounts ? MinPlusReads::kStaged : MinPlusReads::kDirect);
  }
};

TEST_P(BitSimilarityOnADevice, CountsWhatTheDefinitionCounts) {
  BufferGuard guard;
  for (const std::uint32_t n : {1, 33, 150})
    for (const std::uint32_t units : {33, 256, 300}) {
      SCOPED_TRACE(::testing::Message() << n << " vectors, " << units << " units");
      const Cohort cohort = make_cohort(n, units, SiteUnit::kGenotypes, 0);
      const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kSorensen);
      const auto right = make_bit_similarity("reference", vectors.view());
      const auto engine = make(vectors);
      for (const Rectangle& pairs : {Rectangle{0, n, 0, n}, Rectangle{n / 3, n / 2 + 1, n / 4, n}}) {
        EXPECT_EQ(products(*engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
        EXPECT_EQ(products(*engine, n - 1, pairs), products(*right, n - 1, pairs));
      }
    }
  EXPECT_TRUE(guard.whole());
}

TEST_P(BitSimilarityOnADevice, FindsThePairsThatPass) {
  const Cohort cohort = make_cohort(150, 300, SiteUnit::kGenotypes, 0);
  const BitVectors vectors(cohort.blocks.view(), SimilarityMetric::kSorensen);
  const auto right = make_bit_similarity("reference", vectors.view());
  BufferGuard guard;
  check_that_it_finds(*make(vectors), *right);
  EXPECT_TRUE(guard.whole());
}

INSTANTIATE_TEST_SUITE_P(Kernels, BitSimilarityOnADevice,
                         ::testing::Values(Kernel::kStagedPopcounts, Kernel::kDirectPopcounts,
                                           Kernel::kPortableMatrix));

}  // namespace
}  // namespace fastid
