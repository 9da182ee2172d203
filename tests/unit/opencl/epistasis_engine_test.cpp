// Combinations of sites on a device whose buffer is small, against the definition. tests/conformance has both
// sides of tiles', words' and steps' edges.
#include "opencl/epistasis_engine.hpp"

#include <gtest/gtest.h>

#include <tuple>

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

TEST_P(EpistasisOnADevice, LosesNoCombinationWhereItsBufferIsSmall) {
  const auto& [of, score] = GetParam();
  const std::uint32_t sites = of.way == 4 ? 12 : 20;
  const Cohort controls = make_cohort(sites, 100, SiteUnit::kGenotypes, of.missing),
               cases = make_cohort(sites, 90, SiteUnit::kGenotypes, of.missing);
  const EpistasisProblem problem{{controls.blocks.view(), cases.blocks.view()}, of.way, score};
  const auto engine = make_opencl_epistasis(opencl_selector(), problem, of.products, 1);
  EXPECT_EQ(found(*engine, problem, 100, 20),
            found(*make_epistasis_engine("reference", problem), problem, 100, 20));
}

INSTANTIATE_TEST_SUITE_P(
    All, EpistasisOnADevice,
    ::testing::Combine(::testing::Values(Case{3, 0, BitProducts::kPopcounts},
                                         Case{3, 0, BitProducts::kPortableMatrix},
                                         Case{3, 0.1, BitProducts::kBest}, Case{2, 0, BitProducts::kBest},
                                         Case{4, 0, BitProducts::kPortableMatrix}),
                       ::testing::Values(EpistasisScore::kK2, EpistasisScore::kMutualInformation)));

}  // namespace
}  // namespace fastid
