// Every engine for linked sites against the oracle of support/ld_oracle.hpp: counts are integers, so
// equality, no tolerance.
//
// FASTID_TEST_OPENCL names the OpenCL device to test, as in engine_conformance_test.cpp.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "opencl/counting_engines.hpp"
#include "stats/ld.hpp"
#include "support/engine_maker.hpp"
#include "support/every_case.hpp"
#include "support/ld_oracle.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

using LdMaker = EngineMaker<engine::LdEngine, engine::LdProblem>;

std::vector<LdMaker> ld_makers() {
  auto makers = native_makers<engine::LdEngine, engine::LdProblem>(engine::make_ld_engine);
  for (const auto& [name, products] : {std::pair{"opencl_popcounts", opencl::BitProducts::kPopcounts},
                                       {"opencl_portable_matrix", opencl::BitProducts::kPortableMatrix}})
    makers.push_back({name,
                      [products = products](const engine::LdProblem& problem) {
                        return opencl::make_opencl_ld_engine(opencl_selector(), problem,
                                                             {.products = products});
                      },
                      "", true});
  return makers;
}

/// Made once for all engines.
const LdWorld& world_of(std::uint32_t n_sites, std::uint32_t units, engine::LdUnit unit, double missing) {
  static std::map<std::tuple<std::uint32_t, std::uint32_t, engine::LdUnit, double>, LdWorld> worlds;
  return worlds.try_emplace({n_sites, units, unit, missing}, n_sites, units, unit, missing).first->second;
}

class LdConformance : public ::testing::TestWithParam<std::tuple<LdMaker, engine::LdUnit, double>> {
 protected:
  void SetUp() override {
    if (!std::get<0>(GetParam()).can_run()) GTEST_SKIP() << "no OpenCL driver is installed here";
  }
};

// Sites on both sides of a group of 8, of a block of 32 and of a device's tile; units on both sides of a word
// and of a step of 8 words.
TEST_P(LdConformance, ExactlyThePairsThatReachTheLimitAreFoundWithTheirCounts) {
  const auto& [maker, unit, missing] = GetParam();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes = {{2, 33}, {33, 255}, {32, 256}, {150, 257}};
  if (!maker.opencl)
    for (const std::uint32_t n_sites : {1, 2, 7, 8, 9, 31, 33, 64, 65, 70})
      for (const std::uint32_t units : {2, 31, 32, 33, 200, 1025}) sizes.emplace_back(n_sites, units);
  sizes.emplace_back(9, 5003);
  std::size_t turn = 0;
  for (const auto& [n_sites, units] : sizes) {
    const LdWorld& world = world_of(n_sites, units, unit, missing);
    ++turn;
    for (const double min_r2 : world.truth.limits()) {
      if (maker.opencl && ++turn % (every_case() ? 2 : 4) != 0)
        continue;  // builds a kernel each time: a part of the limits by turns
      SCOPED_TRACE(::testing::Message() << n_sites << " sites, " << units << " units, r2 " << min_r2);
      maker.use(world.problem(min_r2),
                [&, n_sites = n_sites, min_r2 = min_r2](const engine::LdEngine& engine) {
                  for (const engine::Rectangle& tile :
                       {world.all(), engine::Rectangle{n_sites / 4, n_sites / 2, n_sites / 3, n_sites},
                        engine::Rectangle{n_sites - 1, n_sites, 0, n_sites}})
                    EXPECT_EQ(linked_by(engine, tile), world.truth.linked(tile, min_r2));
                });
    }
  }
}

// What is made of the counts of a pair that was found.
TEST(LdOfAPair, IsByItsDefinitions) {
  for (const engine::LdUnit unit : {engine::LdUnit::kHaplotypes, engine::LdUnit::kGenotypes})
    for (const double missing : {0.0, 0.05}) {
      const LdWorld& world = world_of(12, 133, unit, missing);
      for (std::uint32_t second = 1; second < 12; ++second)
        for (std::uint32_t first = 0; first < second; ++first) {
          SCOPED_TRACE(::testing::Message() << first << ", " << second << ", missing " << missing);
          const engine::LdCounts counts = true_counts(world.cohort, first, second);
          const auto found =
              unit == engine::LdUnit::kHaplotypes
                  ? stats::of_haplotypes(counts)
                  : stats::of_genotypes(engine::count_cells(world.packed.view(), first, second));
          const auto right = true_d(world.cohort, first, second);
          ASSERT_EQ(found.has_value(), right.has_value());
          if (!right) continue;
          EXPECT_NEAR(found->d, right->d, 1e-7);
          EXPECT_NEAR(found->d_prime, right->d_prime, 1e-6);
          EXPECT_NEAR(*engine::squared_correlation(counts), static_cast<double>(*true_r2(counts)), 1e-15);
        }
    }
}

// A limit that all pairs reach, or none, would show little.
TEST(LdOracle, SomePairsReachEachLimit) {
  for (const engine::LdUnit unit : {engine::LdUnit::kHaplotypes, engine::LdUnit::kGenotypes}) {
    const LdWorld world(33, 257, unit, 0);
    const std::vector<double> limits = world.truth.limits();
    ASSERT_EQ(limits.size(), 4U);
    for (const double limit : {limits[2], limits[3]}) {
      const std::size_t n = world.truth.linked({0, 33, 0, 33}, limit).size();
      EXPECT_GT(n, 33U * 32 / 2 / 20);
      EXPECT_LT(n, 33U * 32 / 2 * 2 / 3);
    }
  }
}

constexpr double kMissingOfSome[] = {0, 0.05, 0.6};

const auto kLdName = [](const auto& info) {
  const auto& [maker, unit, missing] = info.param;
  return maker.name + (unit == engine::LdUnit::kHaplotypes ? "_haplotypes_" : "_genotypes_") +
         std::to_string(static_cast<int>(100 * missing)) + "_missing";
};

INSTANTIATE_TEST_SUITE_P(Engines, LdConformance,
                         ::testing::Combine(::testing::ValuesIn(ld_makers()),
                                            ::testing::Values(engine::LdUnit::kHaplotypes,
                                                              engine::LdUnit::kGenotypes),
                                            ::testing::ValuesIn(kMissingOfSome)),
                         kLdName);

class LdCounting : public LdConformance {};

TEST_P(LdCounting, EveryPairOfARectangleIsCounted) {
  const auto& [maker, unit, missing] = GetParam();
  std::size_t turn = 0;
  for (const std::uint32_t n : {1, 7, 9, 32, 33, 70})
    for (const std::uint32_t units : {31, 133, 256, 257}) {
      if (maker.opencl && turn++ % (every_case() ? 1 : 5) != 0) continue;  // builds two kernels each time
      SCOPED_TRACE(::testing::Message() << n << " sites, " << units << " units");
      const LdWorld& world = world_of(n, units, unit, missing);
      maker.use(world.problem(0.5, true), [&](const engine::LdEngine& engine) {
        for (const engine::Rectangle& pairs : {world.all(), engine::Rectangle{n / 3, n / 2 + 1, n / 4, n},
                                               engine::Rectangle{n - 1, n, 0, n / 2}})
          EXPECT_EQ(counted_by(engine, pairs), world.counts(pairs));
      });
    }
}

/// On a device many missing calls are counted by the kernel of few.
std::vector<LdCounting::ParamType> counting_cases() {
  std::vector<LdCounting::ParamType> cases;
  for (const LdMaker& maker : ld_makers())
    for (const engine::LdUnit unit : {engine::LdUnit::kHaplotypes, engine::LdUnit::kGenotypes})
      for (const double missing : kMissingOfSome)
        if (!maker.opencl || missing < 0.5 || every_case()) cases.emplace_back(maker, unit, missing);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Engines, LdCounting, ::testing::ValuesIn(counting_cases()), kLdName);

}  // namespace
}  // namespace fastid
