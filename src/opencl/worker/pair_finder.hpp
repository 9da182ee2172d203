/// \file
/// Finds the pairs that pass the bars in a tile that a device has, and brings them back. Bars that are open
/// it has the device close by what the tile shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/memory/lane_buffers.hpp"
#include "opencl/worker/lane_queue.hpp"
#include "opencl/worker/pass_tallies.hpp"

namespace fastid {

/// What bounds a run of a comparer.
struct PairLimits {
  std::size_t candidates = 1;  ///< that a buffer holds
  std::size_t pairs = 1;       ///< that one run counts
};

/// Whose pairs: those of a comparer that is prepared for blocks up to end_block.
struct PreparedTile {
  Comparer& comparer;
  std::size_t end_block;
};

class PairFinder {
 public:
  /// \param buffers  of limits.candidates; comparers append what passes to `found`
  /// \param queue  outlives this
  PairFinder(std::shared_ptr<const LaneBuffers> buffers, const PairLimits& limits, LaneQueue& queue,
             std::shared_ptr<PassTallies> tallies);

  /// Memory for as many numbers as there may be candidates, free between the calls below.
  const cl::Buffer& places() const { return left().buffer; }

  /// Appends the pairs of a range that pass to `out`, none of them lost however many there are.
  void find(const PreparedTile& tile, const PairRange& range, std::vector<Candidate>& out);

  /// So too, as Lane::find_best() has it: all queries, with these bars, which the comparer has. Those that
  /// the device says it closed, by pairs of this lane or another of the pass, are taken at its word: whether
  /// the pairs behind them came shows once they are ranked.
  void find_best(const PreparedTile& tile, const PairRange& all, std::span<Bar> bars, const Sought& sought,
                 std::vector<Candidate>& out);

  /// Runs each kernel once over the first profile, against bars that next to nothing passes.
  void warm_up(const PreparedTile& tile, std::size_t n_queries);

  /// Pairs of a query, up to which bars are closed where a buffer holds so many candidates.
  static std::uint64_t most_kept(std::size_t candidates);

 private:
  const DevicePairs& found() const { return buffers_->found; }
  const DevicePairs& left() const { return buffers_->left; }

  /// How bars are closed while a tile is compared part by part.
  struct Closing {
    std::size_t queries = 0;   ///< at a time; 0: the bars stay as they are
    std::uint64_t open = 0;    ///< profiles of the first part, where nothing has closed the bars yet
    std::uint64_t growth = 0;  ///< of a part to all before it

    std::size_t part_after(std::uint64_t seen) const {
      return static_cast<std::size_t>(std::max(open, growth * seen));
    }
  };

  Closing closing_for(std::size_t n_profiles, std::size_t n_queries, const Sought& sought) const;
  bool start_tally(const PreparedTile& tile, const PairRange& range, std::size_t n_queries,
                   std::uint64_t pass);
  void close(const PreparedTile& tile, const PairRange& range, const Closing& closing, const Sought& sought,
             std::vector<Candidate>& out);
  void close_some(const PreparedTile& tile, const PairRange& range, const Closing& closing,
                  const Sought& sought, std::uint64_t& seen, std::vector<Candidate>& out);
  std::size_t run(const PreparedTile& tile, const PairRange& range);
  void forget(const DevicePairs& pairs);
  void read_head(const DevicePairs& pairs, std::size_t most);
  void fetch(const DevicePairs& pairs, std::size_t n, std::vector<Candidate>& out);
  void read(const DevicePairs& pairs, std::size_t first, std::size_t n, Candidate* to);

  std::shared_ptr<const LaneBuffers> buffers_;
  PairLimits limits_;
  LaneQueue& queue_;
  std::shared_ptr<PassTallies> tallies_;
  std::shared_ptr<const PassTallies::Table> table_;  ///< the tallies that were used last; null: none
  std::uint64_t table_pass_ = 0;                     ///< theirs; 0: this finder's own
  std::vector<Candidate> head_;   ///< of some pairs: their numbers (bars.h), then the first
  std::size_t expected_ = 0;      ///< pairs of the next run, about
  const Word* closed_ = nullptr;  ///< what the last run closed the bars to; null: it has to be asked for
};

}  // namespace fastid
