// Combinations of sites on a device whose memory is small, against the oracle of
// support/epistasis_oracle.hpp. tests/conformance has a small buffer, and both sides of tiles', words' and
// steps' edges.
#include "opencl/counting_engines.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "support/epistasis_oracle.hpp"
#include "support/every_case.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid::opencl {
namespace {

using namespace testing;

/// The same people with their sites from the last to the first.
Cohort in_another_order(const Cohort& people) {
  return {people.n_sites, people.units, people.unit, {people.copies.rbegin(), people.copies.rend()}};
}

/// What is counted by stretches.
struct StretchCase {
  std::size_t way;
  double missing;
  BitProducts products;
  engine::EpistasisScore score;
  bool quick = false;  ///< a CPU's driver builds it in some seconds
};

class EpistasisByStretches : public OnADevice, public ::testing::WithParamInterface<StretchCase> {};

// So little memory that 2,200 people are three stretches or more, and a tile has some sites.
TEST_P(EpistasisByStretches, FindsWhatIsRight) {
  const auto& [way, missing, products, score, quick] = GetParam();
  if (device_->facts.type == "CPU" && !every_case() && !quick)
    GTEST_SKIP() << "a CPU's driver builds it for half a minute";
  const std::uint32_t sites = way == 4 ? 12 : 37;
  const TraitWorld world(make_cohort(sites, 1500, engine::LdUnit::kGenotypes, missing),
                         make_cohort(sites, 700, engine::LdUnit::kGenotypes, missing), way, score);
  const engine::EpistasisProblem problem = world.problem(1400);
  constexpr std::uint64_t kMemory = 300'000;
  const auto engine = make_opencl_epistasis_by_stretches(opencl_selector(), problem, products, 1, kMemory);
  const bool has_margins = way > 2 && missing == 0;  // else nothing that is known of a tile takes memory
  EXPECT_EQ(engine->tile_sites(1, sites) < 32, has_margins);
  const auto right = world.truth.best(50, 1400);
  EXPECT_EQ(best_by(*engine, problem, 50, 20), right);
  const TraitWorld other(in_another_order(world.controls), in_another_order(world.cases), way, score);
  const engine::EpistasisProblem dealt = other.problem(1400);
  for (int time = 0; time < 2; ++time) {  // the second one may lie where the first one did
    const auto again = engine->dealt_again(dealt);
    EXPECT_EQ(again->tile_sites(1, sites), engine->tile_sites(1, sites));
    EXPECT_EQ(best_by(*again, dealt, 5, 20), other.truth.best(5, 1400));
    EXPECT_EQ(best_by(*engine, problem, 50, 20), right);  // on the same queues
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EpistasisByStretches,
    ::testing::Values(
        StretchCase{2, 0.1, BitProducts::kBest, engine::EpistasisScore::kMutualInformation, true},
        StretchCase{2, 0, BitProducts::kPortableMatrix, engine::EpistasisScore::kK2},
        StretchCase{3, 0, BitProducts::kPopcounts, engine::EpistasisScore::kK2, true},
        StretchCase{3, 0.1, BitProducts::kPopcounts, engine::EpistasisScore::kK2},
        StretchCase{3, 0, BitProducts::kPortableMatrix, engine::EpistasisScore::kMutualInformation},
        StretchCase{3, 0.1, BitProducts::kPortableMatrix, engine::EpistasisScore::kK2},
        StretchCase{4, 0, BitProducts::kPopcounts, engine::EpistasisScore::kK2}));

}  // namespace
}  // namespace fastid::opencl
