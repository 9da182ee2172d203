/// \file
/// An engine whose plan a test changes, and a database that its lanes keep.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/checksums.hpp"
#include "world.hpp"

namespace fastid::testing {

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
    return std::make_unique<KeepingLane>(*this, problem, tile_blocks);
  }

  std::function<void()> before_opening = [] {}, on_count = [] {}, on_ask = [] {};
  std::function<void(std::span<Threshold>)> close = [](std::span<Threshold>) {};
  std::atomic<std::size_t> room;  ///< for tiles that are kept
  std::atomic<int> opened = 0;
  std::atomic<std::uint64_t> profiles = 0;  ///< compared by its lanes
  std::atomic<std::uint32_t> n_sites = 0;
  bool flips = false;                ///< what is kept is not what was sent
  std::atomic<bool> spoils = false;  ///< so too of one profile
  bool asks = false;                 ///< lanes take other queries, and go on with what they keep
  bool expects = false;              ///< lanes hold blocks against their checksums
  bool forgets = false;              ///< and then do not
  bool damages = false;              ///< each tile on its way to where it is compared
  std::vector<Sought> sought;        ///< of it, where it has one lane

 private:
  static constexpr std::size_t kTogether = 2;  // kept blocks that are recalled at once, at most

  struct KeepingLane final : Lane {
    KeepingLane(Planned& owner, const Problem& problem, std::size_t tile_blocks)
        : engine(owner),
          native_blocks(kTogether * tile_blocks),
          native(owner.engine_->open_lane(problem, native_blocks)) {}
    bool ask(const Problem& problem) override {
      engine.on_ask();
      if (!engine.asks) return false;
      native.reset();
      own_engine = make_cpu_engine({.threads = 1});  // the others' lanes share the queries before
      native = own_engine->open_lane(problem, native_blocks);
      return true;
    }
    TileBuffer buffer() override {
      recalled.reset();
      return native->buffer();
    }
    bool expect(std::span<const std::uint64_t> checksums) override {
      if (engine.expects) expected = checksums;
      return engine.expects;
    }
    std::optional<std::size_t> n_damaged() override { return damaged; }
    void compare(const BlockShape& tile, std::span<const Threshold> thresholds,
                 std::vector<Candidate>& out) override {
      engine.profiles += tile.n_profiles;
      const std::size_t words = tile.n_blocks() * tile.block_words();
      const TileBuffer to = native->buffer();
      if (recalled) {
        std::copy_n(kept.bits.data() + *recalled * tile.block_words(), words, to.bits);
        std::copy_n(kept.called.data() + *recalled * tile.block_words(), words, to.called);
      }
      last = {{to.bits, to.bits + words}, {to.called, to.called + words}};
      if (engine.damages) to.bits[0] ^= to.called[0];
      if (recalled && !kept_sums.empty()) expected = std::span(kept_sums).subspan(*recalled);
      damaged.reset();
      if (!expected.empty() && !engine.forgets) damaged = count_others({tile, to.bits, to.called}, expected);
      if (!recalled) last_sums.assign(expected.begin(), expected.end());
      expected = {};
      native->compare(tile, thresholds, out);
      std::fill_n(to.bits, words, ~Word{0});  // what lies there is nobody's any more
      if (!recalled) std::copy_n(last.bits.data(), words, to.bits);
    }
    void find_best(const BlockShape& tile, std::span<Threshold> thresholds, const Sought& what,
                   std::vector<Candidate>& out) override {
      if (engine.opened == 1) engine.sought.push_back(what);
      compare(tile, thresholds, out);
      engine.close(thresholds);
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
          if (engine.spoils.exchange(false)) kept.bits[kept.bits.size() - last.bits.size() + 7] ^= 1;
          kept_sums.insert(kept_sums.end(), last_sums.begin(), last_sums.end());
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

    static std::size_t count_others(const BlocksView& view, std::span<const std::uint64_t> checksums) {
      const std::vector<std::uint64_t> now = block_checksums(view);
      return now.size() - std::inner_product(now.begin(), now.end(), checksums.begin(), std::size_t{0},
                                             std::plus<>(), std::equal_to<>());
    }

    struct Planes {
      std::vector<Word> bits, called;
    };
    Planned& engine;
    std::size_t native_blocks;
    std::unique_ptr<Engine> own_engine;
    std::unique_ptr<Lane> native;
    Planes last, kept, brought;
    std::span<const std::uint64_t> expected;
    std::vector<std::uint64_t> last_sums, kept_sums;
    std::optional<std::size_t> damaged;
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
    Ranking fresh(problem.comparison, queries.n_rows(), rule);
    stats = stream.run(fresh, progress, histograms);
    return fresh.result();
  }
  void have_checksums() { file.sums = block_checksums(blocks.view()); }
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

}  // namespace fastid::testing
