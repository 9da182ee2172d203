#include "opencl/worker/pair_finder.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace fastid {
namespace {

// Of a tile that is compared part by part: how many parts its candidates have room for, and how much larger
// each is than all before it, at the least.
constexpr std::size_t kParts = 8, kLeastGrowth = 3;
constexpr std::size_t kFirstFetch = 4095;  // candidates that come with their number, at the least

// `range` cut along its longer side into at least two parts, `pieces` where it has as many rows; not for a
// single pair.
std::vector<PairRange> cut(const PairRange& range, std::size_t pieces) {
  const bool by_profile = range.profiles() >= range.queries();
  const std::size_t length = by_profile ? range.profiles() : range.queries();
  const std::size_t step = std::max<std::size_t>(1, length / std::max<std::size_t>(2, pieces));
  std::vector<PairRange> parts;
  for (std::size_t at = 0; at < length; at += step) {
    const std::size_t end = std::min(length, at + step);
    PairRange part = range;
    (by_profile ? part.first_profile : part.first_query) += at;
    (by_profile ? part.end_profile : part.end_query) =
        (by_profile ? range.first_profile : range.first_query) + end;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

PairFinder::PairFinder(std::shared_ptr<const LaneBuffers> buffers, const PairLimits& limits, LaneQueue& queue,
                       std::shared_ptr<PassTallies> tallies)
    : buffers_(std::move(buffers)), limits_(limits), queue_(queue), tallies_(std::move(tallies)) {}

// Nothing is lost: where more pairs pass than the buffer holds, what it holds is dropped and the parts are
// run again. A range of more pairs than the device can count is cut before it is run.
void PairFinder::find(const PreparedTile& tile, const PairRange& range, std::vector<Candidate>& out) {
  std::size_t pieces = ceil_div(range.pairs(), limits_.pairs);
  if (pieces <= 1) {
    const std::size_t n = run(tile, range);
    if (n <= limits_.candidates) return fetch(found(), n, out);
    pieces = n / limits_.candidates + 1;
  }
  for (const PairRange& part : cut(range, pieces)) find(tile, part, out);
}

void PairFinder::find_best(const PreparedTile& tile, const PairRange& all, std::span<Bar> bars,
                           const Sought& sought, std::vector<Candidate>& out) {
  const Closing closing = closing_for(all.profiles(), bars.size(), sought);
  if (closing.queries == 0) return find(tile, all, out);
  closed_ = nullptr;
  for (std::size_t first = 0; first < all.end_query; first += closing.queries) {
    PairRange some = all;
    some.first_query = first;
    some.end_query = std::min(all.end_query, first + closing.queries);
    if (start_tally(tile, some, all.end_query, sought.pass))
      close(tile, some, closing, sought, out);
    else
      find(tile, some, out);
  }
  tile.comparer.bars().take_closed(queue_, bars, closed_);
}

void PairFinder::warm_up(const PreparedTile& tile, std::size_t n_queries) {
  std::vector<Candidate> none;
  const PairRange some{0, 1, 0, std::min(n_queries, PassTallies::kMostQueries)};
  if (start_tally(tile, some, n_queries, 0)) close(tile, some, {0, 1, 1}, {}, none);
  table_.reset();
}

std::uint64_t PairFinder::most_kept(std::size_t candidates) {
  return candidates / (kParts * kLeastGrowth);
}

// Of a part, `growth` times as many pairs pass as are kept, or all where bars are open; a buffer holds those
// of all parts. Of a tile that is small beside what has been seen, few pass anyway; until then bars that
// lanes close together are closer than those that each has had from the ranking.
PairFinder::Closing PairFinder::closing_for(std::size_t n_profiles, std::size_t n_queries,
                                            const Sought& sought) const {
  constexpr std::size_t kMostOpen = 1024, kManySeen = 8;
  const std::size_t room = limits_.candidates / kParts;
  if (n_queries == 0 || n_profiles <= sought.seen / kManySeen || sought.keep > most_kept(limits_.candidates))
    return {};
  const auto keep = static_cast<std::size_t>(sought.keep);
  const std::size_t queries = std::min({room / (kLeastGrowth * keep), PassTallies::kMostQueries, n_queries});
  return {queries, (std::min(kMostOpen, room / queries) / kLanes + 1) * kLanes, room / (keep * queries)};
}

// One table for all of a pass's queries, and lanes, where they are not too many for it. False where the
// device has no memory for one, without which nothing is lost but time.
bool PairFinder::start_tally(const PreparedTile& tile, const PairRange& range, std::size_t n_queries,
                             std::uint64_t pass) {
  const bool shared = pass != 0 && n_queries <= PassTallies::kMostQueries;
  if (!shared || table_ == nullptr || table_pass_ != pass) {
    table_.reset();
    table_pass_ = shared ? pass : 0;
    try {
      table_ = shared ? tallies_->join(pass, n_queries) : tallies_->take(range.queries());
    } catch (const cl::Error& error) {
      if (!is_memory_error(error.err())) throw;
      return false;
    }
  }
  if (!shared)
    queue_.get().enqueueFillBuffer(table_->tallies, cl_uint{0}, 0, PassTallies::bytes(range.queries()));
  tile.comparer.bars().start_tally(table_->tallies, shared ? 0 : range.first_query, range.first_query,
                                   range.queries());
  return true;
}

void PairFinder::close(const PreparedTile& tile, const PairRange& range, const Closing& closing,
                       const Sought& sought, std::vector<Candidate>& out) {
  std::uint64_t seen = sought.seen;
  const std::size_t pieces =
      ceil_div(range.profiles(), std::max<std::size_t>(1, limits_.pairs / range.queries()));
  const std::size_t most = ceil_div(range.profiles(), pieces);
  for (PairRange some = range; some.first_profile < range.end_profile;
       some.first_profile = some.end_profile) {
    some.end_profile = std::min(range.end_profile, some.first_profile + most);
    close_some(tile, some, closing, sought, seen, out);
  }
}

// No more pairs than can be counted. All that is done for their parts is queued at once.
void PairFinder::close_some(const PreparedTile& tile, const PairRange& range, const Closing& closing,
                            const Sought& sought, std::uint64_t& seen, std::vector<Candidate>& out) {
  DeviceBars& bars = tile.comparer.bars();
  const auto tighten = [&] {
    bars.tighten(queue_.get(), found(), narrow<cl_uint>(sought.keep), sought.min_weight);
  };
  for (const DevicePairs* pairs : {&found(), &left()}) forget(*pairs);
  tighten();  // by what other lanes have found
  for (PairRange part = range; part.first_profile < range.end_profile;
       part.first_profile = part.end_profile) {
    part.end_profile = std::min(range.end_profile, part.first_profile + closing.part_after(seen));
    tile.comparer.compare(queue_.get(), part, tile.end_block, queue_.compares());
    tighten();
    seen += part.profiles();
  }
  bars.sift(queue_.get(), found(), left());
  closed_ = bars.fetch_closed(queue_);
  expected_ = std::max<std::size_t>(expected_, sought.keep * range.queries() * 5 / 4);
  read_head(left(), range.pairs());
  const auto [n_left, n_found, unused, unused_too] = head_.front();
  if (std::max(n_left, n_found) > limits_.candidates)
    find(tile, range, out);  // some came to nothing, and are found by the bars as they are now
  else
    fetch(left(), n_left, out);
}

// Returns how many pairs passed.
std::size_t PairFinder::run(const PreparedTile& tile, const PairRange& range) {
  forget(found());
  tile.comparer.compare(queue_.get(), range, tile.end_block, queue_.compares());
  read_head(found(), range.pairs());
  return head_.front().query;
}

void PairFinder::forget(const DevicePairs& pairs) {
  queue_.get().enqueueFillBuffer(pairs.buffer, cl_uint{0}, 0, sizeof(cl_uint4));
}

// The numbers at the head of `pairs`, and about as many pairs as there were the last time: fewer come from
// tile to tile. The only wait of a tile.
void PairFinder::read_head(const DevicePairs& pairs, std::size_t most) {
  const std::size_t fast = std::max<std::size_t>(2, queue_.staged_bytes() / sizeof(Candidate)) - 1;
  head_.resize(1 + std::min({std::max(kFirstFetch, expected_), fast, limits_.candidates, most}));
  read(pairs, 0, head_.size(), head_.data());
}

// n of them, the first of which are in head_.
void PairFinder::fetch(const DevicePairs& pairs, std::size_t n, std::vector<Candidate>& out) {
  const std::size_t here = std::min(n, head_.size() - 1), before = out.size();
  expected_ = n;
  out.resize(before + n);
  std::copy_n(head_.begin() + 1, here, out.begin() + static_cast<std::ptrdiff_t>(before));
  if (here < n) read(pairs, 1 + here, n - here, out.data() + before + here);
}

void PairFinder::read(const DevicePairs& pairs, std::size_t first, std::size_t n, Candidate* to) {
  static_assert(sizeof(Candidate) == sizeof(cl_uint4));  // query, profile, count, weight in both
  queue_.read(pairs.buffer, first * sizeof(Candidate), n * sizeof(Candidate), to);
}

}  // namespace fastid
