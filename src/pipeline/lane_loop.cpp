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

LaneLoop::LaneLoop(const Pass& pass, Lane& lane)
    : pass_(pass), lane_(lane), bars_(pass.n_queries), before_(lane.work()) {}

void LaneLoop::process(const Tile& tile) {
  const BlockShape shape = shape_of(tile, pass_.problem.database);
  const BlocksView view = load(tile, shape);
  compare(tile, shape);
  rank(tile, view);
}

void LaneLoop::process_kept(const Tile& tile, std::size_t kept) {
  const BlockShape shape = shape_of(tile, pass_.problem.database);
  lane_.recall(kept);
  compare(tile, shape);
  const BlocksView lying = pass_.source.view(tile.first, tile.n);
  rank(tile, lying.bits != nullptr ? lying : load_needed(tile, shape));
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
  note_read(shape, tile.n, reading.seconds());
  return {shape, buffer.bits, buffer.called};
}

// The candidates' blocks, each in its place in the lane's buffer; the others there hold anything.
BlocksView LaneLoop::load_needed(const Tile& tile, const BlockShape& shape) {
  std::vector<std::size_t> blocks;
  for (const Candidate& found : candidates_)
    if (blocks.empty() || blocks.back() != found.profile / kLanes) blocks.push_back(found.profile / kLanes);
  const TileBuffer buffer = lane_.buffer();
  const Stopwatch reading;
  constexpr std::size_t kStep = 16;
  share(pass_.helpers, blocks.size(), kStep, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t words = blocks[i] * shape.block_words();
      pass_.source.read(tile.first + blocks[i], 1, buffer.bits + words,
                        buffer.called == nullptr ? nullptr : buffer.called + words);
    }
  });
  note_read(shape, blocks.size(), reading.seconds());
  return {shape, buffer.bits, buffer.called};
}

void LaneLoop::note_read(const BlockShape& shape, std::size_t blocks, double seconds) {
  stats_.read_seconds += seconds;
  stats_.read_bytes += blocks * shape.block_bytes() * (pass_.problem.has_called ? 2 : 1);
}

void LaneLoop::compare(const Tile& tile, const BlockShape& shape) {
  const Stopwatch comparing;
  pass_.ranking.bars(bars_);
  candidates_.clear();
  const auto bars = std::span(bars_).subspan(pass_.first_query, pass_.problem.queries->n_rows());
  if (const KeepRule& rule = pass_.ranking.rule(); tiles() == 0 && std::ranges::any_of(bars, &Bar::is_open))
    lane_.tighten(shape, rule.top, rule.min_compared, bars);
  lane_.compare(shape, bars, candidates_);
  for (const Candidate& found : candidates_)
    if (found.profile >= shape.n_profiles || found.query >= bars.size())
      throw DeviceError(
          fmt::format("{} found a pair that does not exist; {}", pass_.engine.name(), kDistrust));
  sort_by_block(shape, candidates_);
  if (pass_.histograms != nullptr) collect(tile, shape);
  stats_.compare_seconds += comparing.seconds();
  stats_.candidates += candidates_.size();
}

void LaneLoop::collect(const Tile& tile, const BlockShape& shape) {
  const BlockSeries series = pass_.histograms->series(tile.first, tile.n);
  if (series.n == 0) return;
  lane_.count(shape, series, counts_);
  pass_.histograms->add(shape, series, counts_, pass_.first_query);
}

void LaneLoop::rank(const Tile& tile, const BlocksView& view) {
  const Stopwatch ranking;
  constexpr std::size_t kStep = 128;
  share(pass_.helpers, candidates_.size(), kStep, [&](std::size_t first, std::size_t end) {
    std::vector<Ranking::Offer> offers;
    for (std::size_t i = first; i < end; ++i)
      offers.push_back(recounted(view, tile.first * kLanes, candidates_[i]));
    pass_.ranking.take(offers);
  });
  stats_.rank_seconds += ranking.seconds();
  ++stats_.tiles;
  pass_.on_profiles(view.shape.n_profiles);
}

Ranking::Offer LaneLoop::recounted(const BlocksView& view, std::uint64_t first_row,
                                   const Candidate& found) const {
  const Comparison comparison = pass_.problem.comparison;
  const PairCounts counts =
      count_pair(comparison, pass_.problem.queries->row(found.query), view, found.profile);
  const auto query = static_cast<std::uint32_t>(pass_.first_query + found.query);
  if (counts.count != found.count || weight_of(comparison, counts) != found.weight)
    throw DeviceError(
        fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; {}",
                    pass_.engine.name(), found.count, found.weight, query, first_row + found.profile,
                    counts.count, weight_of(comparison, counts), kDistrust));
  return {query, {first_row + found.profile, counts}};
}

}  // namespace fastid
