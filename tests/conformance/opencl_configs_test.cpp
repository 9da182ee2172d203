// Every config header in the repository gives the CPU engine's ranking: with one, two and three buffers,
// with room for so few pairs that every tile overflows, and on a database sorted worst first, where
// every tile brings profiles better than all before it and so the thresholds never help. Each problem goes to
// two of the six engines that a config makes, by turns.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR), which gets each problem with
// each config. By default the first device takes a third of the problems, each with one config, by turns,
// since a driver for CPUs compiles kernels for seconds; opencl_edges has every config on both sides of its
// tiles' edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/world.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/every_case.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

// Edges of words, blocks and tiles; more queries than any m_c; more words than a k_c of the small configs.
constexpr Shape kShapes[] = {{1, 1, 1}, {33, 31, 2}, {350, 33, 70}, {1100, 257, 33}, {97, 14'079, 2}};

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(FASTID_CONFIGS))
    if (entry.path().extension() == ".h") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

class OpenClConfigs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (opencl::list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    const std::vector<std::string> files = config_files();
    if (testing::opencl_selector().empty() && !testing::every_case()) {
      every_ = 3 * files.size();
      first_ = 3 * static_cast<std::size_t>(std::ranges::find(files, GetParam()) - files.begin());
    }
    for (const std::size_t buffers : {1u, 2u, 3u})
      for (const std::size_t pairs : {std::size_t{31}, std::size_t{1} << 16})
        engines_.push_back(opencl::make_opencl_engine(
            testing::opencl_selector(),
            {.tile_blocks = buffers, .buffers = buffers, .config_file = GetParam()}, {.found_pairs = pairs}));
  }

  /// By the engines whose turn it is: with room for few pairs and for many, and other buffers each.
  void expect_native_ranking(const World& world, std::size_t turn) {
    if (turn % every_ != first_) return;
    const std::vector<match::RankedPairs> expected = world.ranked(*native_);
    for (std::size_t i = (turn / 3 + turn / every_) % kTurns; i < engines_.size(); i += kTurns)
      ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(*engines_[i]), expected)) << "engine " << i;
  }

  static constexpr std::size_t kTurns = 3;
  std::size_t every_ = 1, first_ = 0;
  std::unique_ptr<engine::Engine> native_ = engine::make_cpu_engine({});
  std::vector<std::unique_ptr<engine::Engine>> engines_;
};

TEST_P(OpenClConfigs, RankAsTheNativeEngineDoes) {
  std::size_t turn = 0;
  for (const Shape& shape : kShapes) {
    for (const engine::Comparison comparison :
         {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture})
      for (int masks = 0; masks < 4; ++masks, ++turn) {
        SCOPED_TRACE(::testing::Message()
                     << shape.profiles << " x " << shape.sites << ", " << shape.queries
                     << " queries, comparison " << static_cast<int>(comparison) << ", masks " << masks);
        const World world(shape, comparison, (masks & 1) != 0, (masks & 2) != 0);
        ASSERT_NO_FATAL_FAILURE(expect_native_ranking(world, turn));
      }
    for (const engine::Comparison comparison :
         {engine::Comparison::kKinship, static_cast<engine::Comparison>(turn % 3)}) {
      SCOPED_TRACE(::testing::Message()
                   << shape.profiles << " x " << shape.sites << ", " << shape.queries
                   << " queries, comparison " << static_cast<int>(comparison) << " by both alleles");
      const World world(shape, comparison, true, true, Encoding::kAlleles);
      ASSERT_NO_FATAL_FAILURE(expect_native_ranking(world, turn++));
    }
    turn += 2;  // the next shape begins with other kinds and other engines
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpenClConfigs, ::testing::ValuesIn(config_files()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace fastid
