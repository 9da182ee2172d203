// Pairs of sites as the tuner times them.
#include "tune/measure/ld_rate.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/registry.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid::tune {
namespace {

constexpr LdShape kSmall{70, 100};

class LdTiming : public testing::OnADevice {};

TEST_F(LdTiming, IsOfAConfigThatIsRight) {
  const Timing timing =
      ld_timing(testing::opencl_selector(), model::embedded_config("generic"), kSmall, {.most = 5});
  EXPECT_GE(timing.runs, 1U);
  EXPECT_GT(timing.seconds, 0);
}

TEST_F(LdTiming, IsRefusedOfAConfigThatNoConfigMayBe) {
  model::KernelConfig config = model::embedded_config("generic");
  config.ld_n_r = config.group_columns + 1;
  EXPECT_THROW(ld_timing(testing::opencl_selector(), config, kSmall, {.most = 5}), InputError);
}

TEST(LdBits, AreThoseOfAllProducts) {
  EXPECT_EQ(ld_bits({3, 100}), 3 * 100 * 4);
}

}  // namespace
}  // namespace fastid::tune
