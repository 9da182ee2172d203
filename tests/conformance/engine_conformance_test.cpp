// Every engine on this machine against the oracle of support/bits.hpp: counts are integers, so equality, no
// tolerance.
//
// FASTID_TEST_OPENCL names the OpenCL device to test (a selector of --device opencl:SELECTOR); by default the
// first.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"
#include "model/registry.hpp"
#include "opencl/devices.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/bits.hpp"
#include "support/checksums.hpp"
#include "support/engine_world.hpp"
#include "support/every_case.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

struct Maker {
  std::string name;
  bool opencl = false;
  std::function<std::unique_ptr<engine::Engine>()> make;
  bool some_cases = false;  // where each case is a kernel of its own to build, or what differs is no kernel

  friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

std::unique_ptr<engine::Engine> opencl_engine(const opencl::OpenClTuning& tuning) {
  return opencl::make_opencl_engine(opencl_selector(), {}, tuning);
}

// Where no device is named, one that differs from the device's own in all that configs say, since a driver
// for CPUs compiles kernels for seconds; opencl_edges has every one.
std::vector<std::string> configs() {
  if (opencl_selector().empty() && !every_case()) return {"titan_v"};
  return model::embedded_config_names();
}

Maker matrix_maker(const std::string& name, engine::Multiply multiply) {
  return {name, false, [multiply] {
            return engine::make_cpu_engine_for(engine::cpu_engine_target(), {}, engine::LookUp::kWhereItPays,
                                               multiply);
          }};
}

std::vector<Maker> makers() {
  std::vector<Maker> made = {{"reference", false, [] { return engine::make_reference_engine({}); }}};
  for (const std::string& target : engine::cpu_engine_targets()) {
    made.push_back({"cpu_" + target, false, [target] { return engine::make_cpu_engine_for(target, {}); }});
    if (target != "SCALAR")  // has nothing to look up with
      made.push_back({"cpu_always_" + target, false,
                      [target] { return engine::make_cpu_engine_for(target, {}, engine::LookUp::kAlways); }});
  }
  made.push_back(matrix_maker("cpu_matrices", engine::Multiply::kAlways));
  made.push_back(matrix_maker("cpu_plain_matrices", engine::Multiply::kAlwaysPlain));
  made.push_back(matrix_maker("cpu_plain_matrices_where_it_pays", engine::Multiply::kPlainWhereItPays));
  made.push_back({"opencl", true, [] { return opencl_engine({}); }});
  made.push_back({"opencl_own_memory", true, [] { return opencl_engine({.own_memory = true}); }, true});
  for (const std::string& config : configs())
    made.push_back({"opencl_" + config, true, [config] { return opencl_engine({.config = config}); }, true});
  made.push_back({"opencl_overflowing", true, [] { return opencl_engine({.found_pairs = 60}); }, true});
  made.push_back(
      {"opencl_overflowing_later", true, [] { return opencl_engine({.found_pairs = 300}); }, true});
  made.push_back({"opencl_counting_few", true, [] { return opencl_engine({.pairs = 400}); }, true});
  return made;
}

constexpr std::uint32_t kFewSites = 64;        // beyond, Encoding::kAlleles by itself differs in nothing
constexpr std::uint32_t kNarrowSites = 32767;  // kernels for more are others

// Of the kernels' cases, one for each way in which a pair's denominator comes about.
bool is_among_some(engine::Comparison comparison, const Masks& masks, std::uint32_t sites) {
  if (comparison == engine::Comparison::kKinship) return sites > kFewSites && sites <= kNarrowSites / 4;
  if (sites > kNarrowSites && !masks.queries) return false;
  if (masks.encoding == Encoding::kAlleles) return false;
  if (comparison == engine::Comparison::kIdentity) return masks.queries == masks.stored;
  return comparison == engine::Comparison::kMixture && !masks.queries && masks.stored;
}

class EngineConformance : public ::testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    if (GetParam().opencl && opencl::list_opencl_devices().empty())
      GTEST_SKIP() << "no OpenCL driver is installed here";
    if (GetParam().name == "cpu_matrices" && !engine::cpu_multiplies_bytes())
      GTEST_SKIP() << "this CPU has no AMX-INT8, or Linux does not let it be used";
    engine_ = GetParam().make();
  }

  // Runs `check` on a worker for each comparison and mask of a size.
  void for_each_case(const Size& size, const std::function<void(World&, engine::Worker&)>& check) {
    for (const auto& [comparison, masks] : questions()) {
      if (GetParam().some_cases && !is_among_some(comparison, masks, size.sites)) continue;
      if (masks.encoding != masks.by && size.sites > kFewSites) continue;
      SCOPED_TRACE(::testing::Message()
                   << size.sites << " sites, " << size.profiles << " profiles, " << size.queries
                   << " queries, comparison " << static_cast<int>(comparison) << masks);
      World world(size, masks, comparison);
      const Opened worker(*engine_, world.problem, (size.profiles + kLanes - 1) / kLanes);
      check(world, *worker);
      if (HasFailure()) return;
    }
  }

  std::unique_ptr<engine::Engine> engine_;
};

// What concerns engines that run on the CPU by native code.
class NativeConformance : public EngineConformance {};
class MatrixConformance : public EngineConformance {};

TEST_P(EngineConformance, OpenThresholdsGiveEveryPairOnceWithItsCounts) {
  for (const Size& size : {Size{1, 33, 2}, Size{31, 1, 7}, Size{32, 31, 8}, Size{33, 32, 9}, Size{33, 65, 33},
                           Size{1000, 33, 1}, Size{1000, 32, 4}, Size{14'079, 33, 3}})
    for_each_case(size, [&](World& world, engine::Worker& worker) {
      const std::vector<engine::Threshold> open(size.queries);
      EXPECT_EQ(found(worker, world, size.profiles, open), expected(world, size.profiles, open));
    });
}

TEST_P(EngineConformance, ThresholdsLetThroughExactlyWhatPasses) {
  for (const Size& size : {Size{1, 65, 9}, Size{31, 33, 300}, Size{64, 65, 33}, Size{1000, 65, 7},
                           Size{1000, 31, 8}, Size{33, 5000, 9}, Size{14'079, 32, 2}})
    for_each_case(size, [&](World& world, engine::Worker& worker) {
      const std::vector<engine::Threshold> thresholds = random_thresholds(world);
      EXPECT_EQ(found(worker, world, size.profiles, thresholds), expected(world, size.profiles, thresholds));
    });
}

// Words that fill a step of an engine's, or a span of steps, and one site less or more.
TEST_P(NativeConformance, PanelsOfAnyNumberOfSitesAreCounted) {
  for (const std::uint32_t sites : {1u, 31u, 33u, 127u, 128u, 129u, 287u, 288u, 289u, 575u, 577u, 1000u})
    for_each_case({sites, 300, 5}, [&](World& world, engine::Worker& worker) {
      const std::vector<engine::Threshold> thresholds = random_thresholds(world);
      EXPECT_EQ(found(worker, world, 300, thresholds), expected(world, 300, thresholds));
    });
}

// So many queries and profiles that the CPU engine may search pieces of a tile by each of its ways. Where
// all pass it is back to the bits.
TEST_P(NativeConformance, WhicheverWayATileIsSearchedTheSameIsFound) {
  constexpr std::size_t kProfiles = 8'300, kQueries = 24;
  World world({256, kProfiles, kQueries}, {true, false}, engine::Comparison::kIdentity);
  const Opened worker(*engine_, world.problem, (kProfiles + kLanes - 1) / kLanes);
  std::vector<engine::Threshold> thresholds = random_thresholds(world);
  for (engine::Threshold& threshold : thresholds) threshold.max_count = std::min(threshold.max_count, 90u);
  for (const std::vector<engine::Threshold>& each :
       {thresholds, thresholds, thresholds, std::vector<engine::Threshold>(kQueries), thresholds}) {
    const auto found_pairs = found(*worker, world, kProfiles, each);
    EXPECT_TRUE(found_pairs == expected(world, kProfiles, each)) << found_pairs.size();
  }
}

// Denominators beyond 2^16, products of counts and denominators beyond 2^32.
TEST_P(EngineConformance, WidePanelsAreCountedAndBarredExactly) {
  for_each_case({140'001, 3, 2}, [&](World& world, engine::Worker& worker) {
    std::vector<std::vector<engine::Threshold>> tried = {random_thresholds(world)};
    if (!GetParam().some_cases)
      tried.insert(tried.end(), {std::vector<engine::Threshold>(2), random_thresholds(world)});
    for (const std::vector<engine::Threshold>& thresholds : tried)
      EXPECT_EQ(found(worker, world, 3, thresholds), expected(world, 3, thresholds));
  });
}

// Small limits, where an engine may leave a block before its last word: near copies of the queries, which
// differ at the first sites or at the last, must come through all the same.
TEST_P(EngineConformance, SmallLimitsLetThroughExactlyWhatPasses) {
  constexpr std::size_t kProfiles = 131, kQueries = 9;
  for_each_case({640, kProfiles, kQueries}, [&](World& world, engine::Worker& worker) {
    world.change([](const People& queries, People& stored) {
      for (std::size_t p = 3; p < kProfiles; p += 4) {
        testing::Person& person = stored[p];
        const testing::Person& original = queries[p % kQueries];
        for (std::size_t site = 0; site < 640; ++site) {
          const bool changed = p % 8 == 3 ? site < p / 3 : site >= 640 - p / 3;
          if (!person.called[site]) continue;
          if (changed)
            person.see(site, !original.minor[site], original.minor[site]);
          else if (original.called[site])
            person.see(site, original.minor[site], original.major[site]);
        }
      }
    });
    for (const engine::Threshold& threshold :
         {engine::Threshold{0, 1, 0}, engine::Threshold{3, 1, 0}, engine::Threshold{20, 1, 0},
          engine::Threshold{40, 1, 30}, engine::Threshold{100, 1, 8}}) {
      std::vector<engine::Threshold> thresholds(kQueries, threshold);
      thresholds[kQueries - 1].max_count = 7;  // a group's limits need not be equal
      const std::vector<engine::Pair> all = expected(world, kProfiles, thresholds);
      for (int again = 0; again < 4; ++again) ASSERT_EQ(found(worker, world, kProfiles, thresholds), all);
    }
  });
}

// Queries of which nearly all sites are called: an engine may then bound a pair's denominator before it
// counts it.
TEST_P(EngineConformance, AFewSitesNotCalledChangeWhatPassesAndNothingElse) {
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kMixture}) {
    World world({800, 300, 9}, {false, true}, comparison);
    world.change([](People& queries, const People&) {
      for (std::size_t q = 0; q < queries.size(); ++q)
        for (std::size_t site = q; site < 800; site += 97) queries[q].see(site, false, false);
    });
    const Opened worker(*engine_, world.problem, 10);
    for (int again = 0; again < 4; ++again) {
      const std::vector<engine::Threshold> thresholds = random_thresholds(world);
      EXPECT_EQ(found(*worker, world, 300, thresholds), expected(world, 300, thresholds));
    }
  }
}

// Calls every site of stored people, but a last one of each block that `misses` names.
void call_all_but(const std::function<bool(std::size_t block)>& misses, People& stored) {
  for (std::size_t p = 0; p < stored.size(); ++p) {
    const std::size_t sites = stored[p].called.size();
    for (std::size_t site = 0; site < sites; ++site)
      if (!stored[p].called[site]) stored[p].see(site, (p + site) % 3 != 0, (p + site) % 3 != 1);
    if (p % kLanes == 7 && misses(p / kLanes)) stored[p].see(sites - 1, false, false);
  }
}

// Where all calls are there an engine may multiply matrices of bytes: of 32 queries and profiles, and two
// words; 16 blocks and 256 queries at a time.
TEST_P(MatrixConformance, WhatIsFoundDoesNotDependOnWhereCallsAreMissing) {
  const std::vector<Size> sizes = {{63, 577, 1},   {64, 70, 15},  {61, 70, 16},  {64, 577, 17},
                                   {33, 33, 31},   {64, 65, 32},  {63, 577, 33}, {32, 64, 65},
                                   {25, 40, 300},  {32, 577, 33}, {992, 70, 33}, {1023, 65, 33},
                                   {1025, 64, 33}, {1056, 70, 9}};
  const std::vector<std::function<bool(std::size_t)>> missing = {
      [](std::size_t) { return false; }, [](std::size_t block) { return block == 1; },
      [](std::size_t block) { return block != 1; }};
  for (const Size& size : sizes)
    for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kKinship})
      for (const bool query_masks : {false, true})
        for (std::size_t which = 0; which < missing.size(); ++which) {
          SCOPED_TRACE(::testing::Message() << size.sites << " sites, " << size.profiles << " profiles, "
                                            << size.queries << " queries, missing " << which);
          World world(size, {query_masks, true, Encoding::kAlleles, Encoding::kAlleles}, comparison);
          world.change([&](const People&, People& stored) { call_all_but(missing[which], stored); });
          const Opened worker(*engine_, world.problem, (size.profiles + kLanes - 1) / kLanes);
          const std::vector<engine::Threshold> open(size.queries), some = random_thresholds(world);
          for (const std::vector<engine::Threshold>& each : {some, open, some})
            ASSERT_TRUE(found(*worker, world, size.profiles, each) == expected(world, size.profiles, each));
        }
}

// Of 40 queries such an engine multiplies 32. It goes back to the bits of a tile's later blocks, and of all
// of the next tile's, where calls are missing in most, and of a tile where the bits need few words.
TEST_P(MatrixConformance, TilesThatAreMultipliedInPartHaveTheSamePairs) {
  constexpr std::size_t kProfiles = 700, kQueries = 40;
  const std::vector<std::function<bool(std::size_t)>> missing = {
      [](std::size_t block) { return block % 3 != 0; }, [](std::size_t block) { return block >= 16; },
      [](std::size_t block) { return block % 3 == 0; }};
  for (const engine::Comparison comparison : {engine::Comparison::kIdentity, engine::Comparison::kKinship})
    for (std::size_t which = 0; which < missing.size(); ++which) {
      SCOPED_TRACE(::testing::Message()
                   << "comparison " << static_cast<int>(comparison) << ", missing " << which);
      World world({1000, kProfiles, kQueries}, {false, true, Encoding::kAlleles, Encoding::kAlleles},
                  comparison);
      world.change([&](const People& queries, People& stored) {
        call_all_but(missing[which], stored);
        for (std::size_t p = 5; p < kProfiles; p += 60) stored[p] = queries[p % kQueries];
      });
      const Opened worker(*engine_, world.problem, (kProfiles + kLanes - 1) / kLanes);
      const std::vector<engine::Threshold> open(kQueries), some = random_thresholds(world),
                                                           few(kQueries, {20, 1, 0});
      for (const std::vector<engine::Threshold>& each : {some, few, open, few})
        ASSERT_TRUE(found(*worker, world, kProfiles, each) == expected(world, kProfiles, each));
    }
}

// Whether tiles go to memory of the device's own: that of a GPU, or of a driver that is to behave like one.
bool has_own_memory(const Maker& maker) {
  if (maker.name == "opencl_own_memory") return true;
  return maker.opencl && !opencl::select_opencl_device(opencl_selector()).facts.unified_memory;
}

// Devices with memory of their own do. Whether one bit is other than it should be, of whichever plane. 4,200
// profiles have more checksums than a plane has padding.
TEST_P(EngineConformance, TilesAreHeldAgainstTheirChecksumsWhereAWorkerDoesSo) {
  if (!has_own_memory(GetParam())) {
    World world({64, 33, 1}, kMasks[0], engine::Comparison::kIdentity);
    EXPECT_FALSE(Opened(*engine_, world.problem, 2)->checks_blocks());
    return;
  }
  for (const Size& size : {Size{64, 33, 1}, Size{64, 4200, 1}, Size{1000, 300, 9}, Size{14'079, 65, 3}})
    for_each_case(size, [&](World& world, engine::Worker& worker) {
      ASSERT_TRUE(worker.checks_blocks());
      const engine::Tile tile{0, world.problem.database};
      const engine::TileBuffer to = worker.buffer();
      pack_tile(world.stored(), size.sites, to, tile.shape.encoding);
      const BlocksView view{tile.shape, to.bits, world.problem.has_second ? to.second : nullptr};
      const std::vector<std::uint64_t> sums = testing::block_checksums(view);
      const std::vector<engine::Threshold> open(size.queries);
      std::vector<engine::Pair> out;
      EXPECT_EQ(worker.compare(tile, sums, open, out), 0u);
      for (Word* const plane : {to.bits, view.second == nullptr ? nullptr : to.second}) {
        if (plane == nullptr) continue;
        plane[tile.shape.block_words() + 40] ^= 1u << 7;  // of the second block
        EXPECT_EQ(worker.compare(tile, sums, open, out), 1u);
        EXPECT_EQ(worker.compare(tile, {}, open, out), 0u) << "nothing was expected";
        plane[tile.shape.block_words() + 40] ^= 1u << 7;
      }
      EXPECT_THROW(worker.compare(tile, std::span(sums).first(1), open, out), Failure) << "of another tile";
    });
}

// Block sizes on both sides of each step of the checksum: its shortest blocks, rounds of 1,024 bytes.
TEST_P(EngineConformance, ChecksumsOfBlocksOfAnyLengthAreMade) {
  if (GetParam().name != "opencl_own_memory") return;
  for (const std::uint32_t sites : {20u, 33u, 96u, 128u, 129u, 224u, 256u, 257u, 288u, 512u, 1000u, 2080u})
    for (const bool masked : {false, true}) {
      World world({sites, 300, 2}, {false, masked}, engine::Comparison::kIdentity);
      const Opened worker(*engine_, world.problem, 10);
      if (!worker->checks_blocks()) continue;
      pack_tile(world.stored(), sites, worker->buffer());
      const engine::Tile tile{0, {300, sites}};
      std::vector<std::uint64_t> sums = testing::block_checksums(
          {tile.shape, worker->buffer().bits, masked ? worker->buffer().second : nullptr});
      std::vector<engine::Pair> out;
      EXPECT_EQ(worker->compare(tile, sums, std::vector<engine::Threshold>(2), out), 0u) << sites;
      sums.back() ^= std::uint64_t{1} << 40;
      sums[3] ^= 1;
      EXPECT_EQ(worker->compare(tile, sums, std::vector<engine::Threshold>(2), out), 2u) << sites;
    }
}

TEST_P(EngineConformance, RowsAreThoseOfTheDatabase) {
  const World world({40, 65, 3}, {true, true}, engine::Comparison::kIdentity);
  const Opened worker(*engine_, world.problem, 3);
  pack_tile(world.stored(), 40, worker->buffer());
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 33;
  std::vector<engine::Pair> out;
  worker->compare({kFirst, {65, 40}}, {}, std::vector<engine::Threshold>(3), out);
  std::ranges::sort(out);
  std::vector<engine::Pair> right = expected(world, 65, std::vector<engine::Threshold>(3));
  for (engine::Pair& pair : right) pair.row += kFirst * kLanes;
  EXPECT_EQ(out, right);
}

TEST_P(EngineConformance, SmallerTilesAfterLargerOnesFindNothingStale) {
  for_each_case({40, 161, 9}, [&](World& world, engine::Worker& worker) {
    for (const std::size_t n_profiles : {161, 160, 33, 32, 1, 65}) {
      std::vector<engine::Threshold> thresholds = random_thresholds(world);
      thresholds.back() = {};
      EXPECT_EQ(found(worker, world, n_profiles, thresholds), expected(world, n_profiles, thresholds))
          << n_profiles << " profiles";
    }
  });
}

TEST_P(EngineConformance, WorkersOfDifferentProblemsWorkAtTheSameTime) {
  const World first({100, 40, 11}, {true, true}, engine::Comparison::kIdentity);
  const World second({70, 33, 5}, {false, true}, engine::Comparison::kMixture);
  const World third({100, 40, 12}, {true, true}, engine::Comparison::kIdentity);
  const std::vector<const World*> worlds = {&first, &second, &first, &third};
  std::vector<Opened> workers;
  for (const World* world : worlds) workers.emplace_back(*engine_, world->problem, 2);
  ThreadPool(worlds.size()).for_each(worlds.size(), [&](std::size_t i, const auto&) {
    const World& world = *worlds[i];
    const std::vector<engine::Threshold> open(world.queries().size());
    for (const std::size_t n_profiles : {std::size_t{33}, world.stored().size(), std::size_t{2}})
      EXPECT_EQ(found(*workers[i], world, n_profiles, open), expected(world, n_profiles, open)) << i;
  });
}

TEST_P(EngineConformance, AForeignAlleleExcludesAndTheMixturesOwnDoNot) {
  const auto person = [](const testing::Flags& minor) {
    testing::Person of = testing::Person::unseen(5);
    for (std::size_t site = 0; site < minor.size(); ++site) of.see(site, minor[site] != 0, minor[site] == 0);
    return of;
  };
  const ProfileRows mixture = pack_queries({person({1, 1, 0, 1, 0})}, 5);
  const People people = {person({1, 0, 0, 1, 0}), person({0, 1, 0, 0, 0}),
                         person({1, 0, 1, 1, 0})};  // the last one's site 2 is foreign
  const engine::Problem problem{engine::Comparison::kMixture, &mixture, {3, 5}, false};
  const Opened worker(*engine_, problem, 1);
  pack_tile(people, 5, worker->buffer());
  std::vector<engine::Pair> out;
  worker->compare({0, {3, 5}}, {}, std::vector<engine::Threshold>(1), out);
  std::ranges::sort(out);
  EXPECT_EQ(out, (std::vector<engine::Pair>{{0, 0, {0, 2, 5}}, {1, 0, {0, 1, 5}}, {2, 0, {1, 3, 5}}}));
}

TEST_P(EngineConformance, PlansFitTheProblem) {
  const World world({1000, 65, 2}, {true, true}, engine::Comparison::kIdentity);
  const engine::WorkPlan plan = engine_->plan(world.problem);
  EXPECT_GE(plan.workers, 1u);
  EXPECT_GE(plan.tile_blocks, 1u);
  EXPECT_LE(plan.tile_blocks, 3u);
  EXPECT_FALSE(engine_->name().empty());
  EXPECT_NE(engine_->description().find("engine"), std::string::npos);
}

std::vector<Maker> native_makers() {
  std::vector<Maker> made = makers();
  std::erase_if(made, [](const Maker& maker) { return maker.opencl; });
  return made;
}

std::vector<Maker> matrix_makers() {
  std::vector<Maker> made = native_makers();
  std::erase_if(made, [](const Maker& maker) { return maker.name.find("matrices") == std::string::npos; });
  return made;
}

INSTANTIATE_TEST_SUITE_P(All, EngineConformance, ::testing::ValuesIn(makers()),
                         [](const auto& maker) { return maker.param.name; });
INSTANTIATE_TEST_SUITE_P(All, NativeConformance, ::testing::ValuesIn(native_makers()),
                         [](const auto& maker) { return maker.param.name; });
INSTANTIATE_TEST_SUITE_P(All, MatrixConformance, ::testing::ValuesIn(matrix_makers()),
                         [](const auto& maker) { return maker.param.name; });

}  // namespace
}  // namespace fastid
