// The paper's Table I gives its Table II; and what is known of devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/equations.hpp"
#include "model/known_devices.hpp"

namespace fastid::model {
namespace {

DeviceTraits paper_traits(const std::string& device) {
  const KnownDevice* const known = find_known_device(device, "");
  return known == nullptr ? DeviceTraits{} : traits_of(*known);
}

// Table II: m_r 4, m_c 32 everywhere.
struct Row {
  const char* device;
  std::uint32_t k_c, least, fastid_n_r, ld_n_r;
};
constexpr Row kTableTwo[] = {{"NVIDIA GeForce GTX 980", 383, 384, 768, 384},
                             {"NVIDIA TITAN V", 383, 256, 1024, 1024},
                             {"Radeon RX Vega 64", 512, 512, 1024, 1024}};

class TableTwo : public ::testing::TestWithParam<Row> {
 protected:
  PaperShape shape_ = paper_shape(paper_traits(GetParam().device));
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

INSTANTIATE_TEST_SUITE_P(OfThePaper, TableTwo, ::testing::ValuesIn(kTableTwo),
                         [](const auto& row) { return std::to_string(row.index); });

TEST(Equations, WhatIsNotKnownMakesNoShape) {
  const PaperShape none = paper_shape({});
  EXPECT_EQ(none.m_c, 0u);
  EXPECT_EQ(none.k_c, 0u);
  EXPECT_EQ(none.n_r_least, 0u);
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
  const DeviceTraits both = merged(paper_traits("NVIDIA H200"), better);
  EXPECT_EQ(both.banks.value, 16);
  EXPECT_EQ(both.popcounts.value, 16);
  EXPECT_EQ(both.name, "H200");
}

}  // namespace
}  // namespace fastid::model
