// Likeliest paths (engine/path_count.hpp) by every engine that tests them, held to scores taken site by site.
//
// FASTID_TEST_OPENCL names the OpenCL device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "opencl/kernel/path_proof.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/engine_maker.hpp"
#include "support/opencl_device.hpp"
#include "support/path_world.hpp"

namespace fastid {
namespace {

using namespace testing;

using Maker = EngineMaker<Engine, Problem>;

const Threshold kThatPass{.max_count = 0}, kNone{0, 0, 1, -1};

std::unique_ptr<Engine> opencl_engine(const OpenClTuning& tuning) {
  return make_opencl_engine(opencl_selector(), {}, tuning);
}

std::vector<Maker> makers() {
  std::vector<Maker> all;
  for (const std::string& target : cpu_engine_targets())
    all.push_back({"cpu_" + target,
                   [](const Problem& problem) { return make_path_engine(paths_of(problem)->test(), 1); },
                   target});
  const auto opencl = [&](const std::string& name, const OpenClTuning& tuning) {
    all.push_back({name, [=](const Problem&) { return opencl_engine(tuning); }, "", true});
  };
  opencl("opencl", {});
  opencl("opencl_own_memory", {.own_memory = true});
  opencl("opencl_overflowing", {.found_pairs = 100});
  opencl("opencl_testing_few", {.pairs = 700});
  all.push_back({"opencl_twice",
                 [](const Problem&) {
                   std::vector<std::unique_ptr<Engine>> two;
                   for (int i = 0; i < 2; ++i) two.push_back(opencl_engine({}));
                   return make_joint_engine(std::move(two));
                 },
                 "", true});
  return all;
}

class PathConformance : public ::testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    if (!GetParam().can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }

  /// \param first_block  of the tile
  static void expect_conforms(const PathWorld& world, std::uint64_t first_block) {
    const PathCount count(world.test, world.queries);
    const Problem problem = world.problem(count);
    const std::size_t n = world.queries.n_rows();
    std::vector<Threshold> turns(n);
    for (std::size_t query = 0; query < n; ++query)
      turns[query] = std::array{kThatPass, kNone, Threshold{}}[query % 3];
    GetParam().use(problem, [&](Engine& engine) {
      const Tile tile{.first_block = first_block, .shape = world.blocks.shape()};
      const auto queries = engine.prepare(problem, {.workers = 0});
      const auto worker = queries->open_worker(tile.n_blocks());
      world.fill(worker->buffer());
      for (const std::vector<Threshold>& thresholds :
           {std::vector(n, kThatPass), turns, std::vector(n, kNone), std::vector(n, Threshold{})}) {
        std::vector<Pair> found;
        EXPECT_EQ(worker->compare(tile, {}, thresholds, found), 0u);
        std::ranges::sort(found);
        EXPECT_EQ(found, world.passing(thresholds, tile.first_row()));
      }
    });
  }
};

// Both sides of the 16 queries and the 256 profiles of a work-group, of a word and of eight sites.
TEST_P(PathConformance, FindsThePairsThatPass) {
  for (const PathSize& size : std::vector<PathSize>{{1, 1, 1, 1},
                                                    {8, 33, 2, 1},
                                                    {64, 31, 16, 1},
                                                    {101, 255, 1, 2, 97},
                                                    {203, 257, 17, 1, 90},
                                                    {1000, 64, 33, 3, 95},
                                                    {97, 300, 15, 1, 60}}) {
    SCOPED_TRACE(::testing::Message() << size);
    expect_conforms(PathWorld(size), 3);
  }
}

// Few enough for Oclgrind.
TEST_P(PathConformance, FindsThoseOfFewPeople) {
  expect_conforms(PathWorld({45, 3, 17, 1, 90}), 0);
}

TEST_P(PathConformance, WhereNoPairPassesOrAllDo) {
  PathWorld world({300, 140, 20, 2, 95});
  for (PathTable& table : world.test.tables) table.of_missing = 0, table.most_missing = 600;
  world.test.tables.front().least_score = 0;
  world.test.tables.back().least_score = 0;
  expect_conforms(world, 0);  // all
  world.test.tables.back().scores.assign(world.test.tables.back().scores.size(), {});
  world.test.tables.back().least_score = 1;
  expect_conforms(world, 0);  // none
  world.test.tables.back().most_missing = 0;
  expect_conforms(world, 0);  // all that lack a site
}

INSTANTIATE_TEST_SUITE_P(Engines, PathConformance, ::testing::ValuesIn(makers()),
                         [](const auto& maker) { return maker.param.name; });

TEST(PathWorlds, HaveScoresOfAllKindsWhichTheDefinitionHasToo) {
  const PathWorld world({300, 64, 33, 3, 95});
  std::set<int> seen;
  for (const PathTable& table : world.test.tables)
    for (std::size_t query = 0; query < world.queries.n_rows(); ++query) {
      const auto scores = path_scores(table, path_codes(world.test.units, world.queries.row(query)));
      for (std::size_t profile = 0; profile < 64; ++profile) {
        const int score = world.score(table, query, profile);
        EXPECT_EQ(plain_path_score(table, world.test.units, scores, world.blocks.view(), profile), score);
        seen.insert(score);
      }
    }
  EXPECT_GT(seen.size(), 40U);
}

class PathsOnADevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
};

/// Finds one pair too few.
class Forgetful final : public Worker {
 public:
  explicit Forgetful(std::unique_ptr<Worker> right) : right_(std::move(right)) {}
  TileBuffer buffer() override { return right_->buffer(); }
  std::size_t compare(const Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const Threshold> thresholds, std::vector<Pair>& out) override {
    const std::size_t damaged = right_->compare(tile, checksums, thresholds, out);
    out.pop_back();
    return damaged;
  }

 private:
  std::unique_ptr<Worker> right_;
};

TEST(PathProof, FindsADeviceThatMissesAPair) {
  const PathProof proof;
  const auto engine = make_path_engine(proof.test(), 1);
  const auto queries = engine->prepare(proof.problem(), {});
  const auto blocks = static_cast<std::size_t>(proof.problem().database.n_blocks());
  EXPECT_EQ(proof.fault_of(*queries->open_worker(blocks)), "");
  Forgetful forgetful(queries->open_worker(blocks));
  EXPECT_NE(proof.fault_of(forgetful), "");
}

// A tile has no more pairs than the host keeps of those that pass.
TEST_F(PathsOnADevice, HaveTilesOfABoundedNumberOfPairs) {
  const PathWorld world({100, 40, 300});
  const PathCount count(world.test, world.queries);
  Problem problem = world.problem(count);
  problem.database = problem.database.with(std::uint64_t{10'000'000});
  const auto engine = opencl_engine({});
  EXPECT_TRUE(engine->counts(problem));
  const WorkPlan plan = engine->plan(problem);
  EXPECT_GE(plan.tile_blocks, 1U);
  EXPECT_LE(plan.tile_blocks * kLanes * 300, std::size_t{1} << 25);
}

}  // namespace
}  // namespace fastid
