// What kernels read and count in a step, by hand: a word is 32 bits, and 4 bytes.
#include "engine/kernel_step.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/epistasis.hpp"
#include "engine/ld.hpp"

namespace fastid::engine {
namespace {

TEST(KernelStep, CountsEveryPairAndReadsEverySideOnce) {
  constexpr KernelStep kStep = kernel_step({8, 2}, {32, 1}, 3);
  EXPECT_EQ(kStep.bits, 32.0 * 8 * 32 * 3);
  EXPECT_EQ(kStep.bytes, 4.0 * (8 * 2 + 32));
  EXPECT_EQ(kStep.intensity(), kStep.bits / kStep.bytes);
  EXPECT_FALSE(KernelStep().known());
  EXPECT_EQ(KernelStep().intensity(), 0);
}

KernelStep step_of(Comparison comparison, Encoding by, std::size_t n_queries) {
  const ProfileRows queries(n_queries, 64, by);
  const Problem problem{comparison, &queries, {1000, 64, by}, by == Encoding::kAlleles, by};
  return make_cpu_engine({})->step(problem);
}

TEST(KernelStep, OfTheNativeEngineIsAGroupOfQueriesWithABlock) {
  for (const std::size_t n : {1, 2, 3, 4, 5, 8, 9, 500}) {
    const double group = n == 1 ? 1 : n == 2 ? 2 : n <= 4 ? 4 : 8;
    const KernelStep bits = step_of(Comparison::kMixture, Encoding::kMinor, n);
    EXPECT_EQ(bits.bits, 32 * 32 * group) << n;
    EXPECT_EQ(bits.counted, 1) << n;
    const KernelStep kin = step_of(Comparison::kKinship, Encoding::kAlleles, n);
    EXPECT_EQ(kin.bits, 2 * bits.bits) << n;  // two words, of two products each
    EXPECT_EQ(kin.bytes, 4 * (group * 4 + 2 * 32)) << n;
  }
}

// Which the tables serve, where there are profiles and queries enough.
TEST(KernelStep, OfLookupsIsNotKnown) {
  const ProfileRows one(1, 64, Encoding::kMinor), many(9, 64, Encoding::kMinor);
  const auto known = [](const std::string& target, const ProfileRows& queries) {
    const Problem problem{Comparison::kIdentity, &queries, {100'000, 64, Encoding::kMinor}};
    return make_cpu_engine_for(target, {})->step(problem).known();
  };
  for (const std::string& target : cpu_engine_targets()) {
    EXPECT_TRUE(known(target, one)) << target;
    EXPECT_EQ(known(target, many), kernels_of(target)->has_vector_popcount()) << target;
  }
}

TEST(KernelStep, OfSitesAndCombinations) {
  const BitBlocks people({40, 100, Encoding::kAlleles});  // nobody is called
  const std::vector<LdCounts> own = own_counts(LdUnit::kHaplotypes, people.view());
  const LdProblem sites{people.view(), LdUnit::kHaplotypes, .2, own};
  const KernelStep missing = make_ld_engine("cpu", sites)->step();
  EXPECT_EQ(missing.counted, 4);  // called, x, y and xy
  const EpistasisProblem triples{{people.view(), people.view()}, 3, EpistasisScore::kK2};
  EXPECT_EQ(make_epistasis_engine("cpu", triples)->step().counted, 27);
  BitBlocks called({40, 100, Encoding::kAlleles});
  for (std::uint32_t site = 0; site < 100; ++site) called.set_site(site, std::vector<Seen>(40, kMajorSeen));
  const EpistasisProblem all_called{{called.view(), called.view()}, 3, EpistasisScore::kK2};
  EXPECT_EQ(make_epistasis_engine("cpu", all_called)->step().counted, 8);
  const EpistasisProblem pairs{{people.view(), people.view()}, 2, EpistasisScore::kK2};
  EXPECT_EQ(make_epistasis_engine("cpu", pairs)->step().counted, 9);
}

}  // namespace
}  // namespace fastid::engine
