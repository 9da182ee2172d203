// Who computes the chains of a screen's pairs: the CPU engine, or one that is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/screen_count.hpp"
#include "linked/pair_screen.hpp"
#include "unit/linked/pair_screen_testing.hpp"

namespace fastid::linked {
namespace {

using testing::Found;
using testing::found_by;
using testing::MadeSites;
using testing::packed;
using testing::people_of;

/// Computes chains by their definition, as a device does.
class ChainsElsewhere final : public engine::Engine {
 public:
  explicit ChainsElsewhere(bool knows_chains) : knows_(knows_chains) {}

  std::string name() const override { return "elsewhere"; }
  std::string description() const override { return "somewhere else"; }
  bool supports(const engine::Problem& problem) const override {
    return knows_ && engine::screen_of(problem) != nullptr;
  }
  engine::WorkPlan plan(const engine::Problem& problem) const override {
    EXPECT_NE(engine::screen_of(problem), nullptr);
    return {.workers = 2, .tile_blocks = 2};
  }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    told = plan;
    return std::make_unique<Queries>(*this, reference_->prepare(problem, plan));
  }

  std::atomic<std::size_t> tiles = 0;  ///< that were compared
  engine::WorkPlan told;               ///< at the last problem
  std::optional<engine::Pair> adding;  ///< to what passes of each

 private:
  class Counting final : public engine::Worker {
   public:
    Counting(ChainsElsewhere& of, std::unique_ptr<engine::Worker> plain)
        : of_(of), plain_(std::move(plain)) {}
    engine::TileBuffer buffer() override { return plain_->buffer(); }
    bool borrow(const BlocksView& tile) override { return plain_->borrow(tile); }
    std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                        std::span<const engine::Threshold> thresholds,
                        std::vector<engine::Pair>& out) override {
      ++of_.tiles;
      if (of_.adding) out.push_back(*of_.adding);
      return plain_->compare(tile, checksums, thresholds, out);
    }

   private:
    ChainsElsewhere& of_;
    std::unique_ptr<engine::Worker> plain_;
  };

  class Queries final : public engine::PreparedQueries {
   public:
    Queries(ChainsElsewhere& of, std::unique_ptr<engine::PreparedQueries> plain)
        : of_(of), plain_(std::move(plain)) {}
    std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
      return std::make_unique<Counting>(of_, plain_->open_worker(tile_blocks));
    }

   private:
    ChainsElsewhere& of_;
    std::unique_ptr<engine::PreparedQueries> plain_;
  };

  std::unique_ptr<engine::Engine> reference_ = engine::make_reference_engine({});
  bool knows_;
};

// Some people lack so many sites that their paths are not tested; on a small panel kinship counts too.
TEST(PairScreen, HasChainsComputedByTheEngineThatIsGiven) {
  std::mt19937_64 rng(41);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng), few = testing::made_sites(10, 20, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made), small = testing::model_of_sites(few);
  const PairScreen screen = testing::screen_of(model);
  testing::Genotypes people = people_of(made, 100, rng);
  for (std::size_t i = 0; i < people.size(); i += 7) std::fill_n(people[i].begin(), 1000, -1);
  const Found native = found_by(screen, people, 96);
  EXPECT_GT(native.size(), people.size());
  ChainsElsewhere chains(true), not_these(false), none(true);
  EXPECT_EQ(found_by(screen, people, 96, &chains), native);
  EXPECT_EQ(chains.tiles, 2U);
  EXPECT_EQ(found_by(screen, people, 96, &not_these), native);
  EXPECT_EQ(not_these.tiles, 0U);
  found_by(testing::screen_of(small), people_of(few, 40, rng), 64, &none);
  EXPECT_EQ(none.tiles, 0U) << "kinship counts too";
}

TEST(PairScreen, RefusesPairsThatWereNotAskedFor) {
  std::mt19937_64 rng(43);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = testing::screen_of(model);
  const testing::Genotypes people = people_of(made, 40, rng);
  for (const engine::Pair& wrong : {engine::Pair{40, 0, {0, 1, 0}}, engine::Pair{0, 40, {0, 1, 0}}}) {
    ChainsElsewhere chains(true);
    chains.adding = wrong;
    try {
      found_by(screen, people, 64, &chains);
      ADD_FAILURE() << wrong.row << ", " << wrong.query;
    } catch (const DeviceError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("elsewhere found a pair")) << error.what();
    }
  }
}

// No one lacks too many sites, but any two together do, but for the last three blocks' with all sites called.
TEST(PathQueries, HaveRoomForPairsThatLackTooManySitesTogether) {
  std::mt19937_64 rng(45);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = testing::screen_of(model);
  const engine::PathTest& test = screen.test();
  const std::uint32_t missing = test.most_missing() * 3 / 4;
  testing::Genotypes people = people_of(made, 6 * fastid::kLanes, rng);
  for (std::size_t i = 0; i < 3 * fastid::kLanes; ++i) std::fill_n(people[i].begin(), missing, -1);
  const BitBlocks blocks = packed(screen, people);
  const BlocksView view = blocks.view();
  std::vector<std::uint64_t> asked(fastid::kLanes);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  const engine::PathQueries queries(test, ProfileRows::from_blocks(view, asked));
  ASSERT_LE(missing, test.most_missing());
  EXPECT_EQ(queries.untested(0), 0U);
  EXPECT_EQ(queries.untested(test.most_missing() - missing), 0U);
  EXPECT_EQ(queries.untested(test.most_missing() - missing + 1), asked.size());
  EXPECT_EQ(queries.untested(test.most_missing() + 1), asked.size());
  const std::uint64_t of_block = asked.size() * fastid::kLanes;
  EXPECT_EQ(queries.blocks(view, 0, 6, of_block - 1), 1U) << "at least one";
  EXPECT_EQ(queries.blocks(view, 0, 6, of_block), 1U);
  EXPECT_EQ(queries.blocks(view, 0, 6, 2 * of_block), 2U);
  EXPECT_EQ(queries.blocks(view, 0, 2, 3 * of_block), 2U);
  EXPECT_EQ(queries.blocks(view, 0, 6, 3 * of_block), 6U);
  EXPECT_EQ(queries.blocks(view, 2, 4, of_block), 4U);
}

TEST(PairScreen, SaysWhoComputesChains) {
  std::mt19937_64 rng(42);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = testing::screen_of(model);
  const BitBlocks blocks = packed(screen, people_of(made, 10, rng));
  const std::vector<std::uint64_t> first{0};
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), first);
  const engine::Problem problem{engine::Comparison::kKinship, &queries, blocks.shape().with(100'000), true,
                                Encoding::kAlleles};
  ChainsElsewhere chains(true);
  const auto given = screen.make_engine(3, &chains), native = screen.make_engine(3);
  EXPECT_EQ(given->name(), "cpu") << "before it is known whether that knows chains";
  EXPECT_EQ(given->plan(problem).workers, 2U);
  EXPECT_EQ(native->plan(problem).workers, 3U);
  EXPECT_EQ(given->name(), "elsewhere");
  EXPECT_EQ(native->name(), "cpu");
  EXPECT_EQ(given->description(), "somewhere else");
  EXPECT_NE(given->prepare(problem, {.workers = 2, .tile_blocks = 2}), nullptr);
  EXPECT_EQ(chains.told.tile_blocks, 2U);
}

}  // namespace
}  // namespace fastid::linked
