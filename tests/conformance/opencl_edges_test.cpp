// compare.cl by every config in the repository, on both sides of each edge of its tiles: m_r, m_c, n_r, k_c
// and the words that its full adders take at once. Small enough for Oclgrind, which looks for what a driver
// forgives.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR), which takes each edge with
// each kernel. By default the first takes them by turns, since a driver for CPUs compiles a kernel for a
// second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "model/registry.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/config_text.hpp"
#include "support/engine_world.hpp"
#include "support/every_case.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

// One below, at and above.
std::vector<std::size_t> around(std::size_t edge) {
  return {std::max<std::size_t>(1, edge - 1), edge, edge + 1};
}

// A config is a name, or a file (FASTID_TEST_CONFIG: one that `fastid tune` wrote, say).
bool is_file(const std::string& config) {
  return config.find('/') != std::string::npos;
}

std::vector<std::string> configs_to_test() {
  if (const char* const file = std::getenv("FASTID_TEST_CONFIG")) return {file};
  return model::embedded_config_names();
}

class OpenClEdges : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (opencl::list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    engine_ = engine({});
  }

  static std::unique_ptr<engine::Engine> engine(opencl::OpenClTuning tuning) {
    engine::EngineOptions options;
    (is_file(GetParam()) ? options.config_file : tuning.config) = GetParam();
    return opencl::make_opencl_engine(opencl_selector(), options, tuning);
  }

  // Two kernels: the plainest, and one with both planes of both sides whose denominators are counted. By
  // turns, each config has one of them and the next config the other.
  void check(const Size& size) {
    if (takes(0)) check(size, {false, false});
    if (takes(1)) check(size, {true, true});
  }

  /// Whether it is a kernel's turn.
  static bool takes(std::size_t kernel) {
    if (every_case() || !opencl_selector().empty()) return true;
    const std::vector<std::string> configs = configs_to_test();
    const auto place = std::ranges::find(configs, GetParam()) - configs.begin();
    return static_cast<std::size_t>(place) % 2 == kernel;
  }

  void check(const Size& size, Masks masks, engine::Comparison comparison = engine::Comparison::kIdentity) {
    SCOPED_TRACE(::testing::Message() << size.sites << " sites, " << size.profiles << " profiles, "
                                      << size.queries << " queries" << masks);
    World world(size, masks, comparison);
    const Opened worker(*engine_, world.problem, (size.profiles + kLanes - 1) / kLanes);
    std::vector<engine::Threshold> thresholds = random_thresholds(world);
    thresholds.back() = {};
    EXPECT_EQ(found(*worker, world, size.profiles, thresholds), expected(world, size.profiles, thresholds));
  }

  model::KernelConfig config_ =
      is_file(GetParam()) ? model::read_config(GetParam()) : model::embedded_config(GetParam());

 private:
  std::unique_ptr<engine::Engine> engine_;
};

TEST_P(OpenClEdges, OfTheQueries) {
  for (const std::size_t edge : {config_.m_r, config_.m_c})
    for (const std::size_t queries : around(edge)) check({33, 35, queries});
}

TEST_P(OpenClEdges, OfTheProfiles) {
  for (const std::size_t profiles : around(config_.n_r)) check({33, profiles, 2});
}

TEST_P(OpenClEdges, OfTheWords) {
  const std::size_t chunk = std::size_t{1} << config_.carry_levels;
  for (const std::size_t words : around(2 * chunk)) {
    const Size size{static_cast<std::uint32_t>(32 * words - 3), 33, 3};
    check(size);
    if (takes(0))
      check(size, kBothCounted, engine::Comparison::kKinship);  // several terms, of different weights
  }
}

TEST_P(OpenClEdges, OfTheLocalMemory) {
  // With masks a query has two planes there.
  for (const std::uint32_t words : {config_.k_c, config_.k_c + 1})
    if (takes(0)) check({32 * words, 3, 2}, {false, false});
  for (const std::uint32_t words : {config_.k_c / 2, config_.k_c / 2 + 1})
    if (takes(1)) check({32 * words, 3, 2}, {true, true});
}

using OpenClRuns = OnADevice;

// Work-groups take profile tiles in turn, with their queries' words held for all of them or loaded again for
// each, and the next words of the profiles loaded ahead: alone, or by fours, of which some are left over.
TEST_F(OpenClRuns, GoThroughTilesInTurn) {
  constexpr std::size_t kTiles = 300, kProfiles = 32 * kTiles - 27;
  for (const auto& [held, levels] : {std::pair("64", "0"), {"10", "2"}}) {
    opencl::OpenClTuning tuning;
    tuning.config_text = config_with("generic", {{"M_C", "4"},
                                                 {"N_R", "32"},
                                                 {"GROUP_ROWS", "1"},
                                                 {"GROUP_COLUMNS", "8"},
                                                 {"K_C", held},
                                                 {"CARRY_LEVELS", levels},
                                                 {"HW_REG_WORDS", "128"},
                                                 {"HW_COMPUTE_UNITS", "1"},
                                                 {"LOAD_AHEAD", "1"},
                                                 {"RUN", "3"}});
    const auto engine = opencl::make_opencl_engine(opencl_selector(), {}, tuning);
    for (const Masks masks : {Masks{false, false}, Masks{true, true}}) {
      SCOPED_TRACE(std::string(held) + " words held" + (masks.queries ? ", masks" : ""));
      // Some hundred work-groups for each of 3 runs, and one compute unit.
      World world({500, kProfiles, 9}, masks, engine::Comparison::kIdentity);
      const Opened worker(*engine, world.problem, kTiles);
      const std::vector<engine::Threshold> thresholds = random_thresholds(world);
      EXPECT_EQ(found(*worker, world, kProfiles, thresholds), expected(world, kProfiles, thresholds));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryConfig, OpenClEdges, ::testing::ValuesIn(configs_to_test()),
                         [](const auto& config) { return is_file(config.param) ? "file" : config.param; });

}  // namespace
}  // namespace fastid
