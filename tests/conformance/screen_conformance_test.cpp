// Chains of two states (engine/screen_count.hpp) by the engines that know them, held to ratios taken site by
// site.
//
// FASTID_TEST_OPENCL names the OpenCL device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "linked/internal/screen_pass.hpp"
#include "opencl/kernel/worker_proofs.hpp"
#include "support/counting_makers.hpp"
#include "support/cpu_targets.hpp"
#include "support/screen_world.hpp"

namespace fastid {
namespace {

using namespace testing;

class ScreenConformance : public CountingConformance {
 protected:
  static void expect_conforms(const ScreenWorld& world, std::uint64_t first_block) {
    const std::size_t n = world.queries.n_rows();
    const engine::Threshold half{.max_count = world.middle_count()}, none{0, 0, 1, -1},
        ranked{UINT32_MAX, 0, 1, half.max_count};
    std::vector<engine::Threshold> turns(n);
    for (std::size_t query = 0; query < n; ++query)
      turns[query] = std::array{half, none, engine::Threshold{}, ranked}[query % 4];
    const WorldsScreen count(world);
    CountingConformance::expect_conforms(
        world, count.problem(), first_block,
        {std::vector(n, half), turns, std::vector(n, none), std::vector(n, engine::Threshold{})});
  }
};

// Both sides of the queries of a work-item, 1, 4 and 16, of the 256 profiles of a work-group, of a word and
// of a group.
TEST_P(ScreenConformance, FindsThePairsThatPass) {
  for (const DrawnSize& size : std::vector<DrawnSize>{{1, 1, 1, 1},
                                                      {16, 33, 2, 1},
                                                      {64, 31, 4, 2},
                                                      {33, 65, 5, 1},
                                                      {101, 255, 1, 2, 97},
                                                      {203, 257, 17, 1, 90},
                                                      {1000, 64, 33, 3, 95},
                                                      {97, 300, 16, 1, 60}}) {
    SCOPED_TRACE(::testing::Message() << size);
    expect_conforms(ScreenWorld(size), 3);
  }
}

// Few enough for Oclgrind.
TEST_P(ScreenConformance, FindsThoseOfFewPeople) {
  expect_conforms(ScreenWorld({45, 3, 17, 1, 90}), 0);
}

// Ratios far below and above what a float holds.
TEST_P(ScreenConformance, RatiosMayBeAsSmallAndLargeAsTheyLike) {
  ScreenWorld world({900, 40, 3, 1, 95});
  for (auto& of_site : world.tables[0].emissions)
    for (auto& of_query : of_site)
      for (float& emission : of_query)
        emission = emission < 1 ? 0x1p-5F : emission > 1.5F ? 0x1p5F : emission;
  for (engine::ScreenGroup& group : world.tables[0].groups) group.norm = .001F;
  std::set<std::uint32_t> counts;
  for (std::size_t profile = 0; profile < 40; ++profile) counts.insert(world.expected(0, profile).count);
  EXPECT_GT(counts.size(), 20U);
  EXPECT_GT(*counts.rbegin() - *counts.begin(), 150U << engine::kScreenBits);
  expect_conforms(world, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, ScreenConformance, ::testing::ValuesIn(counting_makers(100, 700)),
                         kMakersName);

// Each half of a block meets a query of its own.
TEST(ScreenPass, CountsWithEachInstructionSet) {
  for (const DrawnSize& size : std::vector<DrawnSize>{{1, 1, 1, 1},
                                                      {33, 65, 5, 1},
                                                      {101, 255, 3, 2, 97},
                                                      {203, 257, 17, 1, 90},
                                                      {1000, 64, 33, 3, 95}}) {
    SCOPED_TRACE(::testing::Message() << size);
    const ScreenWorld world(size);
    const std::size_t lanes = static_cast<std::size_t>(world.blocks.shape().n_blocks()) * kLanes;
    for (const engine::ScreenTable& table : world.tables) {
      std::vector<std::vector<const float*>> of_queries;
      for (std::size_t query = 0; query < size.n_queries; ++query)
        of_queries.push_back(world.emissions_of(table, query));
      std::vector<const float* const*> of_slots;
      for (std::size_t slot = 0; slot < lanes / linked::kScreenSlot; ++slot)
        of_slots.push_back(of_queries[slot % size.n_queries].data());
      std::vector<std::uint32_t> right;
      for (std::size_t profile = 0; profile < size.n_profiles; ++profile)
        right.push_back(world.expected(table, profile / linked::kScreenSlot % size.n_queries, profile));
      for_each_target(
          [&] {
            auto counts = std::make_unique<std::vector<std::uint32_t>>(lanes);
            linked::pass_screens(table, of_slots.data(), world.blocks.view(), counts->data());
            counts->resize(size.n_profiles);
            return counts;
          },
          [&](const std::vector<std::uint32_t>& counts) { EXPECT_EQ(counts, right); });
    }
  }
}

/// Finds one pair too few.
class Forgetful final : public engine::Worker {
 public:
  explicit Forgetful(std::unique_ptr<engine::Worker> right) : right_(std::move(right)) {}
  engine::TileBuffer buffer() override { return right_->buffer(); }
  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const engine::Threshold> thresholds,
                      std::vector<engine::Pair>& out) override {
    const std::size_t damaged = right_->compare(tile, checksums, thresholds, out);
    out.pop_back();
    return damaged;
  }

 private:
  std::unique_ptr<engine::Worker> right_;
};

TEST(ScreenProof, FindsADeviceThatMissesAPair) {
  for (const std::size_t n_queries : {1U, 4U, 18U}) {
    const opencl::ScreenProof proof(n_queries);
    const auto engine = engine::make_reference_engine({});
    const auto queries = engine->prepare(proof.problem(), {});
    const auto blocks = static_cast<std::size_t>(proof.problem().database.n_blocks());
    EXPECT_TRUE(proof.is_solved_by(*queries->open_worker(blocks)));
    Forgetful forgetful(queries->open_worker(blocks));
    EXPECT_FALSE(proof.is_solved_by(forgetful));
  }
}

}  // namespace
}  // namespace fastid
