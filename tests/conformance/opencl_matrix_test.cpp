// compare_matrix.cl against the oracle of support/bits.hpp: each comparison and mask, panels around its steps
// of 256 sites, queries around its tiles of 16, in several shapes. The instruction is the device's own where
// its config has one, else the portable one.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR), which takes each size with
// each comparison; by default the first takes them by turns.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/registry.hpp"
#include "opencl/devices.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/config_text.hpp"
#include "support/engine_world.hpp"
#include "support/every_case.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

// The device's matrix instruction as a config has it; 1: the portable one.
std::uint32_t instruction() {
  const auto chain = model::config_chain(opencl::select_opencl_device(opencl_selector()).facts);
  return std::max(1u, model::config_of(chain.front()).matrix);
}

class Matrix : public ::testing::Test {
 protected:
  void SetUp() override {
    if (opencl::list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }

  // By configs/portable_matrix.h with some numbers changed.
  static std::unique_ptr<engine::Engine> engine(
      const std::vector<std::pair<std::string, std::uint32_t>>& numbers, opencl::OpenClTuning tuning = {}) {
    std::vector<std::pair<std::string, std::string>> changes{{"MATRIX", std::to_string(instruction())}};
    for (const auto& [name, value] : numbers) changes.emplace_back(name, std::to_string(value));
    tuning.config_text = config_with("portable_matrix", changes);
    tuning.micro_kernel = model::MicroKernel::kMatrix;
    return opencl::make_opencl_engine(opencl_selector(), {}, tuning);
  }

  // As random thresholds have it, and one query open.
  static void check(engine::Engine& engine, engine::Comparison comparison, Masks masks, const Size& size,
                    const std::function<void(World&)>& change = {}) {
    SCOPED_TRACE(::testing::Message()
                 << size.sites << " sites, " << size.profiles << " profiles, " << size.queries
                 << " queries, comparison " << static_cast<int>(comparison) << masks);
    World world(size, masks, comparison);
    if (change) change(world);
    const Opened worker(engine, world.problem, ceil_div(size.profiles, kLanes));
    std::vector<engine::Threshold> thresholds = random_thresholds(world);
    thresholds.back() = {};
    ASSERT_EQ(found(*worker, world, size.profiles, thresholds), expected(world, size.profiles, thresholds));
    EXPECT_NE(engine.description().find("matrix"), std::string::npos) << engine.description();
  }
};

// Whether a case of a cross is taken: each, or one in three.
bool takes(std::size_t turn) {
  return every_case() || !opencl_selector().empty() || turn % 3 == 0;
}

TEST_F(Matrix, CountsEachComparisonAndMaskOnPanelsAroundItsSteps) {
  const auto streamed = engine({});
  std::size_t turn = 0;
  for (const auto& [comparison, masks] : questions())
    for (const std::uint32_t sites : {1u, 31u, 33u, 255u, 256u, 257u, 1000u})
      if (takes(turn++)) check(*streamed, comparison, masks, {sites, 70, 40});
}

TEST_F(Matrix, CountsLongPanels) {
  const auto streamed = engine({});
  std::size_t turn = 0;
  for (const auto& [comparison, masks] : questions())
    if (takes(turn++)) check(*streamed, comparison, masks, {14'079, 35, 33});
}

TEST_F(Matrix, HoldsTheQueriesOfShortPanelsInRegisters) {
  const auto holding = engine({{"MATRIX_HELD_WORDS", 64}, {"MATRIX_HELD_TILES", 2}});
  for (const std::uint32_t sites : {250u, 256u, 700u})
    check(*holding, engine::Comparison::kIdentity, {false, false}, {sites, 300, 40});
  check(*holding, engine::Comparison::kIdentity, {true, true}, {257, 300, 40});
  check(*holding, engine::Comparison::kMixture, {true, false}, {257, 300, 40});
  check(*holding, engine::Comparison::kKinship, kBothCounted, {257, 300, 40});
}

TEST_F(Matrix, TakesAnyNumberOfQueries) {
  const auto streamed = engine({});
  for (const std::size_t queries : {1u, 15u, 16u, 17u, 63u, 64u, 65u, 3000u})
    check(*streamed, engine::Comparison::kIdentity, {false, false}, {33, 37, queries});
}

TEST_F(Matrix, TakesAnyNumberOfProfiles) {
  const auto wide =
      engine({{"MATRIX_TILES", 1}, {"MATRIX_BLOCKS", 2}, {"MATRIX_COLUMNS", 2}, {"MATRIX_RUN", 3}});
  for (const std::size_t profiles : {1u, 31u, 32u, 33u, 127u, 128u, 129u, 1500u})
    check(*wide, engine::Comparison::kIdentity, {false, false}, {40, profiles, 20});
}

// Where nearly all sites of each query are called, masks are bounded and not counted.
TEST_F(Matrix, BoundsWhatAFewSitesNotCalledTakeAway) {
  const auto streamed = engine({});
  const auto miss_a_few = [](World& world) {
    world.change([n_sites = world.rows.n_sites()](People& queries, const People&) {
      for (std::size_t q = 0; q < queries.size(); ++q)
        for (std::size_t site = q % 97; site < n_sites; site += 97) queries[q].see(site, false, false);
    });
  };
  for (const bool stored : {false, true})
    for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture})
      check(*streamed, comparison, {false, stored}, {800, 300, 40}, miss_a_few);
}

TEST_F(Matrix, RunsPartsAgainWhereMorePassThanFit) {
  const auto overflowing = engine({}, {.found_pairs = 60});
  const auto counting_few = engine({}, {.pairs = 400});
  for (const Masks masks : {Masks{false, false}, Masks{true, true}})
    for (engine::Engine* const one : {overflowing.get(), counting_few.get()})
      check(*one, engine::Comparison::kIdentity, masks, {257, 200, 50});
}

TEST_F(Matrix, ProductsOfCountsMayNeed64Bits) {
  const auto streamed = engine({});
  check(*streamed, engine::Comparison::kIdentity, {true, true}, {140'001, 3, 2});
  if (takes(1)) check(*streamed, engine::Comparison::kIdentity, {false, false}, {140'001, 3, 2});
  if (takes(1)) check(*streamed, engine::Comparison::kKinship, kBothCounted, {140'001, 3, 2});
}

}  // namespace
}  // namespace fastid
