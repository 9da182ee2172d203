// Who tests the paths of a screen's pairs: a native engine, or a device that has workers of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "linked/internal/path_pieces.hpp"
#include "linked/pair_screen.hpp"
#include "unit/linked/pair_screen_testing.hpp"

namespace fastid::linked {
namespace {

using testing::blocks_of;
using testing::Found;
using testing::found_by;
using testing::MadeSites;
using testing::packed;
using testing::people_of;
using testing::screen_of;

/// Tests paths on behalf of the native engine, in tiles of two blocks that it has in memory of its own, as a
/// device does.
class PathsElsewhere final : public Engine {
 public:
  PathsElsewhere(const PathTest& test, bool counts) : native_(make_path_engine(test, 1)), counts_(counts) {}

  std::string name() const override { return "elsewhere"; }
  std::string description() const override { return "somewhere else"; }
  bool counts(const Problem& problem) const override { return counts_ && paths_of(problem) != nullptr; }
  WorkPlan plan(const Problem&) const override { return {.workers = 2, .tile_blocks = 2}; }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan& plan) override {
    told = plan;
    return std::make_unique<Queries>(*this, native_->prepare(problem, plan));
  }

  std::atomic<std::size_t> tiles = 0;  ///< that were tested
  std::size_t open = 0;                ///< workers
  WorkPlan told;                       ///< at the last problem
  std::optional<Pair> adding;          ///< to what passes of each

 private:
  class OwnMemory final : public Worker {
   public:
    OwnMemory(PathsElsewhere& of, std::unique_ptr<Worker> native) : of_(of), native_(std::move(native)) {
      ++of_.open;
    }
    ~OwnMemory() override { --of_.open; }
    OwnMemory(const OwnMemory&) = delete;
    OwnMemory& operator=(const OwnMemory&) = delete;
    TileBuffer buffer() override { return native_->buffer(); }
    std::size_t compare(const Tile& tile, std::span<const std::uint64_t> checksums,
                        std::span<const Threshold> thresholds, std::vector<Pair>& out) override {
      EXPECT_LE(tile.n_blocks(), 2U);
      ++of_.tiles;
      if (of_.adding) out.push_back(*of_.adding);
      return native_->compare(tile, checksums, thresholds, out);
    }

   private:
    PathsElsewhere& of_;
    std::unique_ptr<Worker> native_;
  };

  class Queries final : public PreparedQueries {
   public:
    Queries(PathsElsewhere& of, std::unique_ptr<PreparedQueries> native)
        : of_(of), native_(std::move(native)) {}
    std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
      return std::make_unique<OwnMemory>(of_, native_->open_worker(tile_blocks));
    }

   private:
    PathsElsewhere& of_;
    std::unique_ptr<PreparedQueries> native_;
  };

  std::unique_ptr<Engine> native_;
  bool counts_;
};

// Some people lack so many sites that their paths are not tested.
TEST(PairScreen, HasPathsTestedByTheEngineThatIsGiven) {
  std::mt19937_64 rng(41);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model), open = screen_of(model, -6);
  testing::Genotypes people = people_of(made, 100, rng);
  for (std::size_t i = 0; i < people.size(); i += 7) std::fill_n(people[i].begin(), 1000, -1);
  const Found native = found_by(screen, people, 96);
  EXPECT_GT(native.size(), people.size());
  PathsElsewhere paths(screen.test(), true), not_these(screen.test(), false), none(screen.test(), true);
  EXPECT_EQ(found_by(screen, people, 96, &paths), native);
  EXPECT_EQ(paths.tiles, 3U);  // of blocks of 64, 32 and 4 people
  EXPECT_EQ(found_by(screen, people, 96, &not_these), native);
  EXPECT_EQ(not_these.tiles, 0U);
  found_by(open, people, 96, &none);
  EXPECT_EQ(none.tiles, 0U);
}

TEST(PairScreen, RefusesPairsThatWereNotAskedForOrCameTwice) {
  std::mt19937_64 rng(43);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  const testing::Genotypes people = people_of(made, 40, rng);
  for (const Pair& wrong :
       {Pair{40, 0, PathCount::kPasses}, Pair{0, 40, PathCount::kPasses}, Pair{3, 3, PathCount::kPasses}}) {
    PathsElsewhere paths(screen.test(), true);
    paths.adding = wrong;
    try {
      found_by(screen, people, 64, &paths);
      ADD_FAILURE() << wrong.row << ", " << wrong.query;
    } catch (const DeviceError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("elsewhere found a pair")) << error.what();
    }
  }
}

// No one lacks too many sites, but any two together do, but for the last three blocks' with all sites called.
TEST(PathPieces, HaveRoomForPairsThatLackTooManySitesTogether) {
  std::mt19937_64 rng(45);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  const PathTest& test = screen.test();
  const std::uint32_t missing = test.most_missing() * 3 / 4;
  testing::Genotypes people = people_of(made, 6 * fastid::kLanes, rng);
  for (std::size_t i = 0; i < 3 * fastid::kLanes; ++i) std::fill_n(people[i].begin(), missing, -1);
  const BitBlocks blocks = packed(screen, people);
  const BlocksView view = blocks.view();
  std::vector<std::uint64_t> asked(fastid::kLanes);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  const PathPieces pieces(test, ProfileRows::from_blocks(view, asked));
  ASSERT_LE(missing, test.most_missing());
  EXPECT_EQ(pieces.untested(0), 0U);
  EXPECT_EQ(pieces.untested(test.most_missing() - missing), 0U);
  EXPECT_EQ(pieces.untested(test.most_missing() - missing + 1), asked.size());
  EXPECT_EQ(pieces.untested(test.most_missing() + 1), asked.size());
  const std::uint64_t of_block = asked.size() * fastid::kLanes;
  EXPECT_EQ(pieces.blocks(view, 0, 6, of_block - 1), 1U) << "at least one";
  EXPECT_EQ(pieces.blocks(view, 0, 6, of_block), 1U);
  EXPECT_EQ(pieces.blocks(view, 0, 6, 2 * of_block), 2U);
  EXPECT_EQ(pieces.blocks(view, 0, 2, 3 * of_block), 2U);
  EXPECT_EQ(pieces.blocks(view, 0, 6, 3 * of_block), 6U);
  EXPECT_EQ(pieces.blocks(view, 2, 4, of_block), 4U);
}

// More threads than it plans for take turns; its memory is made for what is opened.
TEST(PairScreen, OpensAsManyWorkersOfADeviceAsItPlans) {
  std::mt19937_64 rng(44);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  const BitBlocks blocks = packed(screen, people_of(made, 40, rng));
  const std::vector<std::uint64_t> asked{0, 10};
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), asked);
  const Problem problem{Comparison::kKinship, &queries, blocks.shape(), true, Encoding::kAlleles};
  PathsElsewhere paths(screen.test(), true);
  const auto engine = screen.make_engine(6, &paths);
  engine->plan(problem);
  {
    const auto prepared = engine->prepare(problem, {.workers = 8, .tile_blocks = 1});
    EXPECT_EQ(paths.told.workers, 2U);
    EXPECT_EQ(paths.told.tile_blocks, 1U);
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::size_t i = 0; i < 8; ++i) workers.push_back(prepared->open_worker(1));
    EXPECT_EQ(paths.open, 2U);
    std::vector<std::vector<Pair>> found(workers.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers.size(); ++i)
      threads.emplace_back([&, i] {
        const BlocksView view = blocks.view();
        const BlockShape shape = view.shape.with(fastid::kLanes);
        const std::vector<Threshold> thresholds(queries.n_rows());
        EXPECT_TRUE(workers[i]->borrow({shape, view.bits, view.second}));
        for (int times = 0; times < 3; ++times) workers[i]->compare({0, shape}, {}, thresholds, found[i]);
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<Pair>& of : found) EXPECT_EQ(of, found[0]);
    EXPECT_EQ(found[0].size(), 3 * 4U);  // each with himself and with his child
    EXPECT_EQ(paths.open, 2U) << "after their use";
  }
  EXPECT_EQ(paths.open, 0U);
  EXPECT_NE(engine->prepare(problem, {.workers = 0, .tile_blocks = 2}), nullptr);
  EXPECT_EQ(paths.told.workers, 0U) << "their memory is taken over";
}

// Threads that wait for a device need no processor, so that there are more workers; and it is named.
TEST(PairScreen, SaysWhoTestsPaths) {
  std::mt19937_64 rng(42);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  const BitBlocks blocks = packed(screen, people_of(made, 10, rng));
  const std::vector<std::uint64_t> first{0};
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), first);
  const Problem problem{Comparison::kKinship, &queries, blocks.shape().with(100'000), true,
                        Encoding::kAlleles};
  PathsElsewhere paths(screen.test(), true);
  const auto by_both = screen.make_engine(3, &paths), native = screen.make_engine(3);
  EXPECT_EQ(by_both->plan(problem).workers, 5U);
  EXPECT_EQ(native->plan(problem).workers, 3U);
  EXPECT_EQ(by_both->name(), "elsewhere");
  EXPECT_EQ(native->name(), "cpu");
  EXPECT_EQ(by_both->description(), "somewhere else; " + native->description());
}

}  // namespace
}  // namespace fastid::linked
