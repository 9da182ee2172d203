// The paper's Table I gives its Table II; and what the model says of devices whose answer is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/equations.hpp"
#include "model/kernel_time.hpp"
#include "model/known_devices.hpp"

namespace fastid::model {
namespace {

DeviceTraits traits_for(const std::string& device) {
  const KnownDevice* const known = find_known_device(device, "");
  return known == nullptr ? DeviceTraits{} : traits_of(*known);
}

// Table II: m_r 4, m_c 32 everywhere.
struct Row {
  const char* device;
  std::uint32_t k_c, least, fastid_n_r, ld_n_r, cores;
};
constexpr Row kTableTwo[] = {{"NVIDIA GeForce GTX 980", 383, 384, 768, 384, 16},
                             {"NVIDIA TITAN V", 383, 256, 1024, 1024, 80},
                             {"Radeon RX Vega 64", 512, 512, 1024, 1024, 64}};

class TableTwo : public ::testing::TestWithParam<Row> {
 protected:
  PaperShape shape_ = paper_shape(traits_for(GetParam().device));
};

TEST_P(TableTwo, QueriesOfAWorkItemAreTheWordsOfALoad) {
  EXPECT_EQ(shape_.m_r, 4u);
}

TEST_P(TableTwo, QueriesOfAGroupAreTheBanksAndOfAClusterItsShareOfThem) {
  EXPECT_EQ(shape_.m_c, 32u);
  EXPECT_EQ(shape_.m_c_cluster, 8u);
}

TEST_P(TableTwo, WordsOfAQueryAreWhatTheDriverLeavesOfLocalMemory) {
  EXPECT_EQ(shape_.k_c, GetParam().k_c);
}

TEST_P(TableTwo, ProfilesOfAGroupHideTheLatencyFromTheLowerBoundOn) {
  EXPECT_EQ(shape_.n_r_least, GetParam().least);
}

TEST_P(TableTwo, ProfilesOfAGroupLieWithinTheBounds) {
  for (const std::uint32_t n_r : {GetParam().fastid_n_r, GetParam().ld_n_r}) {
    EXPECT_GE(n_r, shape_.n_r_least);
    EXPECT_LE(n_r, shape_.n_r_most);
  }
  EXPECT_EQ(shape_.n_r_most, 1024u);
}

TEST_P(TableTwo, FewQueriesMakeARowOfAllCores) {
  const CoreGrid grid = core_grid(GetParam().cores, 32, 20'000'000, shape_.m_c, GetParam().fastid_n_r);
  EXPECT_EQ(grid, (CoreGrid{1, GetParam().cores}));
}

INSTANTIATE_TEST_SUITE_P(OfThePaper, TableTwo, ::testing::ValuesIn(kTableTwo),
                         [](const auto& row) { return std::to_string(row.index); });

TEST(CoreGrid, AsManyQueriesAsProfilesMakeASquareAsOnTheGtx980) {
  EXPECT_EQ(core_grid(16, 16384, 16384, 32, 384), (CoreGrid{4, 4}));
}

TEST(CoreGrid, ManyQueriesAndFewProfilesMakeAColumn) {
  EXPECT_EQ(core_grid(80, 1'000'000, 100, 32, 1024), (CoreGrid{80, 1}));
}

TEST(CoreGrid, NeverHasMoreCoresThanThereAreOrThanTiles) {
  for (const std::uint32_t cores : {1u, 7u, 16u, 132u})
    for (const std::uint64_t queries : {1u, 33u, 5000u})
      for (const std::uint64_t profiles : {1u, 2504u, 1'000'000u}) {
        const CoreGrid grid = core_grid(cores, queries, profiles, 32, 64);
        EXPECT_LE(grid.rows * grid.columns, cores);
        EXPECT_LE(grid.rows, (queries + 31) / 32);
        EXPECT_LE(grid.columns, (profiles + 63) / 64);
      }
}

TEST(Equations, LatencyAndThroughputAreThePapers) {
  EXPECT_DOUBLE_EQ(latency_clocks(1e9, 6e-6, 1000), 6);
  // 1,000 instructions of 2 x 32 work-items on one of 2 compute units each, in 4,000 clocks.
  EXPECT_DOUBLE_EQ(throughput(1e9, 4e-6, 1000, 64, 2), 8);
  EXPECT_EQ(saturating_groups(traits_for("GTX 980")), 24u);
}

TEST(Equations, WhatIsNotKnownMakesNoShape) {
  const PaperShape none = paper_shape({});
  EXPECT_EQ(none.m_c, 0u);
  EXPECT_EQ(none.k_c, 0u);
  EXPECT_EQ(none.n_r_least, 0u);
  EXPECT_EQ(predict_kernel({}, {32, 256, 16, 64, 1, 2, 64, 1, 1}, {32, 1000, 1024}).seconds, 0);
}

// The paper's peaks: GTX 980 16 x 32 popcounts, Titan V 80 x 16, Vega 64 64 x 64 shared with AND and ADD.
TEST(KernelTime, ThePeakIsThatOfThePopcountUnits) {
  EXPECT_NEAR(popcount_peak(traits_for("GTX 980")), 1.367e9 * 16 * 32 * 32, 1e6);
  EXPECT_NEAR(popcount_peak(traits_for("TITAN V")), 1.455e9 * 80 * 16 * 32, 1e6);
}

constexpr KernelShape kSm90{.m_c = 32,
                            .k_c = 256,
                            .m_r = 16,
                            .n_r = 64,
                            .n_vec = 1,
                            .group_rows = 2,
                            .group_columns = 64,
                            .carry_levels = 1,
                            .popcount = 1};

// What opencl_bench measured on an H200 (docs/benchmarks.md), Tbit/s by sites, against the published traits.
TEST(KernelTime, AnH200IsPredictedWithinAFifth) {
  const DeviceTraits h200 = traits_for("NVIDIA H200");
  struct Measured {
    std::uint64_t queries, profiles;
    std::uint32_t sites;
    double tbits;
  };
  for (const Measured& m : {Measured{32, 20'000'000, 128, 116}, Measured{32, 20'000'000, 256, 147},
                            Measured{32, 20'000'000, 512, 172}, Measured{32, 20'000'000, 1024, 189},
                            Measured{512, 20'000'000, 256, 147}, Measured{2048, 20'000'000, 1024, 189},
                            Measured{16384, 16384, 10240, 201}}) {
    const Workload work{m.queries, m.profiles, m.sites};
    const KernelEstimate estimate = predict_kernel(h200, kSm90, work);
    EXPECT_NEAR(work.bits() / estimate.seconds / 1e12 / m.tbits, 1, 0.2) << m.queries << " x " << m.sites;
    EXPECT_EQ(estimate.bound, "logic");
  }
}

TEST(KernelTime, FullAddersGainWhereThePopcountIsSlowAndNotWhereItIsFast) {
  const Workload work{32, 1'000'000, 1024};
  EXPECT_EQ(model_shape(traits_for("NVIDIA H200"), work).carry_levels, 1u);
  EXPECT_EQ(model_shape(traits_for("Radeon RX Vega 64"), work).carry_levels, 0u);
}

TEST(KernelTime, OneQueryCostsAsMuchAsARowBlock) {
  const DeviceTraits h200 = traits_for("NVIDIA H200");
  const double one = predict_kernel(h200, kSm90, {1, 1'000'000, 1024}).seconds;
  EXPECT_DOUBLE_EQ(one, predict_kernel(h200, kSm90, {32, 1'000'000, 1024}).seconds);
  EXPECT_GT(predict_kernel(h200, kSm90, {33, 1'000'000, 1024}).seconds, 1.9 * one);
}

TEST(KernelTime, ASlowMemoryBounds) {
  DeviceTraits slow = traits_for("NVIDIA H200");
  slow.memory_rate.learn(50e9, Source::kMeasured);
  const KernelEstimate estimate = predict_kernel(slow, kSm90, {32, 20'000'000, 1024});
  EXPECT_EQ(estimate.bound, "memory");
  EXPECT_NEAR(estimate.seconds, 2.56e9 / 50e9, 1e-6);
}

TEST(KnownDevices, AreFoundByNameThenByArchitecture) {
  EXPECT_EQ(find_known_device("NVIDIA H200", "sm_90")->name, "H200");
  EXPECT_EQ(find_known_device("NVIDIA GeForce RTX 3090", "sm_86")->name, "Ampere and Ada");
  EXPECT_EQ(find_known_device("gfx90a:sramecc+", "gfx90a")->name, "GCN and CDNA");
  EXPECT_EQ(find_known_device("gfx900:xnack-", "gfx900")->name, "Vega 64");
  EXPECT_EQ(find_known_device("pthread-skylake", ""), nullptr);
  for (const KnownDevice& known : known_devices()) {
    EXPECT_FALSE(known.source.empty()) << known.name;
    EXPECT_GT(known.popcounts, 0) << known.name;
  }
}

TEST(Traits, WhatIsMeasuredIsBelievedBeforeWhatIsKnownOrQueried) {
  Trait trait;
  EXPECT_FALSE(trait.known());
  trait.learn(1, Source::kQueried);
  trait.learn(2, Source::kKnown);
  EXPECT_EQ(trait.value, 1);
  trait.learn(3, Source::kMeasured);
  trait.learn(4, Source::kQueried);
  EXPECT_EQ(trait.value, 3);
  DeviceTraits better;
  better.banks.learn(16, Source::kMeasured);
  const DeviceTraits both = merged(traits_for("NVIDIA H200"), better);
  EXPECT_EQ(both.banks.value, 16);
  EXPECT_EQ(both.popcounts.value, 16);
  EXPECT_EQ(both.name, "H200");
}

}  // namespace
}  // namespace fastid::model
