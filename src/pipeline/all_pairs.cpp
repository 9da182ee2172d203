#include "pipeline/all_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "match/pair_sink.hpp"

namespace fastid::pipeline {
namespace {

/// Keeps what passes a threshold that stays as it is.
class KeptPairs final : public match::PairSink {
 public:
  /// \param engine  its name
  KeptPairs(const AllPairs& all, std::uint64_t first_column, std::string engine)
      : all_(all), first_column_(first_column), engine_(std::move(engine)) {}

  /// How many pairs may be kept.
  void set_room(std::uint64_t room) { room_ = room; }

  void thresholds(std::span<engine::Threshold> out) const override { std::ranges::fill(out, all_.threshold); }

  /// The threshold is as strict at the start as at the end: as if ranked pairs had made it so.
  std::uint64_t keeps() const override { return 1; }

  void take(std::span<const engine::Pair> pairs) override {
    const std::lock_guard lock(guard_);
    for (const engine::Pair& pair : pairs) {
      if (!all_.keep(first_column_ + pair.query, pair.row, pair.counts)) continue;
      if (kept_.size() >= room_) throw TooManyPairs();
      kept_.push_back(pair);
    }
  }

  std::vector<engine::Pair> sorted() {
    const auto place = [](const engine::Pair& pair) { return std::pair(pair.query, pair.row); };
    std::ranges::sort(kept_, {}, place);
    if (const auto twice = std::ranges::adjacent_find(kept_, {}, place); twice != kept_.end())
      throw WrongAnswer(fmt::format("{} found the pair of column {} and row {} twice", engine_,
                                    first_column_ + twice->query, twice->row));
    return std::move(kept_);
  }

 private:
  const AllPairs& all_;
  std::uint64_t first_column_, room_ = 0;
  std::string engine_;
  std::mutex guard_;
  std::vector<engine::Pair> kept_;
};

std::uint64_t columns_asked(const AllPairs& all) {
  return std::min(all.columns.shape().n_profiles, all.asked.end) - all.asked.first;
}

/// Rows that columns below `end` meet: whole blocks, since a block's other lanes hold profiles too.
BlockShape rows_met(const AllPairs& all, std::uint64_t end) {
  const BlockShape rows = all.rows.shape();
  return rows.with(std::min(rows.n_profiles, ceil_div<std::uint64_t>(all.rows_for(end), kLanes) * kLanes));
}

template <class Visit>
void for_each_strip(const AllPairs& all, std::uint64_t step, const Visit& visit) {
  const std::uint64_t n = std::min(all.columns.shape().n_profiles, all.asked.end);
  for (std::uint64_t first = all.asked.first; first < n; first += step)
    visit(first, std::min(n, first + step));
}

/// Columns first .. end - 1.
ProfileRows read_columns(const AllPairs& all, std::uint64_t first, std::uint64_t end, ThreadPool& pool) {
  return ProfileRows::from_source(all.columns, first, static_cast<std::size_t>(end - first), pool);
}

/// The plan for all strips, so that workers take over each other's memory. An engine that picks one of
/// several does so for all strips together.
engine::WorkPlan plan_of(const AllPairs& all, const ProfileRows& columns, const engine::Engine& engine) {
  return engine.plan(
      {all.comparison, &columns, all.rows.shape().with(rows_of_strips(all)), all.rows.has_second(), all.by});
}

/// A strip that is read and prepared.
class PreparedStrip {
 public:
  struct Place {
    std::uint64_t first, end;
  };

  PreparedStrip(const AllPairs& all, engine::Engine& engine, const engine::WorkPlan& plan, const Place& place,
                bool makes_memory, ThreadPool& pool)
      : first_(place.first),
        columns_(read_columns(all, place.first, place.end, pool)),
        problem_{all.comparison, &columns_, rows_met(all, place.end), all.rows.has_second(), all.by},
        sink_(all, place.first, engine.name()),
        stream_(prepare_stream({all.rows, problem_, 0, columns_.n_rows(), engine, sink_,
                                problem_.database.n_blocks(), makes_memory},
                               plan)) {}

  /// \param room  pairs that may be kept
  StreamStats flow(std::uint64_t room, Progress& progress) {
    sink_.set_room(room);
    return stream_->flow([&](std::uint64_t profiles) { progress.add(profiles); });
  }

  /// To be called after flow(). Returns the number of pairs.
  std::uint64_t hand_on(const std::function<void(const Strip&)>& take) {
    const std::vector<engine::Pair> pairs = sink_.sorted();
    if (!pairs.empty()) take({problem_, first_, pairs});
    return pairs.size();
  }

 private:
  std::uint64_t first_;
  ProfileRows columns_;
  engine::Problem problem_;
  KeptPairs sink_;
  std::unique_ptr<PreparedStream> stream_;
};

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
  for_each_strip(all, strip_columns(all.columns.shape(), columns_asked(all)),
                 [&](std::uint64_t, std::uint64_t end) { rows += rows_met(all, end).n_profiles; });
  return rows;
}

// While a strip is compared the next ones are read and packed, which takes a device's rows of a large panel
// as long as comparing them.
StreamStats stream_pairs(const AllPairs& all, engine::Engine& engine, std::size_t threads, Progress& progress,
                         const std::function<void(const Strip&)>& take) {
  constexpr std::size_t kAhead = 2;
  ThreadPool pool(threads), beside(1 + kAhead);
  const std::uint64_t begin = all.asked.first, n = columns_asked(all);
  std::uint64_t step = std::min(n, strip_columns(all.columns.shape(), n));
  const engine::WorkPlan plan = plan_of(all, read_columns(all, begin, begin + step, pool), engine);
  step = std::min<std::uint64_t>(step, plan.queries);
  std::vector<PreparedStrip::Place> places;
  for_each_strip(all, step, [&](std::uint64_t first, std::uint64_t end) {
    if (rows_met(all, end).n_profiles > 0) places.push_back({first, end});
  });
  std::vector<std::unique_ptr<PreparedStrip>> strips(places.size());
  std::vector<ThreadPool::Task> preparing(places.size());
  const auto prepare = [&](std::size_t i) {
    if (i >= places.size()) return;
    preparing[i] = beside.start(
        [&, i] { strips[i] = std::make_unique<PreparedStrip>(all, engine, plan, places[i], i == 0, pool); });
  };
  StreamStats total;
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i <= kAhead; ++i) prepare(i);
  for (std::size_t i = 0; i < places.size(); ++i) {
    preparing[i].get();
    total += strips[i]->flow(all.most_pairs - kept, progress);
    kept += strips[i]->hand_on(take);
    strips[i].reset();
    prepare(i + 1 + kAhead);
  }
  return total;
}

}  // namespace fastid::pipeline
