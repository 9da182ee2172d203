#include "pipeline/lane_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

/// The profiles of a tile: whole blocks, but for the database's last.
BlockShape shape_of(const Tile& tile, const BlockShape& database) {
  const std::uint64_t first = tile.first * kLanes;
  return {std::min<std::uint64_t>(tile.n * kLanes, database.n_profiles - first), database.n_sites};
}

/// piece(first, end) for each `step` of `n` things, shared with the helpers.
template <class Piece>
void share(Helpers& helpers, std::size_t n, std::size_t step, const Piece& piece) {
  helpers.share(ceil_div(n, step), [&](std::size_t i) { piece(i * step, std::min(n, (i + 1) * step)); });
}

/// By block, in one pass: those of a block are counted again while it is in a cache.
void sort_by_block(const BlockShape& tile, std::vector<Candidate>& candidates) {
  if (candidates.empty()) return;
  std::vector<std::size_t> places(tile.n_blocks() + 1);
  for (const Candidate& found : candidates) ++places[found.profile / kLanes + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<Candidate> sorted(candidates.size());
  for (const Candidate& found : candidates) sorted[places[found.profile / kLanes]++] = found;
  candidates.swap(sorted);
}

}  // namespace

void KeptBlocks::add(const Tile& tile) {
  tiles_.push_back({tile, size_});
  size_ += tile.n;
}

void KeptBlocks::pieces(std::uint64_t first, std::size_t n,
                        const std::function<void(const Tile&, std::size_t)>& piece) const {
  auto kept = std::ranges::upper_bound(tiles_, first, {}, &Kept::first);
  for (std::size_t at = 0; at < n; ++kept) {
    const auto& [tile, begin] = *std::prev(kept);
    const std::uint64_t skipped = first + at - begin;
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(tile.n - skipped, n - at));
    piece({tile.first + skipped, here}, at);
    at += here;
  }
}

/// One thread's: counts candidates of a run again, those of a block behind one another.
class LaneLoop::Recount {
 public:
  Recount(const Pass& pass, const Run& run) : pass_(pass), run_(run) {}

  Ranking::Offer operator()(const Candidate& found) {
    find_block(found.profile / kLanes);
    const Comparison comparison = pass_.problem.comparison;
    const PairCounts counts =
        count_pair(comparison, pass_.problem.queries->row(found.query), view_, found.profile - view_first_);
    const auto query = static_cast<std::uint32_t>(pass_.first_query + found.query);
    const std::uint64_t row = row_ + found.profile % kLanes;
    if (counts.count != found.count || weight_of(comparison, counts) != found.weight)
      throw DeviceError(
          fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; {}",
                      pass_.engine.name(), found.count, found.weight, query, row, counts.count,
                      weight_of(comparison, counts), kDistrust));
    return {query, {row, counts}};
  }

 private:
  void find_block(std::size_t block) {
    if (block == block_) return;
    block_ = block;
    const Piece& piece = *std::prev(std::ranges::upper_bound(run_.pieces, block, {}, &Piece::at));
    const std::uint64_t in_database = piece.tile.first + (block - piece.at);
    row_ = in_database * kLanes;
    if (run_.view.bits != nullptr)
      view_ = run_.view;
    else
      load(in_database);
  }

  void load(std::uint64_t block) {
    view_first_ = static_cast<std::uint32_t>(block_ * kLanes);
    view_ = pass_.source.view(block, 1);
    if (view_.bits != nullptr) return;
    const BlockShape shape = shape_of({block, 1}, pass_.problem.database);
    if (bits_.size() == 0) bits_ = WordBuffer(shape.block_words());
    if (pass_.problem.has_called && called_.size() == 0) called_ = WordBuffer(shape.block_words());
    pass_.source.read(block, 1, bits_.data(), called_.data());
    view_ = {shape, bits_.data(), called_.data()};
  }

  const Pass& pass_;
  const Run& run_;
  std::size_t block_ = SIZE_MAX;  ///< of the run
  std::uint64_t row_ = 0;         ///< its first one
  BlocksView view_;               ///< the block lies in it
  std::uint32_t view_first_ = 0;  ///< the run's profile that is the view's first
  WordBuffer bits_, called_;
};

LaneLoop::LaneLoop(const Pass& pass, Lane& lane)
    : pass_(pass), lane_(lane), bars_(pass.n_queries), before_(lane.work()) {}

void LaneLoop::process(const Tile& tile) {
  const BlockShape shape = shape_of(tile, pass_.problem.database);
  const Run run{shape, {{tile, 0}}, load(tile, shape)};
  compare(run);
  rank(run);
}

std::size_t LaneLoop::process_kept(const KeptBlocks& kept, std::uint64_t first, std::uint64_t most) {
  const std::size_t n = lane_.recall(first, most);
  Run run{{0, pass_.problem.database.n_sites}, {}, {}};
  kept.pieces(first, n, [&](const Tile& tile, std::size_t at) {
    run.pieces.push_back({tile, at});
    run.shape.n_profiles += shape_of(tile, pass_.problem.database).n_profiles;
  });
  compare(run);
  rank(run);
  return n;
}

StreamStats LaneLoop::stats() const {
  StreamStats made = stats_;
  made.device = lane_.work();
  made.device -= before_;
  return made;
}

// The tile where the lane has it: a copy in its buffer, unless it can be used where it lies in memory.
BlocksView LaneLoop::load(const Tile& tile, const BlockShape& shape) {
  const BlocksView lying = pass_.source.view(tile.first, tile.n);
  if (lying.bits != nullptr && lane_.borrow(lying)) return lying;
  const TileBuffer buffer = lane_.buffer();
  const Stopwatch reading;
  pass_.source.read(tile.first, tile.n, buffer.bits, buffer.called);
  stats_.read_seconds += reading.seconds();
  stats_.read_bytes += tile.n * shape.block_bytes() * (pass_.problem.has_called ? 2 : 1);
  return {shape, buffer.bits, buffer.called};
}

void LaneLoop::compare(const Run& run) {
  const Stopwatch comparing;
  pass_.ranking.bars(bars_);
  candidates_.clear();
  const auto bars = asked_bars();
  if (const KeepRule& rule = pass_.ranking.rule(); tiles() == 0 && std::ranges::any_of(bars, &Bar::is_open))
    lane_.tighten(run.shape, rule.top, rule.min_compared, bars);
  lane_.compare(run.shape, bars, candidates_);
  for (const Candidate& found : candidates_)
    if (found.profile >= run.shape.n_profiles || found.query >= bars.size())
      throw DeviceError(
          fmt::format("{} found a pair that does not exist; {}", pass_.engine.name(), kDistrust));
  stats_.candidates += candidates_.size();
  if (pass_.histograms != nullptr) collect(run);
  stats_.compare_seconds += comparing.seconds();
}

void LaneLoop::collect(const Run& run) {
  for (const auto& [tile, at] : run.pieces) {
    BlockSeries series = pass_.histograms->series(tile.first, tile.n);
    if (series.n == 0) continue;
    series.first += at;
    lane_.count(run.shape, series, counts_);
    pass_.histograms->add(run.shape, series, counts_, pass_.first_query);
  }
}

// Counting again takes longer than a look at the counts that the device has sent.
void LaneLoop::sift() {
  constexpr std::size_t kWorthALook = 256;
  if (candidates_.size() < kWorthALook) return;
  pass_.ranking.bars(bars_);
  drop_outranked(candidates_, pass_.ranking.rule(), asked_bars());
}

void LaneLoop::rank(const Run& run) {
  const Stopwatch ranking;
  sift();
  sort_by_block(run.shape, candidates_);
  constexpr std::size_t kStep = 128;
  share(pass_.helpers, candidates_.size(), kStep, [&](std::size_t first, std::size_t end) {
    Recount recount(pass_, run);
    std::vector<Ranking::Offer> offers;
    for (std::size_t i = first; i < end; ++i) offers.push_back(recount(candidates_[i]));
    pass_.ranking.take(offers);
  });
  stats_.rank_seconds += ranking.seconds();
  ++stats_.tiles;
  pass_.on_profiles(run.shape.n_profiles);
}

}  // namespace fastid
