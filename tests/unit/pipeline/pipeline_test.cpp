// The loop: tiles cover everything once, in as many passes as it takes.
#include "pipeline/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "world.hpp"

namespace fastid {
namespace {

using testing::Case;
using testing::kNone;
using testing::random_blocks;
using testing::Touchy;

TEST(Stream, FindsEachQueryAtItsOwnRow) {
  Case run;
  const auto engine = make_reference_engine({.tile_blocks = 1});
  const StreamStats stats = stream(run.source, 0, 4, run.problem, *engine, run.ranking, run.progress);
  const auto result = run.ranking.result();
  EXPECT_EQ(result[0].hits[0].row, 3u);
  EXPECT_EQ(result[0].hits[0].counts.count, 0u);
  EXPECT_EQ(result[1].hits[0].row, 77u);
  EXPECT_EQ(stats.tiles, 4u);
}

TEST(Stream, ReadsNothingThatLiesInMemoryWhereTheEngineTakesItThere) {
  Case run;
  const auto engine = make_cpu_engine({.threads = 1});
  const StreamStats stats = stream(run.source, 0, 4, run.problem, *engine, run.ranking, run.progress);
  EXPECT_EQ(stats.read_bytes, 0u);
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
}

TEST(Stream, CountsTheSameHistogramOnAnyEngineAndTile) {
  Case run;
  std::vector<std::uint64_t> expected(51);
  for (std::uint64_t row = 0; row < 100; ++row) {
    const PairCounts pair = count_pair(Comparison::kIdentity, run.queries.row(1), run.blocks.view(), row);
    if (pair.compared > 0) ++expected[pair.count];
  }
  for (const std::size_t tile : {1u, 2u, 3u, 4u}) {
    std::vector<std::unique_ptr<Engine>> both;
    both.push_back(make_reference_engine({.tile_blocks = tile}));
    both.push_back(make_cpu_engine({.threads = 2, .tile_blocks = tile}));
    const auto joint = make_joint_engine(std::move(both));
    Case again;
    CountHistograms histograms(2, again.blocks.shape());
    stream(again.source, 0, 4, again.problem, *joint, again.ranking, again.progress, &histograms);
    EXPECT_EQ(histograms.n_profiles(), 100u);
    EXPECT_EQ(histograms.of_query(1), expected);
  }
}

// As a database has it.
std::uint64_t checksum_of(const Word* bits, const Word* called, std::size_t words) {
  return xxh3_64(bits, words * sizeof(Word), called, words * sizeof(Word));
}

/// The native engine with a plan that a test changes, and lanes that keep tiles, as a device's do.
class Planned final : public Engine {
 public:
  explicit Planned(std::function<void(LanePlan&)> change, std::size_t tiles = SIZE_MAX)
      : room(tiles), change_(std::move(change)) {}
  std::string name() const override { return "planned"; }
  std::string description() const override { return "planned"; }
  LanePlan plan(const Problem& problem) const override {
    LanePlan plan = engine_->plan(problem);
    change_(plan);
    return plan;
  }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    ++opened;
    before_opening();
    n_sites = problem.database.n_sites;
    return std::make_unique<KeepingLane>(*this, engine_->open_lane(problem, kTogether * tile_blocks));
  }

  std::function<void()> before_opening = [] {}, on_count = [] {};
  std::function<void(const Sought&, const std::function<void()>&)> on_find =
      [](const Sought&, const std::function<void()>& compare) { compare(); };
  std::function<void(std::span<Bar>)> close = [](std::span<Bar>) {};
  std::atomic<std::size_t> room;  ///< for tiles that are kept
  std::atomic<int> opened = 0;
  std::atomic<std::uint64_t> profiles = 0;  ///< compared by its lanes
  std::atomic<std::uint32_t> n_sites = 0;
  bool flips = false;          ///< what is kept is not what was sent
  bool tells = true;           ///< how many of the kept blocks are damaged
  std::vector<Sought> sought;  ///< of it, where it has one lane

 private:
  static constexpr std::size_t kTogether = 2;  // kept blocks that are recalled at once, at most

  struct KeepingLane final : Lane {
    KeepingLane(Planned& owner, std::unique_ptr<Lane> lane) : engine(owner), native(std::move(lane)) {}
    TileBuffer buffer() override {
      recalled.reset();
      return native->buffer();
    }
    void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
      engine.profiles += tile.n_profiles;
      const std::size_t words = tile.n_blocks() * tile.block_words();
      const TileBuffer to = native->buffer();
      if (recalled) {
        std::copy_n(kept.bits.data() + *recalled * tile.block_words(), words, to.bits);
        std::copy_n(kept.called.data() + *recalled * tile.block_words(), words, to.called);
      }
      last = {{to.bits, to.bits + words}, {to.called, to.called + words}};
      native->compare(tile, bars, out);
      std::fill_n(to.bits, words, ~Word{0});  // what lies there is nobody's any more
      if (!recalled) std::copy_n(last.bits.data(), words, to.bits);
    }
    void find_best(const BlockShape& tile, std::span<Bar> bars, const Sought& what,
                   std::vector<Candidate>& out) override {
      if (engine.opened == 1) engine.sought.push_back(what);
      engine.on_find(what, [&] { compare(tile, bars, out); });
      engine.close(bars);
    }
    void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
      engine.on_count();
      const TileBuffer to = native->buffer();
      std::ranges::copy(last.bits, to.bits);
      native->count(tile, series, out);
    }
    bool keep() override {
      for (std::size_t left = engine.room; left > 0;)
        if (engine.room.compare_exchange_weak(left, left - 1)) {
          kept.bits.insert(kept.bits.end(), last.bits.begin(), last.bits.end());
          kept.called.insert(kept.called.end(), last.called.begin(), last.called.end());
          for (std::size_t i = kept.bits.size() - last.bits.size(); engine.flips && i < kept.bits.size(); ++i)
            kept.bits[i] = ~kept.bits[i] & kept.called[i];
          ++blocks;
          return true;
        }
      return false;
    }
    std::size_t recall(std::uint64_t first) override {
      EXPECT_LT(first, blocks);
      recalled = first;
      return std::min<std::uint64_t>(blocks - first, kTogether);
    }
    BlocksView bring(std::span<const Candidate> found) override {  // one at a time
      const std::uint32_t sites = engine.n_sites;
      const std::size_t words = BlockShape{1, sites}.n_words();
      brought.bits.assign(words * kLanes, 0);
      brought.called = brought.bits;
      for (std::size_t word = 0; word < words; ++word) {
        const std::size_t block = *recalled + found[0].profile / kLanes;
        const std::size_t from = (block * words + word) * kLanes + found[0].profile % kLanes;
        brought.bits[word * kLanes] = kept.bits[from];
        brought.called[word * kLanes] = kept.called[from];
      }
      return {{1, sites}, brought.bits.data(), brought.called.data()};
    }

    std::optional<std::size_t> count_damaged(std::span<const std::uint64_t> checksums) override {
      if (!engine.tells) return std::nullopt;
      EXPECT_EQ(checksums.size(), blocks);
      const std::size_t words = BlockShape{1, engine.n_sites}.block_words();
      std::size_t n = 0;
      for (std::size_t i = 0; i < blocks; ++i)
        n += checksum_of(kept.bits.data() + i * words, kept.called.data() + i * words, words) != checksums[i];
      return n;
    }

    struct Planes {
      std::vector<Word> bits, called;
    };
    Planned& engine;
    std::unique_ptr<Lane> native;
    Planes last, kept, brought;
    std::uint64_t blocks = 0;               // kept, of a tile each
    std::optional<std::uint64_t> recalled;  // the first one
  };

  std::function<void(LanePlan&)> change_;
  std::unique_ptr<Engine> engine_ = make_cpu_engine({.threads = 2, .tile_blocks = 1});
};

// As a file is: nothing of it lies in memory.
struct FileCase : Case {
  Touchy file{blocks.view(), kNone};
  KeepRule rule{.top = 3};
  StreamStats stats;  ///< of the last run

  std::vector<RankedHits> run_once(Stream& stream, CountHistograms* histograms = nullptr) {
    Ranking fresh(Comparison::kIdentity, queries.n_rows(), rule);
    stats = stream.run(fresh, progress, histograms);
    return fresh.result();
  }
  void have_checksums() {
    const BlocksView view = blocks.view();
    const std::size_t words = view.shape.block_words();
    for (std::size_t i = 0; i < view.shape.n_blocks(); ++i)
      file.sums.push_back(checksum_of(view.bits + i * words, view.called + i * words, words));
  }
  std::vector<RankedHits> expected() {
    const auto reference = make_reference_engine({});
    Stream plain(source, 0, 4, problem, *reference);
    return run_once(plain);
  }
  static void expect_same(const std::vector<RankedHits>& found, const std::vector<RankedHits>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t q = 0; q < found.size(); ++q) {
      EXPECT_EQ(found[q].hits, expected[q].hits);
      EXPECT_EQ(found[q].ties_cut, expected[q].ties_cut);
    }
  }
};

TEST(Stream, AsksMoreQueriesThanADeviceTakesInPasses) {
  FileCase run;
  std::vector<std::uint64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  run.queries = ProfileRows::from_blocks(run.blocks.view(), all);
  const auto expected = run.expected();
  for (const std::size_t most : {1u, 7u, 99u, 100u, 101u}) {
    Planned engine([&](LanePlan& plan) { plan.queries = most; });
    Stream stream(run.file, 0, 4, run.problem, engine);
    CountHistograms histograms(100, run.blocks.shape());
    run.expect_same(run.run_once(stream, &histograms), expected);
    EXPECT_EQ(engine.profiles, ceil_div<std::size_t>(100, most) * 100);
    EXPECT_EQ(histograms.n_profiles(), 100u);
    for (std::size_t q : {0u, 50u, 99u}) {
      const auto& histogram = histograms.of_query(q);
      EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}), 100u);
      EXPECT_GE(histogram[0], 1u) << "itself";
    }
  }
}

// Wherever the called sites must be looked at: in the tile, or, once only the device has it, in the file.
TEST(Stream, HistogramsHaveWhoeverIsComparableAlsoWithoutAMinorAllele) {
  BitBlocks blocks = random_blocks({100, 50}, 1);
  for (std::uint32_t s = 0; s < 50; ++s) {
    blocks.set(5, s, false);  // nothing that a mixture could lack
    blocks.clear(7, s);       // nothing to compare
  }
  const Touchy file(blocks.view(), kNone);
  const std::vector<std::uint64_t> which{3, 5};
  const ProfileRows queries = ProfileRows::from_blocks(blocks.view(), which);
  for (const Comparison comparison : {Comparison::kMixture, Comparison::kReverseMixture}) {
    const Problem problem{comparison, &queries, blocks.shape(), true};
    for (const bool kept : {false, true}) {
      Planned engine([&](LanePlan& plan) {
        plan.keeps = kept;
        plan.closes = 3;
        plan.queries = kept ? 1 : 2;
      });
      CountHistograms histograms(2, blocks.shape());
      Ranking ranking(comparison, 2, KeepRule{.top = 3});
      Progress progress{ProgressMode::kNever, "", "", 100};
      stream(file, 0, 4, problem, engine, ranking, progress, &histograms);
      for (std::size_t q = 0; q < 2; ++q) {
        std::vector<std::uint64_t> expected(51);
        for (std::uint64_t row = 0; row < 100; ++row) {
          const PairCounts pair = count_pair(comparison, queries.row(q), blocks.view(), row);
          if (pair.compared > 0) ++expected[pair.count];
        }
        EXPECT_EQ(histograms.of_query(q), expected);
        EXPECT_EQ(std::reduce(expected.begin(), expected.end()), 99u);
      }
    }
  }
}

TEST(Stream, ReadsOnlyWhatIsListedOnceTilesAreKept) {
  FileCase run;
  run.rule.max_count = 0;  // only the queries themselves, of two blocks
  const auto expected = run.expected();
  Planned engine([](LanePlan& plan) {
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(run.file.reads, 4);
  for (int again = 0; again < 2; ++again) {
    run.file.reads = 0;
    run.expect_same(run.run_once(stream), expected);
    EXPECT_EQ(run.file.reads, 2);
  }
  EXPECT_EQ(engine.opened, 2) << "lanes stay open";
}

TEST(Stream, ReadsNothingOnceTilesAreKeptThatLanesHoldAgainstTheirChecksums) {
  for (const bool tells : {true, false}) {
    FileCase run;
    run.rule.max_count = 0;
    run.have_checksums();
    const auto expected = run.expected();
    Planned engine([](LanePlan& plan) {
      plan.keeps = true;
      plan.closes = 3;
    });
    engine.tells = tells;
    Stream stream(run.file, 0, 4, run.problem, engine, true);
    run.expect_same(run.run_once(stream), expected);
    EXPECT_FALSE(run.stats.checked);
    for (int again = 0; again < 2; ++again) {
      run.file.reads = 0;
      run.expect_same(run.run_once(stream), expected);
      EXPECT_EQ(run.stats.checked, tells);
      EXPECT_EQ(run.file.reads, tells ? 0 : 2);
    }
  }
}

TEST(Stream, CatchesADeviceWhoseKeptBlocksAreDamagedAlsoWhereNoneIsListed) {
  FileCase run;
  run.rule.max_count = 0;
  run.have_checksums();
  run.file.sums[1] ^= 1;  // neither query's
  Planned engine([](LanePlan& plan) {
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.run_once(stream);
  try {
    run.run_once(stream);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), ::testing::MatchesRegex(
                                  "planned has damaged 1 of [1-4] blocks? that a lane keeps; do not.*"));
  }
}

// What the first closes spares the others pairs.
TEST(Stream, LetsLanesTakeTurnsWithWhatTheyKeep) {
  const BitBlocks blocks = random_blocks({70 * kLanes, 50}, 2);
  const Touchy file(blocks.view(), kNone);
  const Case run;
  const Problem problem{Comparison::kIdentity, &run.queries, blocks.shape(), true};
  for (const std::size_t busy : {1u, 2u}) {
    Planned engine([&](LanePlan& plan) {
      plan.lanes = 4;
      plan.keeps = true;
      plan.closes = 3;
      plan.busy_lanes = busy;
    });
    Stream stream(file, 0, 70, problem, engine, true);
    std::atomic<std::size_t> at_once = 0, most = 0, first = 0;
    for (int again = 0; again < 3; ++again) {
      Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = 3});
      Progress progress{ProgressMode::kNever, "", "", 100};
      stream.run(ranking, progress);
      EXPECT_EQ(ranking.result()[1].hits.size(), 3u);
      engine.on_find = [&](const Sought& sought, const std::function<void()>& compare) {
        first += sought.seen == 0;
        const std::size_t now = ++at_once;
        for (std::size_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
        compare();
        --at_once;
      };
    }
    EXPECT_EQ(first, 2u) << "one a run";
    EXPECT_LE(most, busy);
  }
}

TEST(Stream, EndsWhereALaneFailsThatOthersWaitFor) {
  const BitBlocks blocks = random_blocks({70 * kLanes, 50}, 2);
  const Touchy file(blocks.view(), kNone);
  const Case run;
  const Problem problem{Comparison::kIdentity, &run.queries, blocks.shape(), true};
  Planned engine([&](LanePlan& plan) {
    plan.lanes = 4;
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(file, 0, 70, problem, engine, true);
  const auto sweep = [&] {
    Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = 3});
    Progress progress{ProgressMode::kNever, "", "", 100};
    stream.run(ranking, progress);
  };
  sweep();
  engine.on_find = [&](const Sought&, const std::function<void()>&) {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    throw DeviceError("lost");
  };
  EXPECT_THROW(sweep(), DeviceError);
}

// What an engine may leave out rests on this.
TEST(Stream, TellsALaneHowManyAreSoughtAndOfHowManyProfilesTheBarsAreAlready) {
  FileCase run;
  run.rule.min_compared = 7;
  const auto expected = run.expected();
  Planned engine([](LanePlan& plan) {
    plan.lanes = 1;
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(engine.sought, (std::vector<Sought>{{3, 7, 0}, {3, 7, 32}, {3, 7, 64}, {3, 7, 96}}));
  engine.sought.clear();
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(engine.sought, (std::vector<Sought>{{3, 7, 0}, {3, 7, 64}}));
}

TEST(Stream, HasASmallFirstTileAndThenLargeOnesUnlessTilesHaveToGrow) {
  const BitBlocks blocks = random_blocks({70 * kLanes, 50}, 2);
  const MemorySource source(blocks.view());
  const Case run;
  const Problem problem{Comparison::kIdentity, &run.queries, blocks.shape(), true};
  using Seen = std::vector<std::uint64_t>;
  for (const auto& [top, expected] :
       {std::pair{3u, Seen{0, 64, 1088, 2112}}, std::pair{4u, Seen{0, 32, 64, 128, 256, 512, 1024, 2048}}}) {
    Planned engine([](LanePlan& plan) {
      plan.lanes = 1;
      plan.tile_blocks = 32;
      plan.first_tile_blocks = 1;
      plan.small_last = false;
      plan.closes = 3;
    });
    Ranking ranking(Comparison::kIdentity, 2, KeepRule{.top = top});
    Progress progress{ProgressMode::kNever, "", "", 100};
    stream(source, 0, 70, problem, engine, ranking, progress);
    Seen seen;
    for (const Sought& sought : engine.sought) seen.push_back(sought.seen);
    EXPECT_EQ(seen, expected);
  }
}

TEST(Stream, LetsOtherLanesHaveTheBarsOfATileBeforeItsPairsAreCountedAgain) {
  Case run;
  Planned engine([](LanePlan& plan) { plan.lanes = 1; });
  engine.close = [](std::span<Bar> bars) { bars[1] = {UINT32_MAX, 49, 50}; };
  std::vector<Bar> bars(2);
  engine.on_count = [&] {
    EXPECT_TRUE(run.ranking.kept(1).empty());
    run.ranking.bars(bars);
    engine.close = [](std::span<Bar>) {};
    engine.on_count = [] {};
  };
  CountHistograms histograms(2, run.blocks.shape());
  stream(run.source, 0, 4, run.problem, engine, run.ranking, run.progress, &histograms);
  EXPECT_EQ(bars, (std::vector<Bar>{{}, {UINT32_MAX, 49, 50}}));
  EXPECT_EQ(run.ranking.result()[1].hits[0].row, 77u);
}

TEST(Stream, ReadsAgainWhereNotAllTilesWereKept) {
  for (const std::size_t room : {0u, 1u, 3u}) {
    FileCase run;
    const auto expected = run.expected();
    Planned engine(
        [](LanePlan& plan) {
          plan.keeps = true;
          plan.closes = 3;
        },
        room);
    Stream stream(run.file, 0, 4, run.problem, engine, true);
    for (int again = 0; again < 3; ++again) run.expect_same(run.run_once(stream), expected);
    EXPECT_EQ(run.file.reads, 12);
  }
}

TEST(Stream, KeepsNoTilesWhereMorePairsAreListedThanBarsAreClosedFor) {
  FileCase run;
  run.rule.top = 4;
  const auto expected = run.expected();
  Planned engine([](LanePlan& plan) {
    plan.keeps = true;
    plan.closes = 3;
  });
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  for (int again = 0; again < 2; ++again) run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(run.file.reads, 8);
}

// A device that has kept other bits than it was sent.
TEST(Stream, CatchesADeviceThatDoesNotKeepWhatItWasSent) {
  FileCase run;
  Planned engine([](LanePlan& plan) {
    plan.keeps = true;
    plan.closes = 3;
  });
  engine.flips = true;
  Stream stream(run.file, 0, 4, run.problem, engine, true);
  run.expect_same(run.run_once(stream), run.expected());
  EXPECT_THROW(run.run_once(stream), DeviceError);
}

TEST(Stream, ALaneBeginsBeforeAnotherIsOpen) {
  FileCase run;
  const auto expected = run.expected();
  Planned engine([](LanePlan&) {});
  std::atomic<int> opening = 0;
  engine.before_opening = [&] {
    if (opening++ == 0) return;
    for (int ms = 0; ms < 60'000 && engine.profiles < run.problem.database.n_profiles; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(engine.profiles, run.problem.database.n_profiles) << "the first lane waits for the second";
  };
  Stream stream(run.file, 0, 4, run.problem, engine);
  run.expect_same(run.run_once(stream), expected);
  EXPECT_EQ(opening, 2);
}

}  // namespace
}  // namespace fastid
