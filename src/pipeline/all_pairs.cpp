#include "pipeline/all_pairs.hpp"

#include <algorithm>
#include <mutex>

#include "base/checked.hpp"
#include "base/thread_pool.hpp"
#include "match/pair_sink.hpp"

namespace fastid {
namespace {

/// Keeps what passes a threshold that stays as it is.
class KeptPairs final : public PairSink {
 public:
  KeptPairs(const AllPairs& all, std::uint64_t first_column, std::uint64_t room)
      : all_(all), first_column_(first_column), room_(room) {}

  void thresholds(std::span<Threshold> out) const override { std::ranges::fill(out, all_.threshold); }

  /// The threshold is as strict at the start as at the end: as if ranked pairs had made it so.
  std::uint64_t keeps() const override { return 1; }

  void take(std::span<const Pair> pairs) override {
    const std::lock_guard lock(guard_);
    for (const Pair& pair : pairs) {
      if (!all_.keep(first_column_ + pair.query, pair.row, pair.counts)) continue;
      if (kept_.size() >= room_) throw TooManyPairs();
      kept_.push_back(pair);
    }
  }

  std::vector<Pair> sorted() {
    std::ranges::sort(kept_, {}, [](const Pair& pair) { return std::pair(pair.query, pair.row); });
    return std::move(kept_);
  }

 private:
  const AllPairs& all_;
  std::uint64_t first_column_, room_;
  std::mutex guard_;
  std::vector<Pair> kept_;
};

/// Rows that columns below `end` meet: whole blocks, since a block's other lanes hold profiles too.
BlockShape rows_met(const AllPairs& all, std::uint64_t end) {
  const BlockShape rows = all.rows.shape();
  return rows.with(std::min(rows.n_profiles, ceil_div<std::uint64_t>(all.rows_for(end), kLanes) * kLanes));
}

template <class Visit>
void for_each_strip(const AllPairs& all, const Visit& visit) {
  const std::uint64_t n = all.columns.shape().n_profiles, step = strip_columns(all.columns.shape(), n);
  for (std::uint64_t first = 0; first < n; first += step) visit(first, std::min(n, first + step));
}

/// Has an engine that picks one of several do so for all strips together, not for the first alone.
void plan_all(const AllPairs& all, const Problem& first, Engine& engine) {
  Problem whole = first;
  whole.database = all.rows.shape().with(rows_of_strips(all));
  engine.plan(whole);
}

}  // namespace

std::uint64_t strip_columns(const BlockShape& profiles, std::uint64_t n_columns) {
  constexpr std::uint64_t kStrips = 32;  // a strip's own square is counted whole: half of a 32nd is lost
  constexpr std::uint64_t kLeast = 256, kMost = 16'384, kBytes = std::uint64_t{64} << 20;
  constexpr std::uint64_t kPlanes = 3;  // of ProfileRows
  const std::uint64_t room = kBytes / (kPlanes * sizeof(Word) * std::max<std::size_t>(1, profiles.n_words()));
  const std::uint64_t wanted = std::clamp(ceil_div(n_columns, kStrips), kLeast, kMost);
  return std::max<std::uint64_t>(kLanes, std::min(wanted, room) / kLanes * kLanes);
}

std::uint64_t rows_of_strips(const AllPairs& all) {
  std::uint64_t rows = 0;
  for_each_strip(all, [&](std::uint64_t, std::uint64_t end) { rows += rows_met(all, end).n_profiles; });
  return rows;
}

StreamStats stream_pairs(const AllPairs& all, Engine& engine, std::size_t threads, Progress& progress,
                         const std::function<void(const Strip&)>& take) {
  StreamStats total;
  std::uint64_t kept = 0;
  ThreadPool pool(threads);
  for_each_strip(all, [&](std::uint64_t first, std::uint64_t end) {
    const ProfileRows columns =
        ProfileRows::from_source(all.columns, first, static_cast<std::size_t>(end - first), pool);
    const Problem problem{all.comparison, &columns, rows_met(all, end), all.rows.has_second(), all.by};
    if (first == 0) plan_all(all, problem, engine);
    if (problem.database.n_profiles == 0) return;
    KeptPairs sink(all, first, all.most_pairs - kept);
    total += stream(all.rows, problem, engine, sink, progress, problem.database.n_blocks());
    const std::vector<Pair> pairs = sink.sorted();
    kept += pairs.size();
    take({problem, first, pairs});
  });
  return total;
}

}  // namespace fastid
