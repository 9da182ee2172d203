// --device auto: which engine a problem gets, and what is asked to find out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "asking/auto_engine.hpp"
#include "asking/engines.hpp"
#include "base/error.hpp"
#include "engine/screen_count.hpp"
#include "engine/weighted_count.hpp"
#include "model/stated_traits.hpp"
#include "opencl/engine_by_name.hpp"

namespace fastid::asking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Sources that note that they were asked.
struct World {
  std::vector<std::string> asked;
  double cpu_rate = 5e12;
  std::vector<model::KernelConfig> tuned;
  std::vector<AutoCandidate> gpus;
  bool no_driver = false, no_device = false;

  AutoSources sources() {
    return {[this] { return asked.emplace_back("configs"), tuned; },
            [this](const engine::EngineOptions&) { return asked.emplace_back("cpu"), cpu_rate; },
            [this](const model::HostRates&, const model::Workload&) {
              asked.emplace_back("gpus");
              if (no_driver) throw DeviceError("drivers fail");
              return gpus;
            },
            [this](const std::string& device, const engine::EngineOptions& options) {
              asked.emplace_back(device);
              if (no_device) throw DeviceError("the device is lost");
              return engine::make_reference_engine(options);  // stands for it: another name than "cpu"
            }};
  }

  std::string engine_for(std::uint64_t queries, std::uint64_t profiles) {
    const ProfileRows rows(static_cast<std::size_t>(queries), 1024);
    const auto engine = make_auto_engine({.threads = 2}, sources());
    const engine::Problem problem{engine::Comparison::kIdentity, &rows, {profiles, 1024}, false};
    EXPECT_EQ(engine->name(), "cpu") << "until it is asked for a plan";
    EXPECT_GE(engine->plan(problem).workers, 1u);
    return engine->name();
  }
};

// What an H200 may need for 2,048 queries against 20,000,000 profiles, which take this CPU 8.5 s.
AutoCandidate h200() {
  return {"opencl:0.0", 0.5};
}

TEST(Auto, ASmallProblemStaysWithTheCpuAndNothingIsMeasured) {
  World world;
  world.gpus = {h200()};
  EXPECT_EQ(world.engine_for(1, 2504), "cpu");
  EXPECT_EQ(world.engine_for(32, 1'000'000), "cpu");
  EXPECT_THAT(world.asked, ElementsAre("configs", "configs"));  // of two engines
}

TEST(Auto, ALargerOneHasTheCpuMeasuredAndNoDriverAsked) {
  World world;
  world.gpus = {h200()};
  EXPECT_EQ(world.engine_for(256, 4'000'000), "cpu");
  EXPECT_THAT(world.asked, ElementsAre("configs", "cpu"));
}

TEST(Auto, AHugeOneGoesToTheFasterGpu) {
  World world;
  world.gpus = {h200()};
  world.gpus.insert(world.gpus.begin(), {"opencl:1.0", 0.6});
  EXPECT_EQ(world.engine_for(2048, 20'000'000), "reference");
  EXPECT_THAT(world.asked, ElementsAre("configs", "cpu", "gpus", "opencl:0.0"));
}

/// A count of which no device knows.
struct UnknownCount final : engine::CustomCount {
  std::unique_ptr<engine::Engine> make_engine(std::size_t) const override {
    return engine::make_cpu_engine({});
  }
  engine::PairCounts count_pair(std::size_t, const BlocksView&, std::uint64_t) const override { return {}; }
};

TEST(Auto, WakesAGpuForWeightsAndForNoOtherCountOfItsOwn) {
  const ProfileRows rows(2048, 1024);
  engine::Problem problem{engine::Comparison::kIdentity, &rows, {20'000'000, 1024}, false};
  const engine::WeightedCount weights(problem,
                                      std::vector<std::vector<engine::SiteWeightsByKind>>(rows.n_rows()));
  World world;
  world.gpus = {h200()};
  const auto engine = make_auto_engine({.threads = 2}, world.sources());
  const UnknownCount unknown;
  problem.custom_count = &unknown;
  EXPECT_FALSE(engine->supports(problem));
  EXPECT_THAT(world.asked, IsEmpty());
  problem.custom_count = &weights;
  EXPECT_TRUE(engine->supports(problem));
  EXPECT_EQ(engine->name(), "reference");
  problem.database.n_profiles = 1;
  EXPECT_FALSE(make_auto_engine({.threads = 2}, world.sources())->supports(problem)) << "the cpu's own does";
}

/// Chains of some queries with millions of profiles.
class SomeChains final : public engine::ScreenCount {
 public:
  std::vector<const engine::ScreenTable*> tables() const override { return {}; }
  bool by_rows() const override { return rows; }
  std::unique_ptr<engine::CustomCount> sliced(const engine::Problem&, std::size_t) const override {
    return std::make_unique<SomeChains>();
  }
  std::unique_ptr<engine::Engine> make_engine(std::size_t) const override { return nullptr; }
  engine::PairCounts count_pair(std::size_t, const BlocksView&, std::uint64_t) const override { return {}; }

  bool rows = true;
};
struct ManyChains {
  ProfileRows rows{256, 1024, Encoding::kAlleles};
  SomeChains chains;
  engine::Problem problem{engine::Comparison::kKinship, &rows,  {4'000'000, 1024, Encoding::kAlleles}, true,
                          Encoding::kAlleles,           &chains};
};

// A chain takes as long as a hundred comparisons.
TEST(Auto, WakesAGpuForChainsOfFewerPairs) {
  ManyChains many;
  World world;
  world.gpus = {h200()};
  const auto engine = make_auto_engine({.threads = 2}, world.sources());
  many.chains.rows = false;
  EXPECT_FALSE(engine->supports(many.problem)) << "devices do not know likelihoods";
  EXPECT_THAT(world.asked, IsEmpty());
  many.chains.rows = true;
  EXPECT_TRUE(engine->supports(many.problem));
  EXPECT_EQ(engine->name(), "reference");
  EXPECT_THAT(world.asked, ElementsAre("configs", "cpu", "gpus", "opencl:0.0"));
}

/// A device that prepares nothing.
class RefusingEngine final : public engine::Engine {
 public:
  std::string name() const override { return "refusing"; }
  std::string description() const override { return "refusing"; }
  engine::WorkPlan plan(const engine::Problem&) const override { return {}; }
  bool supports(const engine::Problem&) const override { return true; }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    EXPECT_EQ(problem.queries->n_rows(), 17u) << "for the program of many, but not all";
    EXPECT_EQ(plan.workers, 0u);
    throw DeviceError("the device miscounts");
  }
};

TEST(Auto, AGpuThatCannotComputeChainsLeavesThemToTheCpu) {
  const ManyChains many;
  World world;
  world.gpus = {h200()};
  AutoSources sources = world.sources();
  sources.make_gpu = [](const std::string&, const engine::EngineOptions&) {
    return std::make_unique<RefusingEngine>();
  };
  const auto engine = make_auto_engine({.threads = 2}, sources);
  EXPECT_FALSE(engine->supports(many.problem));
  EXPECT_EQ(engine->name(), "refusing") << "which was chosen";
}

TEST(Auto, ACpuThatIsFasterThanTheGpuIsTaken) {
  World world;
  world.gpus = {h200()};
  world.gpus.front().seconds = 10;
  EXPECT_EQ(world.engine_for(2048, 20'000'000), "cpu");
  EXPECT_THAT(world.asked, ElementsAre("configs", "cpu", "gpus"));
}

TEST(Auto, WhereNoDriverWorksOrNoGpuIsThereTheCpuCompares) {
  World none, broken;
  EXPECT_EQ(none.engine_for(2048, 20'000'000), "cpu");
  broken.no_driver = true;
  EXPECT_EQ(broken.engine_for(2048, 20'000'000), "cpu");
  EXPECT_THAT(broken.asked, ElementsAre("configs", "cpu", "gpus"));
}

TEST(Auto, AGpuThatCannotBeOpenedGivesWayToTheCpu) {
  World world;
  world.gpus = {h200()};
  world.no_device = true;
  EXPECT_EQ(world.engine_for(2048, 20'000'000), "cpu");
}

// A device that was measured to start faster than any is taken to, is asked for sooner.
TEST(Auto, ATunedStartUpMovesTheTurningPoint) {
  World world;
  world.cpu_rate = 1e12;
  world.gpus = {h200()};
  world.gpus.front().seconds = 0.05;
  const std::uint64_t queries = 200, profiles = 1'000'000;
  EXPECT_EQ(world.engine_for(queries, profiles), "cpu");
  model::KernelConfig tuned;
  tuned.hw_startup_ms = 10;
  world.tuned = {tuned};
  EXPECT_EQ(world.engine_for(queries, profiles), "reference");
}

// Questions that count what is in memory know their work before an engine is made.
TEST(Auto, AKnownWorkHasADevice) {
  World world;
  world.gpus = {h200()};
  EXPECT_EQ(auto_device({32, 1'000'000, 1024}, {.threads = 2}, world.sources()), "cpu");
  EXPECT_EQ(auto_device({2048, 20'000'000, 1024}, {.threads = 2}, world.sources()), "opencl:0.0");
  world.no_driver = true;
  EXPECT_EQ(auto_device({2048, 20'000'000, 1024}, {.threads = 2}, world.sources()), "cpu");
}

TEST(Auto, DecidesOnce) {
  World world;
  world.gpus = {h200()};
  const ProfileRows many(2048, 1024), one(1, 1024);
  const auto engine = make_auto_engine({.threads = 2}, world.sources());
  engine->plan({engine::Comparison::kIdentity, &many, {20'000'000, 1024}, false});
  engine->plan({engine::Comparison::kIdentity, &one, {10, 1024}, false});
  EXPECT_EQ(engine->name(), "reference");
  EXPECT_THAT(world.asked, ElementsAre("configs", "cpu", "gpus", "opencl:0.0"));
}

TEST(Auto, IsWhatTheWordMeans) {
  const auto engine = make_engine("auto", {});
  const ProfileRows one(1, 64);
  engine->plan({engine::Comparison::kIdentity, &one, {10, 64}, false});
  EXPECT_EQ(engine->name(), "cpu");
}

TEST(JoinedDevices, AreNoDriversForTheCpuWhereThereIsAGpu) {
  model::DeviceFacts cpu, gpu;
  cpu.type = "CPU";
  gpu.type = "GPU";
  EXPECT_EQ(opencl::devices_to_combine({cpu, gpu, cpu, gpu}).size(), 2u);
  EXPECT_EQ(opencl::devices_to_combine({cpu, gpu}).front().type, "GPU");
  EXPECT_EQ(opencl::devices_to_combine({cpu, cpu}).size(), 2u);
  EXPECT_THAT(opencl::devices_to_combine({}), IsEmpty());
}

// Of so many queries that comparing is nearly all there is.
TEST(GpuSeconds, ComparingTakesWhatTheModelSaysAndTheRestIsStartAndLink) {
  model::DeviceFacts device;
  device.selector = "0.0";
  device.clock_mhz = 1000;
  device.compute_units = 10;
  const model::HostRates host{.threads = 16};
  model::KernelConfig config;
  config.m_c = 64;
  const auto seconds = [&](std::uint64_t queries, std::uint64_t profiles = 1'000'000) {
    return gpu_seconds(device, config, host, {queries, profiles, 1024});
  };
  const auto comparing = [&] {
    return model::compare_seconds(config, model::run_traits(device, &config, true),
                                  model::Workload{64'000, 1'000'000, 1024});
  };
  const double least = seconds(64'000), least_comparing = comparing();
  config.rate_popcount = 1000;
  config.start_popcount = 1024;
  EXPECT_NEAR((least - seconds(64'000)) / (least_comparing - comparing()), 1, 0.02);
  EXPECT_NEAR(seconds(64 * 9 + 1), seconds(64 * 10), 0.002);  // whole M_C

  config.hw_startup_ms = 5000;
  const double slow_link = seconds(1, 100'000'000);
  EXPECT_GT(slow_link, 5 + 12.8e9 / model::kUnknownUpload);
  config.hw_upload_mbytes = 20000;
  EXPECT_LT(seconds(1, 100'000'000), slow_link);
  device.unified_memory = true;  // then the file is all that is waited for
  EXPECT_NEAR(seconds(1, 100'000'000), 5 + 64e8 * 1024 / 0.5e12, 0.6);  // in two buffers
}

TEST(CpuRate, IsARateThatACpuCanHave) {
  const double rate = measured_cpu_rate({.threads = 1});
  EXPECT_GT(rate, 1e9);
  EXPECT_LT(rate, 1e14);
}

}  // namespace
}  // namespace fastid::asking
