// The machine's caches as a folder lists them, and the shape of a roofline.
#include "bench/roofline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/internal/caches.hpp"
#include "bench/internal/machine.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/cpu/cpu_kernel.hpp"
#include "support/temp_folder.hpp"

namespace fastid::bench {
namespace {

using fastid::testing::TempFolder;
using ::testing::ElementsAre;

void add_cache(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& facts) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : facts) std::ofstream(folder + "/" + name) << text << "\n";
}

TEST(Caches, AreThoseThatHoldData) {
  const TempFolder folder;
  const std::string at = folder.path();
  add_cache(at + "/index0",
            {{"level", "3"}, {"type", "Unified"}, {"size", "32M"}, {"shared_cpu_list", "0-3,8-11"}});
  add_cache(at + "/index1",
            {{"level", "1"}, {"type", "Instruction"}, {"size", "32K"}, {"shared_cpu_list", "0"}});
  add_cache(at + "/index2", {{"level", "1"}, {"type", "Data"}, {"size", "48K"}, {"shared_cpu_list", "0,4"}});
  const std::vector<Cache> caches = caches_of_cpu(at);
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[0].name(), "L1");
  EXPECT_EQ(caches[0].bytes, 48u << 10);
  EXPECT_EQ(caches[0].cpus, 2u);
  EXPECT_EQ(caches[1].name(), "L3");
  EXPECT_EQ(caches[1].bytes, 32u << 20);
  EXPECT_EQ(caches[1].cpus, 8u);
  EXPECT_EQ(caches[1].share_of(1), 32u << 20);
  EXPECT_EQ(caches[1].share_of(4), 8u << 20);
  EXPECT_EQ(caches[1].share_of(16), 4u << 20);  // two of such caches
}

// A Xeon 8480+: with all of its 56 cores an L3 has less for each than the L2 has, which would be read
// instead.
TEST(Caches, AreReadBeyondWhatTheNearerOneKeeps) {
  const std::vector<Cache> caches = {{1, 48u << 10, 2}, {2, 2u << 20, 2}, {3, 105u << 20, 112}};
  EXPECT_EQ(bytes_to_read(caches, 0, 1), 24u << 10);
  EXPECT_EQ(bytes_to_read(caches, 1, 1), 1u << 20);
  EXPECT_EQ(bytes_to_read(caches, 2, 1), (105u << 20) / 2);
  EXPECT_EQ(bytes_to_read(caches, 2, 56), 0u);
  EXPECT_EQ(bytes_to_read(caches, 2, 112), 0u);
  const std::vector<Cache> near = {{2, 2u << 20, 1}, {3, 96u << 20, 16}};
  EXPECT_EQ(bytes_to_read(near, 1, 16), 4u << 20);  // half of its share would be 3 MiB
}

TEST(Caches, ThatNobodyListsAreNone) {
  const TempFolder folder;
  EXPECT_TRUE(caches_of_cpu(std::string(folder.path())).empty());
  add_cache(std::string(folder.path()) + "/index0", {{"level", "one"}, {"type", "Data"}, {"size", "many"}});
  EXPECT_TRUE(caches_of_cpu(std::string(folder.path())).empty());
}

TEST(Machine, MemoryToBeReadHasPagesOfItsOwn) {
  ThreadPool pool(2);
  for (const std::size_t words : {std::size_t{1}, std::size_t{1000}, (std::size_t{1} << 20) + 3}) {
    const WordBuffer memory = written_memory(words, pool);
    ASSERT_EQ(memory.size(), words);
    EXPECT_EQ(std::ranges::count(memory.span(), ~Word{0}), static_cast<std::ptrdiff_t>(words));
  }
}

TEST(Machine, WhatIsCachedIsReadByEveryThread) {
  ThreadPool pool(2);
  const Bounds bounds("", pool);
  for (const std::size_t words : {1024u, 8192u, 1u << 19}) EXPECT_GT(bounds.cached(words), 0) << words;
}

// With 8 bits for a byte the lines of memory are 0.8 and of L1 8 Tbit/s.
TEST(Roofline, NamesTheLowestRoofAboveAKernel) {
  DeviceRoofline of;
  of.roofs = {{"L1", "", 1e12, true},
              {"memory", "", 1e11, true},
              {"slow", "", 6e12, false},
              {"fast", "", 1e13, false}};
  const auto next = [&](double rate) { return next_roof(of, {.name = "k", .intensity = 8, .rate = rate}); };
  struct Expected {
    double rate;
    const char* name;
    double share;
  };
  for (const Expected& expected : {Expected{4e11, "memory", .5}, Expected{4e12, "L1", .5},
                                   Expected{9e12, "fast", .9}, Expected{2e13, "fast", 2}}) {
    EXPECT_EQ(next(expected.rate).name, expected.name) << expected.rate;
    EXPECT_DOUBLE_EQ(next(expected.rate).share, expected.share) << expected.rate;
  }
}

/// An engine that says nothing of its kernel has no place in the picture.
TEST(Roofline, HasAPointForEachKernelThatIsKnown) {
  RooflineOptions options;
  options.devices = {"cpu", "opencl:made-up", "opencl:without-popcount"};
  options.threads = 2;
  options.repeats = 1;
  options.quick = true;
  tune::DeviceRoofs roofs;
  roofs.is_cpu = true;
  roofs.best = {.memory = 1e9, .local = 0, .popcounts = 2e9, .logic = 3e9, .compared = 4e9};
  roofs.adders = 5e9;
  roofs.by_groups = {{1, roofs.best}, {2, roofs.best}};
  std::size_t steps = 0;
  const RooflineReport report =
      run_roofline(options,
                   {[](const std::string&, const engine::EngineOptions& engine) {
                      return engine::make_cpu_engine(engine);
                    },
                    [](const std::string&, const engine::LdProblem& problem) {
                      return engine::make_ld_engine("cpu", problem);
                    },
                    [](const std::string& device, const engine::EpistasisProblem& problem) {
                      return engine::make_epistasis_engine(device == "cpu" ? "cpu" : "reference", problem);
                    },
                    [](const std::string&, const engine::VectorBlocks& vectors) {
                      return engine::make_similarity("cpu", vectors);
                    },
                    [&](const std::string& device) {
                      roofs.by_popcount = device != "opencl:without-popcount";
                      return device == "cpu" ? std::nullopt : std::optional(roofs);
                    }},
                   [&] { ++steps; });
  EXPECT_EQ(steps, 3 * roofline_steps());
  EXPECT_EQ(report.threads, 2u);
  ASSERT_EQ(report.devices.size(), 3u);
  const DeviceRoofline &cpu = report.devices[0], &made_up = report.devices[1];
  const std::size_t by_lookups =
      engine::kernels_of(engine::cpu_engine_target())->has_vector_popcount() ? 0 : 4;
  EXPECT_EQ(cpu.points.size(), 12 - by_lookups);
  for (const KernelPoint& point : cpu.points) {
    EXPECT_GT(point.rate, 0) << point.name;
    EXPECT_GT(point.intensity, 1) << point.name;
  }
  EXPECT_FALSE(cpu.work_groups);
  EXPECT_THAT(cpu.counts, ElementsAre(1, 2));
  for (const Growth& growth : cpu.growth) EXPECT_EQ(growth.rates.size(), 2u) << growth.name;
  EXPECT_EQ(made_up.points.size(), 10 - by_lookups);  // not those of epistasis
  EXPECT_TRUE(made_up.work_groups);
  EXPECT_THAT(made_up.counts, ElementsAre(1, 2));
  std::vector<std::string> names;
  for (const Peak& roof : made_up.roofs) names.push_back(roof.name);
  EXPECT_THAT(names, ElementsAre("memory", "popcount", "full adders"));
  ASSERT_EQ(report.devices[2].roofs.size(), 1u);
  EXPECT_EQ(report.devices[2].roofs[0].name, "memory");
}

}  // namespace
}  // namespace fastid::bench
