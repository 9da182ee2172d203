// Sums of weights by what stored people show, held to sums taken bit by bit.
#include "engine/weighted_count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cpu/weigh_pass.hpp"
#include "support/cpu_targets.hpp"
#include "support/weighed_world.hpp"

namespace fastid {
namespace {

using testing::WeighedSize;
using testing::WeighedWorld;

class WeightedCounts : public ::testing::TestWithParam<WeighedSize> {
 protected:
  WeighedWorld world_{GetParam()};
  WeightedCount count_{world_.problem(), world_.weights};
};

TEST_P(WeightedCounts, AreSumsOfEachSitesWeight) {
  for (std::size_t query = 0; query < WeighedWorld::kQueries; ++query)
    for (std::size_t profile = 0; profile < GetParam().n_profiles; ++profile)
      EXPECT_EQ(count_.count_pair(query, world_.blocks.view(), profile), world_.expected(query, profile))
          << query << ' ' << profile;
}

TEST_P(WeightedCounts, OfASliceAreThoseOfItsQueries) {
  const ProfileRows rows = world_.queries.slice(2, 2);
  Problem problem = world_.problem();
  problem.queries = &rows;
  const std::unique_ptr<OwnCount> slice = count_.sliced(problem, 2);
  for (std::size_t query = 0; query < 2; ++query)
    EXPECT_EQ(slice->count_pair(query, world_.blocks.view(), 0), world_.expected(2 + query, 0)) << query;
}

TEST_P(WeightedCounts, AnEngineFindsAllPairsThatPass) {
  const auto engine = count_.make_engine(2);
  const Problem problem = world_.problem(&count_);
  const auto prepared = engine->prepare(problem, engine->plan(problem));
  const BlocksView view = world_.blocks.view();
  const Tile tile{.first_block = 3, .shape = view.shape};
  const std::vector<Threshold> thresholds = testing::some_thresholds();
  const std::vector<Pair> wanted = world_.passing(thresholds, tile.first_row());
  const auto compare = [&](Worker& worker) {
    std::vector<Pair> found;
    EXPECT_EQ(worker.compare(tile, {}, thresholds, found), 0u);
    EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(wanted));
  };
  const auto worker = prepared->open_worker(tile.n_blocks());
  ASSERT_TRUE(worker->borrow(view));
  compare(*worker);
  world_.fill(worker->buffer());
  compare(*worker);
}

TEST_P(WeightedCounts, AreTheSameWithEachInstructionSet) {
  const std::vector<WeightedWord> words = words_of(world_.weights[0].front());
  const BlocksView view = world_.blocks.view();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(view.shape.n_blocks()) * kLanes);
  for (const std::string& target : cpu_engine_targets()) {
    const WeighPass pass = weigh_pass_of(target);
    ASSERT_NE(pass, nullptr) << target;
    std::ranges::fill(sums, -1);
    pass(words, GetParam().by, view, sums.data());
    for (std::size_t profile = 0; profile < GetParam().n_profiles; ++profile)
      EXPECT_EQ(sums[profile], std::int64_t{WeightedCount::kNoWeight} - world_.expected(0, profile).count)
          << target << ' ' << profile;
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, WeightedCounts, ::testing::ValuesIn(testing::kWeighedSizes));

TEST(WeightedCount, StopsAtTheMostThatACountHolds) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  EXPECT_EQ(WeightedCount::count_of(kMany), 1u);
  EXPECT_EQ(WeightedCount::count_of(-kMany), 2 * WeightedCount::kNoWeight - 1);
  EXPECT_EQ(WeightedCount::count_of(-5), WeightedCount::kNoWeight + 5);
}

}  // namespace
}  // namespace fastid
