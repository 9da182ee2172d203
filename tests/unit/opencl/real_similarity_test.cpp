// Products of minima on a device against the definition, to the bit, by both ways to read vectors and on both
// sides of tiles' edges.
#include "opencl/min_plus_similarity.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/real_similarity.hpp"
#include "opencl/device_buffer.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"
#include "support/product_filters.hpp"
#include "support/products.hpp"
#include "support/reals.hpp"

namespace fastid {
namespace {

using namespace testing;

class RealSimilarityOnADevice : public OnADevice,
                                public ::testing::WithParamInterface<std::tuple<RealType, MinPlusReads>> {
 protected:
  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    if (std::get<0>(GetParam()) == RealType::kDouble &&
        device_->device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0)
      GTEST_SKIP() << "this device has no double";
  }
  static RealMatrix make_matrix(std::size_t rows, std::size_t columns) {
    return with_real(std::get<0>(GetParam()),
                     [&](auto zero) { return random_matrix<decltype(zero)>(rows, columns); });
  }
  static MinPlusReads reads() { return std::get<1>(GetParam()); }
};

TEST_P(RealSimilarityOnADevice, GivesTheBitsOfTheDefinition) {
  BufferGuard guard;
  for (const auto& [rows, columns] : {std::pair{1U, 1U}, {33U, 16U}, {70U, 33U}, {150U, 50U}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
    const RealMatrix matrix = make_matrix(rows, columns);
    const auto right = make_real_similarity_engine("reference", matrix);
    const auto engine = make_opencl_real_similarity(opencl_selector(), matrix, reads());
    for (const Rectangle& pairs :
         {Rectangle{0, rows, 0, rows}, Rectangle{rows / 3, rows / 2 + 1, rows / 4, rows}}) {
      EXPECT_EQ(products(*engine, std::nullopt, pairs), products(*right, std::nullopt, pairs));
      EXPECT_EQ(products(*engine, rows - 1, pairs), products(*right, rows - 1, pairs));
    }
  }
  EXPECT_TRUE(guard.whole());
}

TEST_P(RealSimilarityOnADevice, FindsThePairsThatPass) {
  const RealMatrix matrix = make_matrix(150, 40);
  const auto right = make_real_similarity_engine("reference", matrix);
  BufferGuard guard;
  check_that_it_finds(*make_opencl_real_similarity(opencl_selector(), matrix, reads()), *right);
  EXPECT_TRUE(guard.whole());
}

INSTANTIATE_TEST_SUITE_P(Numbers, RealSimilarityOnADevice,
                         ::testing::Combine(::testing::Values(RealType::kFloat, RealType::kDouble),
                                            ::testing::Values(MinPlusReads::kStaged, MinPlusReads::kDirect)));

}  // namespace
}  // namespace fastid
