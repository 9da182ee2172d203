// Sums of weights of a slice of the queries, and of more than a count holds. tests/conformance has the
// engines.
#include "engine/weighted_count.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/weighed_world.hpp"

namespace fastid::engine {
namespace {

using testing::WeighedSize;
using testing::WeighedWorld;

class WeightedCounts : public ::testing::TestWithParam<WeighedSize> {
 protected:
  WeighedWorld world_{GetParam()};
  WeightedCount count_{world_.problem(), world_.weights};
};

TEST_P(WeightedCounts, OfASliceAreThoseOfItsQueries) {
  const ProfileRows rows = world_.queries.slice(2, 2);
  Problem problem = world_.problem();
  problem.queries = &rows;
  const std::unique_ptr<CustomCount> slice = count_.sliced(problem, 2);
  for (std::size_t query = 0; query < 2; ++query)
    EXPECT_EQ(slice->count_pair(query, world_.blocks.view(), 0), world_.expected(2 + query, 0)) << query;
}

INSTANTIATE_TEST_SUITE_P(Encodings, WeightedCounts, ::testing::ValuesIn(testing::kWeighedSizes));

TEST(WeightedCount, StopsAtTheMostThatACountHolds) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  EXPECT_EQ(WeightedCount::count_of(kMany), 1u);
  EXPECT_EQ(WeightedCount::count_of(-kMany), 2 * WeightedCount::kNoWeight - 1);
  EXPECT_EQ(WeightedCount::count_of(-5), WeightedCount::kNoWeight + 5);
}

}  // namespace
}  // namespace fastid::engine
