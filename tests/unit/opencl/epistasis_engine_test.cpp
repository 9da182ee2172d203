// Combinations of sites on a device against the definition, on both sides of tiles', words' and steps' edges.
#include "opencl/epistasis_engine.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "opencl/device_buffer.hpp"
#include "support/cohort.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

std::vector<ScoredCombination> found(const EpistasisEngine& engine, const EpistasisProblem& problem,
                                     std::size_t top, std::uint32_t tile_sites) {
  BestCombinations best(top);
  for (const CombinationTile& tile : tiles_of(problem, tile_sites)) engine.find(tile, best);
  return best.kept();
}

struct Case {
  std::size_t way;
  double missing;
  BitProducts products;
};

class EpistasisOnADevice : public OnADevice,
                           public ::testing::WithParamInterface<std::tuple<Case, EpistasisScore>> {};

TEST_P(EpistasisOnADevice, FindsWhatTheDefinitionFinds) {
  const auto& [of, score] = GetParam();
  BufferGuard guard;
  for (const auto& [n_sites, n_controls, n_cases] :
       {std::tuple{3U, 1U, 2U}, {33U, 256U, 300U}, {65U, 33U, 520U}}) {
    SCOPED_TRACE(::testing::Message() << n_sites << " sites, " << n_controls << " controls");
    const Cohort controls = make_cohort(n_sites, n_controls, SiteUnit::kGenotypes, of.missing),
                 cases = make_cohort(n_sites, n_cases, SiteUnit::kGenotypes, of.missing);
    const EpistasisProblem problem{{controls.blocks.view(), cases.blocks.view()}, of.way, score};
    const auto expected = found(*make_epistasis_engine("reference", problem), problem, 30, n_sites);
    const auto engine = make_opencl_epistasis(opencl_selector(), problem, of.products);
    EXPECT_EQ(found(*engine, problem, 30, 128), expected);
    EXPECT_EQ(found(*engine, problem, 1, 7), std::vector{expected.front()});
  }
  EXPECT_TRUE(guard.whole());
}

TEST_P(EpistasisOnADevice, LeavesOutFewPeopleAsTheDefinitionDoes) {
  const auto& [of, score] = GetParam();
  const Cohort controls = make_cohort(40, 100, SiteUnit::kGenotypes, of.missing),
               cases = make_cohort(40, 90, SiteUnit::kGenotypes, of.missing);
  for (const std::uint64_t min_people : {140U, 190U}) {
    const EpistasisProblem problem{
        {controls.blocks.view(), cases.blocks.view()}, of.way, score, of.missing > 0 ? min_people : 190U};
    const auto engine = make_opencl_epistasis(opencl_selector(), problem, of.products);
    EXPECT_EQ(found(*engine, problem, 50, 40),
              found(*make_epistasis_engine("reference", problem), problem, 50, 40));
  }
}

TEST_P(EpistasisOnADevice, LosesNoCombinationWhereItsBufferIsSmall) {
  const auto& [of, score] = GetParam();
  const Cohort controls = make_cohort(40, 100, SiteUnit::kGenotypes, of.missing),
               cases = make_cohort(40, 90, SiteUnit::kGenotypes, of.missing);
  const EpistasisProblem problem{{controls.blocks.view(), cases.blocks.view()}, of.way, score};
  const auto engine = make_opencl_epistasis(opencl_selector(), problem, of.products, 1);
  EXPECT_EQ(found(*engine, problem, 500, 40),
            found(*make_epistasis_engine("reference", problem), problem, 500, 40));
}

INSTANTIATE_TEST_SUITE_P(
    All, EpistasisOnADevice,
    ::testing::Combine(::testing::Values(Case{3, 0, BitProducts::kPopcounts},
                                         Case{3, 0, BitProducts::kPortableMatrix},
                                         Case{3, 0.1, BitProducts::kBest}, Case{2, 0, BitProducts::kBest}),
                       ::testing::Values(EpistasisScore::kK2, EpistasisScore::kMutualInformation)));

}  // namespace
}  // namespace fastid
