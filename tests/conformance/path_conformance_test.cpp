// Likeliest paths (engine/path_finder.hpp) with each instruction set, held to scores taken site by site.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/engine_maker.hpp"
#include "support/path_world.hpp"

namespace fastid {
namespace {

using namespace testing;

using FinderMaker = EngineMaker<engine::PathFinder, engine::PathQueries>;

std::vector<FinderMaker> finder_makers() {
  std::vector<FinderMaker> all;
  for (const std::string& target : engine::cpu_engine_targets())
    all.push_back(
        {"cpu_" + target,
         [](const engine::PathQueries& queries) { return std::make_unique<engine::PathFinder>(queries); },
         target});
  return all;
}

class PathConformance : public ::testing::TestWithParam<FinderMaker> {
 protected:
  static void expect_conforms(const PathWorld& world) {
    const engine::PathQueries queries(world.test, world.queries);
    constexpr std::uint32_t kFirst = 96;
    std::vector<std::vector<std::uint32_t>> right(queries.size(), {7});  // what is there stays
    for (std::uint32_t query = 0; query < right.size(); ++query)
      for (std::uint32_t profile = 0; profile < world.blocks.shape().n_profiles; ++profile)
        if (world.passes(query, profile)) right[query].push_back(kFirst + profile);
    GetParam().use(queries, [&](engine::PathFinder& finder) {
      for (int time = 0; time < 2; ++time) {
        std::vector<std::vector<std::uint32_t>> found(queries.size(), {7});
        finder.find(world.blocks.view(), kFirst, found);
        EXPECT_EQ(found, right);
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
    expect_conforms(PathWorld(size));
  }
}

TEST_P(PathConformance, WhereNoPairPassesOrAllDo) {
  PathWorld world({300, 140, 20, 2, 95});
  for (engine::PathTable& table : world.test.tables) table.of_missing = 0, table.most_missing = 600;
  world.test.tables.front().least_score = 0;
  world.test.tables.back().least_score = 0;
  expect_conforms(world);  // all
  world.test.tables.back().scores.assign(world.test.tables.back().scores.size(), {});
  world.test.tables.back().least_score = 1;
  expect_conforms(world);  // none
  world.test.tables.back().most_missing = 0;
  expect_conforms(world);  // all that lack a site
}

INSTANTIATE_TEST_SUITE_P(Engines, PathConformance, ::testing::ValuesIn(finder_makers()),
                         [](const auto& maker) { return maker.param.name; });

TEST(PathWorlds, HaveScoresOfAllKindsWhichTheDefinitionHasToo) {
  const PathWorld world({300, 64, 33, 3, 95});
  std::set<int> seen;
  for (const engine::PathTable& table : world.test.tables)
    for (std::size_t query = 0; query < world.queries.n_rows(); ++query) {
      const auto scores =
          engine::path_scores(table, engine::path_codes(world.test.units, world.queries.row(query)));
      for (std::size_t profile = 0; profile < 64; ++profile) {
        const int score = world.score(table, query, profile);
        EXPECT_EQ(engine::plain_path_score(table, world.test.units, scores, world.blocks.view(), profile),
                  score);
        seen.insert(score);
      }
    }
  EXPECT_GT(seen.size(), 40U);
}

}  // namespace
}  // namespace fastid
