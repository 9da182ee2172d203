#include "pipeline/internal/lane_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

constexpr std::size_t kFewPairs = 64;                     // are neither shared nor put off
constexpr std::size_t kMostPairs = std::size_t{1} << 22;  // are ranked at once
constexpr std::size_t kMostLate = std::size_t{1} << 17;   // pairs that are put off
constexpr std::size_t kManyShare = 3;  // many of a query: more than a third of what is listed in the end
constexpr std::size_t kFewReads = 64;  // of blocks

template <class Make>
std::vector<Contender> pick(std::span<const std::uint32_t> which, const Make& make) {
  std::vector<Contender> picked;
  picked.reserve(which.size());
  for (const std::uint32_t i : which) picked.push_back(make(i));
  return picked;
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

void LatePairs::take_in(const ComparedRun& run, std::vector<Candidate>& pairs) {
  const std::lock_guard lock(guard_);
  if (pairs.size() > kMostLate - n_pairs_) return;
  n_pairs_ += pairs.size();
  batches_.push_back({{run.shape, run.pieces, {}}, std::exchange(pairs, {})});
}

std::vector<LatePairs::Batch> LatePairs::take_out() {
  const std::lock_guard lock(guard_);
  n_pairs_ = 0;
  return std::exchange(batches_, {});
}

LaneLoop::LaneLoop(const Pass& pass, Lane& lane)
    : pass_(pass), lane_(lane), bars_(pass.n_queries), again_(pass.source), before_(lane.work()) {}

void LaneLoop::process(const Tile& tile) {
  const Run run = load(tile);
  compare(run);
  rank(run);
}

std::size_t LaneLoop::process_kept(const KeptBlocks& kept, std::uint64_t first) {
  const std::size_t n = lane_.recall(first);
  Run run{.shape = {0, pass_.problem.database.n_sites}};
  kept.pieces(first, n, [&](const Tile& tile, std::size_t at) {
    run.pieces.push_back({tile, at});
    run.shape.n_profiles += shape_of(tile, pass_.problem.database).n_profiles;
  });
  compare(run);
  rank(run);
  check(run);
  return n;
}

void LaneLoop::finish() {
  const Stopwatch ranking;
  pass_.ranking.bars(bars_);
  std::vector<Contender> left;
  for (const auto& [run, pairs] : pass_.late.take_out())
    for (const Candidate& pair : pairs)
      if (asked_bars()[pair.query].passes(pair.count, pair.weight)) left.push_back(contender(run, pair));
  const auto rank_some = [&](std::span<const std::uint32_t> which) {
    check_interrupt();
    rank_from(pass_.source, recount_context(), pick(which, [&](std::uint32_t i) { return left[i]; }),
              pass_.ranking);
  };
  by_group(
      left.size(), kFewReads, Helpers::Order::kInTurn, [&](std::uint32_t i) { return left[i].query; },
      rank_some);
  stats_.rank_seconds += ranking.seconds();
}

StreamStats LaneLoop::stats() const {
  StreamStats made = stats_;
  made.device = lane_.work();
  made.device -= before_;
  return made;
}

// The tile where the lane has it: a copy in its buffer, unless it can be used where it lies in memory.
LaneLoop::Run LaneLoop::load(const Tile& tile) {
  const BlockShape shape = shape_of(tile, pass_.problem.database);
  const BlocksView lying = pass_.source.view(tile.first, tile.n);
  if (lying.bits != nullptr && lane_.borrow(lying)) return {shape, {{tile, 0}}, lying};
  const TileBuffer buffer = lane_.buffer();
  const Stopwatch reading;
  const auto sums = pass_.source.checksums();
  const bool unchecked =
      !sums.empty() && lane_.expect(sums.subspan(static_cast<std::size_t>(tile.first), tile.n));
  if (unchecked)
    pass_.source.read_unhashed(tile.first, tile.n, buffer.bits, buffer.called);
  else
    pass_.source.read(tile.first, tile.n, buffer.bits, buffer.called);
  stats_.read_seconds += reading.seconds();
  stats_.read_bytes += tile.n * shape.block_bytes() * (pass_.problem.has_called ? 2 : 1);
  return {shape, {{tile, 0}}, {shape, buffer.bits, buffer.called}, unchecked};
}

// Blocks that the lane compared are not the database's. Those of a tile are so in it, were read so, or came
// so to the device.
void LaneLoop::refuse(const Run& run, std::size_t n_damaged) {
  if (run.view.bits == nullptr)
    throw DeviceError(fmt::format("{} has damaged {} of {} that a lane keeps; {}", pass_.engine.name(),
                                  n_damaged, counted(run.shape.n_blocks(), "block"), kDistrust));
  const Tile& tile = run.pieces.front().tile;
  const TileBuffer buffer = lane_.buffer();
  const BlocksView read{shape_of(tile, pass_.problem.database), buffer.bits, buffer.called};
  const auto sums = pass_.source.checksums().subspan(static_cast<std::size_t>(tile.first), tile.n);
  std::size_t n_read_so = 0;
  for (std::size_t b = 0; b < tile.n; ++b) n_read_so += read.checksum(b) != sums[b];
  pass_.source.read(tile.first, tile.n, buffer.bits, buffer.called);
  if (n_read_so > 0)
    throw Failure(
        fmt::format("{} of the database came otherwise than when read again; check this machine's disk and "
                    "memory, and search again",
                    counted(n_read_so, "block")));
  throw DeviceError(fmt::format("{} has {} of {} otherwise than the database; {}", pass_.engine.name(),
                                n_damaged, counted(tile.n, "block"), kDistrust));
}

// Other lanes have its bars before its pairs are counted again: until then they may come to nothing, in a run
// that ends with an error.
void LaneLoop::compare(const Run& run) {
  const Stopwatch comparing;
  const std::uint64_t seen = pass_.seen;  // about as many as the bars rest on
  pass_.ranking.bars(bars_);
  candidates_.clear();
  bars_before_ = bars_;
  const auto bars = asked_bars();
  const KeepRule& rule = pass_.ranking.rule();
  lane_.find_best(run.shape, bars, {rule.top, rule.min_compared, seen, pass_.id}, candidates_);
  if (run.view.bits != nullptr) check(run);
  for (const Candidate& found : candidates_)
    if (found.profile >= run.shape.n_profiles || found.query >= bars.size())
      throw DeviceError(
          fmt::format("{} found a pair that does not exist; {}", pass_.engine.name(), kDistrust));
  pass_.ranking.promise(bars_);
  pass_.seen += run.shape.n_profiles;
  stats_.candidates += candidates_.size();
  if (pass_.histograms != nullptr) collect(run);
  stats_.compare_seconds += comparing.seconds();
}

// Of a tile before anything rests on it; of kept blocks once their pairs were brought, for which the lane
// waits anyway: there damage may be found by pairs that were miscounted first.
void LaneLoop::check(const Run& run) {
  const std::optional<std::size_t> n_damaged = lane_.n_damaged();
  if (n_damaged.value_or(0) > 0) refuse(run, *n_damaged);
  if (run.unchecked && !n_damaged && !asked_bars().empty())
    throw DeviceError(fmt::format("{} has not checked what it compared; {}", pass_.engine.name(), kDistrust));
  held_ = held_ && n_damaged.has_value();
}

void LaneLoop::collect(const Run& run) {
  for (const Piece& piece : run.pieces) {
    BlockSeries series = pass_.histograms->series(piece.tile.first, piece.tile.n);
    if (series.n == 0) continue;
    series.first += piece.at;
    lane_.count(run.shape, series, counts_);
    check_counts(run, piece, series);
    pass_.histograms->add(
        run.shape, series, counts_,
        [&](std::size_t query, std::uint64_t profile) { return comparable_in(run, piece, query, profile); },
        pass_.first_query);
  }
}

// A block that only the device has is read again.
LaneLoop::Stored LaneLoop::stored(const Run& run, const Piece& piece, std::uint64_t profile) {
  if (run.view.bits != nullptr) return {run.view, profile};
  const std::uint64_t row = piece.tile.first * kLanes + profile - piece.at * kLanes;
  return {again_.block_of(row), row % kLanes};
}

// What a histogram is made of is too much to be counted again: one profile of each series is, with every
// query.
void LaneLoop::check_counts(const Run& run, const Piece& piece, const BlockSeries& series) {
  const std::uint32_t n_sites = run.shape.n_sites;
  if (std::ranges::any_of(
          counts_, [&](const PairCount& pair) { return pair.count > pair.weight || pair.weight > n_sites; }))
    throw DeviceError(
        fmt::format("{} counted more sites than there are; {}", pass_.engine.name(), kDistrust));
  const std::uint64_t block = series.first, left = run.shape.n_profiles - block * kLanes;
  const std::uint64_t lane = (piece.tile.first + block) % std::min<std::uint64_t>(kLanes, left);
  const auto [blocks, profile] = stored(run, piece, block * kLanes + lane);
  for (std::size_t query = 0; query < pass_.problem.queries->n_rows(); ++query) {
    const PairCount& counted = counts_[query * series.n * kLanes + lane];
    Contender pair =
        contender(run, {static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(block * kLanes + lane),
                        counted.count, counted.weight});
    pair.place = static_cast<std::uint32_t>(profile);
    count_again(recount_context(), blocks, pair);
  }
}

// Of a pair of weight 0, which are few.
bool LaneLoop::comparable_in(const Run& run, const Piece& piece, std::size_t query, std::uint64_t profile) {
  const Problem& problem = pass_.problem;
  if (problem.comparison == Comparison::kIdentity) return false;  // there the weight is what was compared
  const RowView row = problem.queries->row(query);
  if (!problem.has_called) return comparable(row, {run.shape, nullptr, nullptr}, profile);
  const auto [blocks, place] = stored(run, piece, profile);
  return comparable(row, blocks, place);
}

// Where many pairs pass the bars that their own tile has closed, next to none of them will be left in the
// end. Those are better counted from the database then than all of them now, by threads that should read
// tiles.
void LaneLoop::put_off(const Run& run) {
  const std::size_t n = candidates_.size();
  const bool many = n > kFewPairs && n / asked_bars().size() > pass_.ranking.rule().top / kManyShare;
  if (many && run.view.bits != nullptr && bars_ != bars_before_ && pass_.helpers.threads() > 0)
    pass_.late.take_in(run, candidates_);
}

// Their blocks are at hand, or the lane brings their profiles.
void LaneLoop::rank(const Run& run) {
  const Stopwatch ranking;
  put_off(run);
  if (run.view.bits == nullptr) {  // what other lanes have outranked meanwhile need not come back
    pass_.ranking.bars(bars_);
    std::erase_if(candidates_, [bars = asked_bars()](const Candidate& pair) {
      return !bars[pair.query].passes(pair.count, pair.weight);
    });
  }
  for (std::span<const Candidate> left = candidates_; !left.empty();) {
    const bool at_hand = run.view.bits != nullptr;
    const BlocksView view = at_hand ? run.view : lane_.bring(left);
    const std::size_t n =
        at_hand ? std::min(left.size(), kMostPairs) : static_cast<std::size_t>(view.shape.n_profiles);
    const auto query_of = [&](std::uint32_t i) { return pass_.first_query + left[i].query; };
    const auto rank_some = [&](std::span<const std::uint32_t> which) {
      const auto brought_or_not = [&](std::uint32_t i) {
        Contender pair = contender(run, left[i]);
        if (!at_hand) pair.place = i;
        return pair;
      };
      rank_again(recount_context(), view, pick(which, brought_or_not), pass_.ranking);
    };
    by_group(n, kFewPairs, Helpers::Order::kAhead, query_of, rank_some);
    left = left.subspan(n);
  }
  stats_.rank_seconds += ranking.seconds();
  ++stats_.tiles;
  pass_.on_profiles(run.shape.n_profiles);
}

// rank_some(which pairs) for all of n pairs, those of a group of queries all by one thread; no more threads
// than there are times `few` pairs.
template <class QueryOf, class RankSome>
void LaneLoop::by_group(std::size_t n, std::size_t few, Helpers::Order order, const QueryOf& query_of,
                        const RankSome& rank_some) {
  constexpr std::size_t kGroups = Ranking::kGroups;
  const auto group_of = [&](std::uint32_t i) { return pass_.ranking.group_of(query_of(i)); };
  std::array<std::size_t, kGroups + 1> starts{};  // of each group's part of the order
  for (std::uint32_t i = 0; i < n; ++i) ++starts[group_of(i) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  order_.resize(n);
  auto next = starts;
  for (std::uint32_t i = 0; i < n; ++i) order_[next[group_of(i)]++] = i;
  const std::size_t pieces = std::clamp<std::size_t>(n / few, 1, kGroups / 2);
  const auto piece = [&](std::size_t i) {
    const std::size_t first = starts[i * kGroups / pieces], end = starts[(i + 1) * kGroups / pieces];
    if (first < end) rank_some(std::span(order_).subspan(first, end - first));
  };
  pass_.helpers.share(pieces, piece, order);
}

Contender LaneLoop::contender(const Run& run, const Candidate& pair) const {
  const std::size_t block = pair.profile / kLanes;
  const Piece& piece = *std::prev(std::ranges::upper_bound(run.pieces, block, {}, &Piece::at));
  return {.row = (piece.tile.first + (block - piece.at)) * kLanes + pair.profile % kLanes,
          .place = pair.profile,
          .query = static_cast<std::uint32_t>(pass_.first_query + pair.query),
          .count = pair.count,
          .weight = pair.weight};
}

}  // namespace fastid
