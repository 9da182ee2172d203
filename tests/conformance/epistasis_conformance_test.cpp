// Every engine for epistasis against the oracle of support/epistasis_oracle.hpp: what it finds, in order,
// with costs to the bit.
//
// FASTID_TEST_OPENCL names the OpenCL device to test, as in engine_conformance_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/cpu/cpu_epistasis.hpp"
#include "engine/epistasis.hpp"
#include "opencl/counting_engines.hpp"
#include "support/engine_maker.hpp"
#include "support/epistasis_oracle.hpp"
#include "support/every_case.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

using EpistasisMaker = EngineMaker<engine::EpistasisEngine, engine::EpistasisProblem>;

std::vector<EpistasisMaker> epistasis_makers() {
  auto makers = native_makers<engine::EpistasisEngine, engine::EpistasisProblem>(
      [](const std::string& device, const engine::EpistasisProblem& problem) {
        return engine::make_epistasis_engine(device, problem);
      });
  makers.push_back({"cpu_stretches", [](const engine::EpistasisProblem& problem) {
                      return engine::make_cpu_epistasis_by_stretches(problem,
                                                                     problem.n_people() > 10'000 ? 700 : 3);
                    }});
  for (const opencl::BitProducts products :
       {opencl::BitProducts::kPopcounts, opencl::BitProducts::kPortableMatrix})
    makers.push_back(
        {products == opencl::BitProducts::kPopcounts ? "opencl_popcounts" : "opencl_portable_matrix",
         [products](const engine::EpistasisProblem& problem) {
           return opencl::make_opencl_epistasis(opencl_selector(), problem, products);
         },
         "", true});
  return makers;
}

/// Of a maker on OpenCL.
opencl::BitProducts products_of(const EpistasisMaker& maker) {
  return maker.name == "opencl_popcounts" ? opencl::BitProducts::kPopcounts
                                          : opencl::BitProducts::kPortableMatrix;
}

/// Sites, controls, cases.
using TraitSize = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

/// Made once for all engines: to score each combination takes its time.
const TraitWorld& world_of(const TraitSize& size, double missing, std::size_t way,
                           engine::EpistasisScore score) {
  static std::map<std::tuple<TraitSize, double, std::size_t, engine::EpistasisScore>, TraitWorld> worlds;
  const auto& [sites, controls, cases] = size;
  const auto at = std::tuple{size, missing, way, score};
  const auto known = worlds.find(at);
  if (known != worlds.end()) return known->second;
  return worlds
      .try_emplace(at, make_cohort(sites, controls, engine::LdUnit::kGenotypes, missing),
                   make_cohort(sites, cases, engine::LdUnit::kGenotypes, missing), way, score)
      .first->second;
}

/// Everybody has the same genotype at a site: of one after the other 0, 1 or 2 minor copies.
Cohort same_genotypes(std::uint32_t n_sites, std::uint32_t units) {
  Cohort made = make_cohort(n_sites, units, engine::LdUnit::kGenotypes, 0);
  for (std::uint32_t site = 0; site < n_sites; ++site)
    made.copies[site].assign(units, static_cast<int>(site % 3));
  return made;
}

/// People of whom some are not called at every `apart`th site.
Cohort missing_at_some(std::uint32_t n_sites, std::uint32_t units, std::uint32_t apart) {
  Cohort made = make_cohort(n_sites, units, engine::LdUnit::kGenotypes, 0);
  for (std::uint32_t site = apart / 2; site < n_sites; site += apart)
    for (std::uint32_t unit = site % 7; unit < units; unit += 7) made.copies[site][unit] = kMissing;
  return made;
}

using EpistasisCase = std::tuple<EpistasisMaker, std::size_t, engine::EpistasisScore, double>;

/// A driver for CPUs compiles kernels for seconds.
bool builds_for_long(const EpistasisMaker& maker) {
  return maker.opencl && opencl_selector().empty() && !every_case();
}

/// Where kernels are built for long, each score goes with calls missing or not, and with three sites or four,
/// in one of the two ways, by products in the other one than by popcounts, of four sites by products only
/// where calls are missing; and so it does where people are counted by stretches on a CPU.
bool takes(const EpistasisMaker& maker, std::size_t way, engine::EpistasisScore score, double missing) {
  if (maker.name == "cpu_stretches") return (score == engine::EpistasisScore::kK2) == (missing == 0);
  if (!builds_for_long(maker)) return true;
  const bool products = maker.name == "opencl_portable_matrix";
  if (products && way == 4 && missing == 0) return false;
  return (score == engine::EpistasisScore::kK2) == ((missing == 0) == ((way == 3) == products));
}

/// Each engine with each question.
std::vector<EpistasisCase> epistasis_cases() {
  std::vector<EpistasisCase> cases;
  for (const EpistasisMaker& maker : epistasis_makers())
    for (const std::size_t way : {2U, 3U, 4U})
      for (const engine::EpistasisScore score :
           {engine::EpistasisScore::kK2, engine::EpistasisScore::kMutualInformation})
        for (const double missing : {0.0, 0.1})
          if (takes(maker, way, score, missing)) cases.emplace_back(maker, way, score, missing);
  return cases;
}

class EpistasisConformance : public ::testing::TestWithParam<EpistasisCase> {
 protected:
  void SetUp() override {
    if (!std::get<0>(GetParam()).can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }

  /// Checks what the engine finds, in tiles of several sizes.
  static void check(const TraitWorld& world, std::uint64_t min_people, const std::vector<std::size_t>& tops) {
    const EpistasisMaker& maker = std::get<0>(GetParam());
    const engine::EpistasisProblem problem = world.problem(min_people);
    maker.use(problem, [&](const engine::EpistasisEngine& engine) {
      for (const std::size_t top : tops) {
        SCOPED_TRACE(::testing::Message() << "top " << top << ", of at least " << min_people << " people");
        const auto right = world.truth.best(top, min_people);
        EXPECT_EQ(best_by(engine, problem, top, 128), right);
        EXPECT_EQ(best_by(engine, problem, top, top == 1 ? 5 : 32), right);
      }
    });
  }
};

// Sites on both sides of a block of 32, people on both sides of a word and of a step of 8 words.
TEST_P(EpistasisConformance, TheBestAreFoundWithTheirCosts) {
  const auto& [maker, way, score, missing] = GetParam();
  if (way == 4) {  // of so many sites there are so many combinations
    for (const TraitSize& size : {TraitSize{4, 1, 2}, TraitSize{9, 256, 257}})
      check(world_of(size, missing, way, score), 0, {20});
    if (!maker.opencl || score == engine::EpistasisScore::kK2)
      check(world_of({35, 20, 33}, missing, way, score), 0, {20});
    return;
  }
  std::vector<TraitSize> sizes = {{3, 1, 2}, {33, 256, 257}};
  if (!maker.opencl)
    sizes.insert(sizes.end(), {{2, 32, 33}, {4, 300, 70}, {9, 1025, 700}, {31, 31, 64}, {32, 33, 255}});
  for (const TraitSize& size : sizes) {
    if (std::get<0>(size) < way) continue;
    SCOPED_TRACE(::testing::PrintToString(size));
    const std::size_t most = maker.opencl ? 100 : 10'000;  // 10,000: all there are
    check(world_of(size, missing, way, score), 0, {1, 20, most});
  }
  check(world_of({way == 2 ? 65 : 45, 33, 65}, missing, way, score), 0, {20});
}

// Too few people at some combinations, at most, or at all of them.
TEST_P(EpistasisConformance, CombinationsOfFewPeopleAreLeftOut) {
  const auto& [maker, way, score, missing] = GetParam();
  const TraitWorld& world = world_of({way == 4 ? 13U : 33U, 90, 70}, missing, way, score);
  if (missing == 0) {
    EXPECT_EQ(world.truth.n_of(160), world.truth.n_of(0));
    check(world, 160, {50});
    if (!maker.opencl) check(world, 161, {50});
    return;
  }
  const std::vector<std::uint64_t> few = way == 2   ? std::vector<std::uint64_t>{125, 135}
                                         : way == 3 ? std::vector<std::uint64_t>{110, 122}
                                                    : std::vector<std::uint64_t>{98, 110};
  EXPECT_LT(world.truth.n_of(few[0]), world.truth.n_of(0));
  EXPECT_LT(world.truth.n_of(few[1]), world.truth.n_of(few[0]));
  EXPECT_GT(world.truth.n_of(few[1]), 0U);
  check(world, few[1], {50});
  if (maker.opencl) return;  // builds a kernel each time
  check(world, few[0], {50});
  check(world, 160, {50});
}

// One person of a class, and people on both sides of what half a word counts.
TEST_P(EpistasisConformance, ClassesOfAnySizeAreCounted) {
  const auto& [maker, way, score, missing] = GetParam();
  std::vector<TraitSize> sizes = {{5, 65535, 1}, {5, 65535, 65536}, {4, 1, 131071}};
  const bool takes_long = maker.opencl && opencl_selector().empty();  // many people on a CPU's driver
  if (builds_for_long(maker) && way == 2) return;
  if (takes_long) sizes = {{4, 65536, 3}};
  if (way == 4) sizes = {{4, 65535, 65536}};
  if (takes_long && (score != engine::EpistasisScore::kK2 || way == 4)) return;
  for (const TraitSize& size : sizes) {
    SCOPED_TRACE(::testing::PrintToString(size));
    check(world_of(size, missing, way, score), 0, {3});
  }
}

TEST_P(EpistasisConformance, SitesThatSayNothingAreScored) {
  const auto& [maker, way, score, missing] = GetParam();
  if (missing == 0) check({same_genotypes(5, 40), same_genotypes(5, 33), way, score}, 0, {1, 20});
}

// Calls are missing at one site, or at every third one; and in one class alone.
TEST_P(EpistasisConformance, SitesWithMissingCallsAreCountedBesideOthers) {
  const auto& [maker, way, score, missing] = GetParam();
  if (missing == 0) return;
  const std::uint32_t sites = way == 4 ? 9 : 33;
  for (const std::uint32_t apart : {sites, 3U}) {
    SCOPED_TRACE(apart);
    check({missing_at_some(sites, 256, apart), missing_at_some(sites, 70, apart), way, score}, 0, {20});
  }
  check(
      {missing_at_some(sites, 40, sites), make_cohort(sites, 33, engine::LdUnit::kGenotypes, 0), way, score},
      0, {20});
}

class EpistasisOnADevice : public EpistasisConformance {};

// Which holds as many combinations as there are sites.
TEST_P(EpistasisOnADevice, NoCombinationIsLostWhereABufferIsSmall) {
  const auto& [maker, way, score, missing] = GetParam();
  const TraitWorld& world = world_of({way == 4 ? 12U : 20U, 100, 90}, missing, way, score);
  const auto engine =
      opencl::make_opencl_epistasis(opencl_selector(), world.problem(), products_of(maker), 1);
  EXPECT_EQ(best_by(*engine, world.problem(), 100, 20), world.truth.best(100));
}

// As permutations of a trait take an engine again: nothing of the first people is left in it.
TEST_P(EpistasisConformance, PeopleDealtAgainAreCountedAnew) {
  const auto& [maker, way, score, missing] = GetParam();
  const TraitSize size{9, 256, 257};
  const TraitWorld dealt(same_genotypes(9, 256), same_genotypes(9, 257), way, score);
  maker.use(world_of(size, missing, way, score).problem(), [&](const engine::EpistasisEngine& engine) {
    const auto again = engine.dealt_again(dealt.problem());
    EXPECT_EQ(best_by(*again, dealt.problem(), 20, 128), dealt.truth.best(20));
  });
}

/// A class of some of the people of two.
Cohort some_of(const std::vector<const Cohort*>& classes, std::span<const std::uint32_t> people) {
  Cohort made{classes[0]->n_sites, static_cast<std::uint32_t>(people.size()), engine::LdUnit::kGenotypes};
  for (std::uint32_t site = 0; site < made.n_sites; ++site) {
    std::vector<int> everybody;
    for (const Cohort* const one : classes)
      everybody.insert(everybody.end(), one->copies[site].begin(), one->copies[site].end());
    std::vector<int>& copies = made.copies.emplace_back();
    for (const std::uint32_t person : people) copies.push_back(everybody[person]);
  }
  return made;
}

/// The same people, of whom others are cases; made once for all engines. \param of  a world_of()
const TraitWorld& dealt(const TraitWorld& of, std::uint32_t seed) {
  static std::map<std::pair<const TraitWorld*, std::uint32_t>, TraitWorld> worlds;
  const auto known = worlds.find({&of, seed});
  if (known != worlds.end()) return known->second;
  std::vector<std::uint32_t> people(of.controls.units + of.cases.units);
  std::iota(people.begin(), people.end(), 0U);
  std::shuffle(people.begin(), people.end(), std::mt19937(seed));
  const std::vector<const Cohort*> classes = {&of.controls, &of.cases};
  const std::span<const std::uint32_t> all(people);
  return worlds
      .try_emplace({&of, seed}, some_of(classes, all.first(of.controls.units)),
                   some_of(classes, all.subspan(of.controls.units)), of.way, of.score)
      .first->second;
}

// Everybody is counted once, and of each deal the smaller class, cases or controls.
TEST_P(EpistasisConformance, SomeDealsAreSearchedTogether) {
  const auto& [maker, way, score, missing] = GetParam();
  if (builds_for_long(maker) && (way == 3) != (missing == 0))
    return;  // of three sites all called, of two not
  const std::uint32_t sites = way == 4 ? 8 : 37;
  std::vector<TraitSize> sizes = {{sites, 256, 90}, {sites, 33, 257}};
  const std::uint32_t tile_sites = way == 4 ? 1 : 20;
  if (every_case() && way < 4) sizes.emplace_back(5, 65536, 300);
  for (const TraitSize& size : sizes) {
    SCOPED_TRACE(::testing::PrintToString(size));
    const TraitWorld& world = world_of(size, missing, way, score);
    engine::EpistasisProblem problem = world.problem(150);
    problem.permuted = true;
    maker.use(problem, [&](const engine::EpistasisEngine& engine) {
      std::vector<std::unique_ptr<engine::EpistasisEngine>> engines;
      std::deque<engine::BestCombinations> best;
      std::vector<std::vector<engine::ScoredCombination>> right;
      std::vector<engine::DealtSearch> searches;
      for (std::uint32_t i = 0; i < 3; ++i) {
        const TraitWorld& of = dealt(world, i);
        engines.push_back(engine.dealt_again(of.problem(150)));
        right.push_back(of.truth.best(8, 150));
        ASSERT_EQ(right[i].size(), 8U);
        searches.push_back({engines[i].get(), &best.emplace_back(8, right[i].back().cost)});
      }
      if (maker.opencl) {
        EXPECT_EQ(engine.dealt_at_once() > 1, maker.name == "opencl_portable_matrix" && way < 4);
      }
      for (const engine::Rectangle& tile : engine::tiles_of(problem, tile_sites))
        engine.find_dealt(tile, searches);
      for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(best[i].kept(), right[i]) << i;
      EXPECT_NE(best[0].kept(), best[1].kept());
    });
  }
}

const auto kEpistasisName = [](const auto& info) {
  const auto& [maker, way, score, missing] = info.param;
  return maker.name + "_" + std::to_string(way) + (score == engine::EpistasisScore::kK2 ? "_k2" : "_mi") +
         (missing > 0 ? "_missing" : "_all_called");
};

INSTANTIATE_TEST_SUITE_P(Engines, EpistasisConformance, ::testing::ValuesIn(epistasis_cases()),
                         kEpistasisName);

std::vector<EpistasisCase> device_cases() {
  std::vector<EpistasisCase> cases = epistasis_cases();
  std::erase_if(cases, [](const EpistasisCase& one) { return !std::get<0>(one).opencl; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Engines, EpistasisOnADevice, ::testing::ValuesIn(device_cases()), kEpistasisName);

}  // namespace
}  // namespace fastid
