// How much memory vectors and values may take.
#include "questions/similarity/vectors.hpp"

#include <gtest/gtest.h>

#include "base/process.hpp"
#include "opencl/engine_by_name.hpp"

namespace fastid::similarity {
namespace {

TEST(Vectors, TakeTheirShareOfTheMemoryThatProcessesHaveTogether) {
  SimilarityOptions options;
  EXPECT_EQ(Vectors::memory(options), .75 * static_cast<double>(physical_memory_bytes()));
  options.device.processes = 4;
  EXPECT_EQ(Vectors::memory(options), .75 * static_cast<double>(physical_memory_bytes()) / 4);
  options.device.engine.memory = 12'000'000;  // of each process
  EXPECT_EQ(Vectors::memory(options), 12'000'000);
}

TEST(Vectors, TakeTheMemoryThatEachDeviceHas) {
  SimilarityOptions options;
  options.device = {.device = "opencl:all", .engine = {.memory = 12'000'000}};
  EXPECT_EQ(Vectors::memory(options), 12e6 / static_cast<double>(opencl::all_selectors().size()));
  options.device.gpu = 0;  // one of them alone
  EXPECT_EQ(Vectors::memory(options), 12'000'000);
}

}  // namespace
}  // namespace fastid::similarity
