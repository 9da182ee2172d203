/// \file
/// The engines that count what a problem's CustomCount defines, each held to what was drawn.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/opencl_engine.hpp"
#include "support/engine_maker.hpp"
#include "support/opencl_device.hpp"
#include "support/queried_people.hpp"

namespace fastid::testing {

using CountingMaker = EngineMaker<engine::Engine, engine::Problem>;

inline std::unique_ptr<engine::Engine> opencl_engine(const opencl::OpenClTuning& tuning) {
  return opencl::make_opencl_engine(opencl_selector(), {}, tuning);
}

/// The reference, and OpenCL: as it is, in memory of its own, with a buffer for so few `found` pairs that it
/// overflows, so few `counted` pairs that a tile takes several runs, and two engines as one.
inline std::vector<CountingMaker> counting_makers(std::size_t found, std::size_t counted) {
  std::vector<CountingMaker> makers{
      {"reference", [](const engine::Problem&) { return engine::make_reference_engine({}); }}};
  for (const auto& [name, tuning] : {std::pair{"opencl", opencl::OpenClTuning{}},
                                     {"opencl_own_memory", {.own_memory = true}},
                                     {"opencl_overflowing", {.found_pairs = found}},
                                     {"opencl_counting_few", {.pairs = counted}}})
    makers.push_back(
        {name, [tuning = tuning](const engine::Problem&) { return opencl_engine(tuning); }, "", true});
  makers.push_back({"opencl_twice",
                    [](const engine::Problem&) {
                      std::vector<std::unique_ptr<engine::Engine>> two;
                      for (int i = 0; i < 2; ++i) two.push_back(opencl_engine({}));
                      return engine::make_joint_engine(std::move(two));
                    },
                    "", true});
  return makers;
}

class CountingConformance : public ::testing::TestWithParam<CountingMaker> {
 protected:
  void SetUp() override {
    if (!GetParam().can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }

  /// Holds an engine to each of some thresholds of all queries. \param first_block  of the tile
  template <class World>
  static void expect_conforms(const World& people, const engine::Problem& problem, std::uint64_t first_block,
                              const std::vector<std::vector<engine::Threshold>>& all) {
    GetParam().use(problem, [&](engine::Engine& engine) {
      EXPECT_EQ(engine.supports(problem), GetParam().target.empty());
      FilledWorker worker(engine, problem, people, first_block);
      for (const std::vector<engine::Threshold>& thresholds : all)
        EXPECT_EQ(worker.found(thresholds), passing(people, thresholds, worker.tile.first_row()));
    });
  }
};

const auto kMakersName = [](const auto& maker) { return maker.param.name; };

}  // namespace fastid::testing
