// The lines of -v: what is known of a device stands beside what a run took.
#include "pipeline/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fastid::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A second on a device: 10 GB uploaded in half of it, 2 Tbit compared in a quarter.
std::vector<std::string> lines_of(const engine::DevicePeaks& peaks, const engine::ExpectedTimes& expected) {
  StreamStats stats{.workers = 2, .tile_blocks = 4, .tiles = 5, .open_seconds = 0.25, .read_seconds = 0.5};
  stats.device = {0.5, 0.25, 0.125, 10'000'000'000, 1'000'000};
  return describe_stages(stats, peaks, expected, 2e12, 1.25);
}

TEST(Stages, APredictionStandsBesideWhatItIsOf) {
  const auto lines = lines_of({16e12, 40e9}, {0.4, 0.3, 0.9});
  EXPECT_THAT(lines, Contains(AllOf(StartsWith("upload      0.500 s"), HasSubstr("20.00 GB/s, 50 % of"),
                                    EndsWith("; predicted 0.400 s"))));
  EXPECT_THAT(lines, Contains(AllOf(StartsWith("compare     0.250 s  2 Tbit, 8 Tbit/s, 50 % of"),
                                    EndsWith("; predicted 0.300 s"))));
  EXPECT_EQ(lines.back(), "all         1.000 s  once a worker was open; predicted 0.900 s");
}

TEST(Stages, NothingIsSaidOfWhatIsNotKnown) {
  const auto lines = lines_of({}, {});
  EXPECT_THAT(lines, Each(Not(AnyOf(HasSubstr("predicted"), HasSubstr("peak")))));
  EXPECT_THAT(lines.back(), StartsWith("overlap"));
}

}  // namespace
}  // namespace fastid::pipeline
