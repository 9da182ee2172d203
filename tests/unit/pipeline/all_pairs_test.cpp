// All pairs, strip by strip, against two loops.
#include "pipeline/all_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

#include "unit/pipeline/world.hpp"

namespace fastid::pipeline {
namespace {

using testing::Changed;
using testing::random_blocks;

using Found = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // column and row

class AllPairsTest : public ::testing::Test {
 protected:
  // More columns than a strip holds, and a last block that is partly used.
  AllPairsTest() : people_(random_blocks({700, 40}, 1)), source_(people_.view()) {}

  AllPairs half(const engine::Threshold& threshold) const {
    return {.comparison = engine::Comparison::kIdentity,
            .by = Encoding::kMinor,
            .columns = source_,
            .rows = source_,
            .threshold = threshold,
            .rows_for = [](std::uint64_t end) { return end - 1; },
            .keep = [](std::uint64_t column, std::uint64_t row,
                       const engine::PairCounts&) { return row < column; }};
  }

  Found stream(const AllPairs& all, engine::Engine& engine) const {
    Progress silent(ProgressMode::kNever, "", "", 0);
    Found found;
    stream_pairs(all, engine, 2, silent, [&](const Strip& strip) {
      for (const engine::Pair& pair : strip.pairs) {
        EXPECT_EQ(pair.counts,
                  engine::count_pair(engine::Comparison::kIdentity, Encoding::kMinor,
                                     strip.problem.queries->row(pair.query), people_.view(), pair.row));
        found.emplace_back(strip.first + pair.query, pair.row);
      }
    });
    return found;
  }

  Found by_two_loops(const engine::Threshold& threshold) const {
    std::vector<std::uint64_t> all(700);
    for (std::uint64_t i = 0; i < 700; ++i) all[i] = i;
    const ProfileRows rows = ProfileRows::from_blocks(people_.view(), all);
    Found found;
    for (std::uint64_t column = 0; column < 700; ++column)
      for (std::uint64_t row = 0; row < column; ++row)
        if (threshold.passes(engine::count_pair(engine::Comparison::kIdentity, Encoding::kMinor,
                                                rows.row(column), people_.view(), row)))
          found.emplace_back(column, row);
    return found;
  }

  BitBlocks people_;
  MemorySource source_;
};

constexpr engine::Threshold kFifth{UINT32_MAX, 1, 5, 0};

TEST_F(AllPairsTest, FindsWhatTwoLoopsFindInTheSameOrder) {
  const Found right = by_two_loops(kFifth);
  ASSERT_GT(right.size(), 20U);
  EXPECT_EQ(strip_columns(people_.shape(), 700), 256U);
  for (const std::size_t tile : {1U, 3U, 100U}) {
    const auto engine = engine::make_cpu_engine({.threads = 3, .tile_blocks = tile});
    EXPECT_EQ(stream(half(kFifth), *engine), right) << tile;
  }
  // A device that takes few queries at once gets strips of as many.
  Changed few([](engine::WorkPlan& plan) { plan.queries = 32; });
  EXPECT_EQ(stream(half(kFifth), few), right);
  EXPECT_EQ(few.prepared, 22);
}

TEST_F(AllPairsTest, HalfOfTheSquareIsCompared) {
  Changed engine;
  stream(half(kFifth), engine);
  // Strips end at 256, 512 and 700; rows are compared in whole blocks.
  EXPECT_EQ(engine.profiles, 256U + 512U + 700U);
  EXPECT_EQ(rows_of_strips(half(kFifth)), 256U + 512U + 700U);
}

TEST_F(AllPairsTest, MorePairsThanMayBeKeptAreNoList) {
  AllPairs all = half(kFifth);
  const std::uint64_t n = by_two_loops(kFifth).size();
  const auto engine = engine::make_cpu_engine({.threads = 2});
  all.most_pairs = n;
  EXPECT_EQ(stream(all, *engine).size(), n);
  all.most_pairs = n - 1;
  EXPECT_THROW(stream(all, *engine), TooManyPairs);
}

/// A device that finds the last pair of each tile twice.
class Twice final : public engine::Engine {
 public:
  std::string name() const override { return "twice"; }
  std::string description() const override { return "twice"; }
  engine::WorkPlan plan(const engine::Problem& problem) const override { return native_->plan(problem); }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    return std::make_unique<Queries>(native_->prepare(problem, plan));
  }

 private:
  class Finder final : public engine::Worker {
   public:
    explicit Finder(std::unique_ptr<engine::Worker> native) : native_(std::move(native)) {}
    engine::TileBuffer buffer() override { return native_->buffer(); }
    std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                        std::span<const engine::Threshold> thresholds,
                        std::vector<engine::Pair>& out) override {
      const std::size_t before = out.size(), damaged = native_->compare(tile, checksums, thresholds, out);
      if (out.size() > before) out.push_back(engine::Pair(out.back()));
      return damaged;
    }

   private:
    std::unique_ptr<engine::Worker> native_;
  };
  class Queries final : public engine::PreparedQueries {
   public:
    explicit Queries(std::unique_ptr<engine::PreparedQueries> native) : native_(std::move(native)) {}
    std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
      return std::make_unique<Finder>(native_->open_worker(tile_blocks));
    }

   private:
    std::unique_ptr<engine::PreparedQueries> native_;
  };

  std::unique_ptr<engine::Engine> native_ = engine::make_cpu_engine({.threads = 2});
};

TEST_F(AllPairsTest, APairThatIsFoundTwiceEndsTheRun) {
  Twice twice;
  try {
    stream(half({}), twice);
    ADD_FAILURE();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                ::testing::MatchesRegex("twice found the pair of column [0-9]+ and row [0-9]+ twice; .*"));
  }
}

TEST_F(AllPairsTest, DamageInAnyStripEndsTheRun) {
  const testing::Touchy damaged(people_.view(),
                                20);  // of the last strip, which is read while others are compared
  AllPairs all = half(kFifth);
  const AllPairs touchy{.comparison = all.comparison,
                        .by = all.by,
                        .columns = damaged,
                        .rows = damaged,
                        .threshold = all.threshold,
                        .rows_for = all.rows_for,
                        .keep = all.keep};
  const auto engine = engine::make_cpu_engine({.threads = 2});
  EXPECT_THROW(stream(touchy, *engine), InputError);
}

TEST(StripColumns, AreBoundedByMemoryAndByWhatIsLost) {
  EXPECT_EQ(strip_columns({1, 1024}, 1), 256U);
  EXPECT_EQ(strip_columns({1, 1024}, 100'000), 3'104U);
  EXPECT_EQ(strip_columns({1, 1024}, 10'000'000), 16'384U);
  EXPECT_EQ(strip_columns({1, 1'000'000}, 10'000'000), 160U);
  EXPECT_EQ(strip_columns({1, UINT32_MAX}, 10'000'000), 32U);
}

}  // namespace
}  // namespace fastid::pipeline
