// Likeliest paths (engine/path_count.hpp) by the native engine with each instruction set, held to scores
// taken site by site.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/engine_maker.hpp"
#include "support/path_world.hpp"

namespace fastid {
namespace {

using namespace testing;

using Maker = EngineMaker<Engine, Problem>;

const Threshold kThatPass{.max_count = 0}, kNone{0, 0, 1, -1};

std::vector<Maker> makers() {
  std::vector<Maker> all;
  for (const std::string& target : cpu_engine_targets())
    all.push_back({"cpu_" + target,
                   [](const Problem& problem) { return problem.custom_count->make_engine(1); }, target});
  return all;
}

class PathConformance : public ::testing::TestWithParam<Maker> {
 protected:
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

// Both sides of a group of queries and of profiles, of a word and of eight sites.
TEST_P(PathConformance, FindsThePairsThatPass) {
  for (const DrawnSize& size : std::vector<DrawnSize>{{1, 1, 1, 1},
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

}  // namespace
}  // namespace fastid
