#include "opencl/opencl_lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/tile_plane.hpp"

namespace fastid {
namespace {

// Of a tile that is compared part by part: how many parts its candidates have room for, and how much larger
// each is than all before it, at the least.
constexpr std::size_t kParts = 8, kLeastGrowth = 3;
constexpr std::size_t kFirstFetch = 1023;                   // candidates that come with their number
constexpr std::size_t kCountBytes = std::size_t{64} << 20;  // of the counts that one run makes, about

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

// Events of one kind, and the seconds that they took. Asking the driver takes as long as a small tile's
// transfer, so it is asked while the device has other work.
class Timed {
 public:
  std::vector<cl::Event>& events() { return events_; }

  /// Their queue has finished.
  void finished() {
    finished_.insert(finished_.end(), events_.begin(), events_.end());
    events_.clear();
  }

  /// Of those that have finished since the last time. Waits for them all the same: with many queues a driver
  /// was seen to say so of its events a little later than of their queue.
  double take_seconds() {
    if (!finished_.empty()) cl::Event::waitForEvents(finished_);
    double seconds = 0;
    for (const cl::Event& event : finished_) seconds += seconds_of(event);
    finished_.clear();
    return seconds;
  }

 private:
  // What the driver does not tell counts as no time: a search is worth more than its timing.
  static double seconds_of(const cl::Event& event) {
    try {
      const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
      const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      return end > start ? 1e-9 * static_cast<double>(end - start) : 0;
    } catch (const cl::Error& error) {
      if (error.err() != CL_PROFILING_INFO_NOT_AVAILABLE) throw;
      return 0;
    }
  }

  std::vector<cl::Event> events_, finished_;
};

// Memory of the device for tiles that are kept, one behind the other.
struct KeptTiles {
  DeviceTile tile;
  std::uint64_t first = 0;   // its first block, of all that are kept
  std::size_t n_blocks = 0;  // kept
  std::size_t room = 0;      // for blocks
};

class OpenClLane final : public Lane {
 public:
  OpenClLane(const OpenClContext& context, const Problem& problem, const LaneSizes& sizes, HostTile tile,
             const ComparerMaker& packed, QueryPacker pack)
      : name_(context.name),
        problem_(problem),
        context_(context.context),
        unified_memory_(context.unified_memory),
        sizes_(sizes),
        pack_(std::move(pack)),
        queue_(context.context, context.device, CL_QUEUE_PROFILING_ENABLE),
        bits_(make_tile_plane(context.context, queue_, std::move(tile.bits), context.unified_memory)) {
    if (problem.has_called)
      called_ = make_tile_plane(context.context, queue_, std::move(tile.called), context.unified_memory);
    tile_.bits = bits_->device();
    tile_.called = called_ ? called_->device() : bits_->device();
    tile_.most_profiles = checked_mul(sizes.tile_blocks, kLanes);
    tile_.found = room_for_pairs();
    left_ = room_for_pairs();
    try {
      // Touched, as the planes are, so that a lack of memory shows now.
      for (const DevicePairs* pairs : {&tile_.found, &left_})
        queue_.enqueueFillBuffer(pairs->buffer, cl_uint{0}, 0, pair_bytes(sizes.candidates));
      comparer_ = packed(tile_);
      warm_up();
    } catch (...) {
      drain();
      throw;
    }
  }

  ~OpenClLane() override { drain(); }
  OpenClLane(const OpenClLane&) = delete;
  OpenClLane& operator=(const OpenClLane&) = delete;

  TileBuffer buffer() override {
    if (recalled_ != nullptr) comparer_->read_from(tile_);
    recalled_ = nullptr;
    blocks_ = {};
    return {bits_->host(), called_ ? called_->host() : nullptr};
  }
  DeviceWork work() override {
    with_cl_errors(name_, [&] { take_seconds(); });
    return work_;
  }

  bool ask(const Problem& problem) override {
    return with_cl_memory_errors(name_, [&] {
      problem_ = problem;
      comparer_.reset();  // its memory is for the next
      comparer_ = pack_(problem_)(tile_);
      recalled_ = nullptr;
      return true;
    });
  }

  bool keep() override {
    const std::size_t n = blocks_.end - blocks_.first, block = problem_.database.block_bytes();
    if (n == 0 || recalled_ != nullptr || unified_memory_) return false;
    try {
      if (kept_.empty() || kept_.back().room - kept_.back().n_blocks < n) kept_.push_back(room_for_kept(n));
      KeptTiles& kept = kept_.back();
      queue_.enqueueCopyBuffer(tile_.bits, kept.tile.bits, 0, kept.n_blocks * block, n * block);
      if (called_)
        queue_.enqueueCopyBuffer(tile_.called, kept.tile.called, 0, kept.n_blocks * block, n * block);
      queue_.flush();
      kept.n_blocks += n;
      return true;
    } catch (const cl::Error& error) {
      if (!is_memory_error(error.err())) throw DeviceError(name_ + ": " + cl_error_text(error.err()));
      return false;
    }
  }

  std::size_t recall(std::uint64_t first) override {
    const auto kept = std::ranges::find_if(
        kept_, [&](const KeptTiles& tiles) { return first < tiles.first + tiles.n_blocks; });
    if (kept == kept_.end()) throw Failure("blocks are recalled that a lane has not kept");
    with_cl_memory_errors(name_, [&] { comparer_->read_from(kept->tile); });
    recalled_ = &*kept;
    blocks_ = {static_cast<std::size_t>(first - kept->first), kept->n_blocks};
    return blocks_.end - blocks_.first;
  }

  BlocksView bring(std::span<const Candidate> found) override {
    if (recalled_ == nullptr) throw Failure("profiles are to be brought of blocks that were not recalled");
    const std::size_t n =
        std::min({found.size(), checked_mul(sizes_.tile_blocks, kLanes), sizes_.candidates});
    std::vector<cl_uint> places;
    places.reserve(n);
    for (const Candidate& pair : found.first(n))
      places.push_back(narrow<cl_uint>(blocks_.first * kLanes + pair.profile));
    return with_cl_errors(name_, [&] {
      queue_.enqueueWriteBuffer(left_.buffer, CL_TRUE, 0, n * sizeof(cl_uint), places.data());
      const BlockShape shape{n, problem_.database.n_sites};
      gather(recalled_->tile.bits, shape, *bits_);
      if (called_) gather(recalled_->tile.called, shape, *called_);
      take_back();
      return BlocksView{shape, bits_->host(), called_ ? called_->host() : nullptr};
    });
  }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    compare_with(tile, bars, out, [&](const PairRange& all) { compare_range(all, out); });
  }

  void find_best(const BlockShape& tile, std::span<const Bar> bars, const Sought& sought,
                 std::vector<Candidate>& out) override {
    const Closing closing = closing_for(tile, bars.size(), sought);
    if (closing.queries == 0) return compare(tile, bars, out);
    compare_with(tile, bars, out, [&](const PairRange& all) {
      const std::size_t before = out.size();
      for (std::size_t first = 0; first < all.end_query; first += closing.queries)
        close_bars(
            {all.first_profile, all.end_profile, first, std::min(all.end_query, first + closing.queries)},
            closing, sought, out);
      check_closed(bars, sought, std::span(out).subspan(before));
    });
  }

  void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
    const std::size_t n_queries = problem_.queries->n_rows(), row = series.n * kLanes;
    out.assign(checked_mul(n_queries, row), {});
    if (out.empty()) return;
    set_size(tile);
    if (series.first + (series.n - 1) * series.step >= tile.n_blocks())
      throw Failure("a series of blocks goes past its tile");
    with_cl_errors(name_, [&] {
      const std::size_t block = tile.block_bytes();
      const std::size_t step = std::max<std::size_t>(1, series.step) * block;
      send(step == block ? PlaneRuns{series.first * block, series.n * block, series.n * block, 1}
                         : PlaneRuns{series.first * block, block, step, series.n});
      const BlockSeries there{blocks_.first + series.first, series.step, series.n};
      const std::size_t end = blocks_.first * kLanes + static_cast<std::size_t>(tile.n_profiles);
      const std::size_t at_once = std::max<std::size_t>(1, kCountBytes / (row * sizeof(PairCount)));
      for (std::size_t query = 0; query < n_queries; query += at_once)
        count_queries(end, there, query, std::min(at_once, n_queries - query), out.data() + query * row);
      take_back();
    });
  }

 private:
  // What was queued before an error still uses this lane's memory, and the caller's. Some drivers fail to
  // wait for a queue but not for an event; where both fail, so has the device, which reads no more.
  void drain() noexcept {
    try {
      queue_.finish();
    } catch (const cl::Error&) {
      try {
        cl::Event last;
        queue_.enqueueMarkerWithWaitList(nullptr, &last);
        last.wait();
      } catch (const cl::Error&) {
        // as said
      }
    }
  }

  static std::size_t pair_bytes(std::size_t candidates) {
    return checked_mul(checked_add<std::size_t>(candidates, 1), sizeof(Candidate));
  }

  DevicePairs room_for_pairs() const {
    return {make_buffer(context_, CL_MEM_READ_WRITE, pair_bytes(sizes_.candidates)),
            narrow<cl_uint>(sizes_.candidates)};
  }

  // Compares one block, which holds nothing: the first run of a kernel in a queue was seen to take 18 ms on a
  // GPU, and is when some drivers compile. That belongs to opening a lane.
  void warm_up() {
    if (problem_.queries->n_rows() > 0) {
      blocks_ = {0, 1};
      const std::size_t n_queries = problem_.queries->n_rows();
      const PlaneRuns block{0, problem_.database.block_bytes(), problem_.database.block_bytes(), 1};
      comparer_->bars().set(queue_, std::vector<Bar>(n_queries, Bar{0, 0, 1}));
      send(block);
      comparer_->prepare(queue_, blocks_, compares_.events());
      std::vector<Candidate> none;
      close_bars({0, 1, 0, std::min(n_queries, DeviceBars::kMostTallied)}, {0, 1, 1}, {}, none);
      take_back();
      take_seconds();
      work_ = {};
    }
    queue_.finish();
  }

  void set_size(const BlockShape& tile) {
    if (tile.n_blocks() > (recalled_ != nullptr ? blocks_.end - blocks_.first : sizes_.tile_blocks))
      throw Failure("a tile is larger than its lane");
    if (recalled_ == nullptr) blocks_ = {0, static_cast<std::size_t>(tile.n_blocks())};
  }

  KeptTiles room_for_kept(std::size_t n_blocks) {
    KeptTiles made{.tile = tile_, .room = std::max(n_blocks, sizes_.kept_blocks)};
    if (!kept_.empty()) made.first = kept_.back().first + kept_.back().n_blocks;
    const std::size_t words = checked_mul(made.room, problem_.database.block_words());
    const std::size_t bytes = checked_add(words, kTilePadding) * sizeof(Word);
    made.tile.bits = make_buffer(context_, CL_MEM_READ_WRITE, bytes);
    made.tile.called = called_ ? make_buffer(context_, CL_MEM_READ_WRITE, bytes) : made.tile.bits;
    made.tile.most_profiles = checked_mul(made.room, kLanes);
    return made;
  }

  void send(const PlaneRuns& runs) {
    if (recalled_ != nullptr) return;
    work_.upload_bytes += bits_->send(queue_, runs, uploads_.events());
    if (called_) work_.upload_bytes += called_->send(queue_, runs, uploads_.events());
  }

  // The tile is the host's again.
  void take_back() {
    bits_->take_back(queue_);
    if (called_) called_->take_back(queue_);
    queue_.finish();
    for (Timed* timed : {&uploads_, &compares_, &fetches_}) timed->finished();
  }

  void take_seconds() {
    work_.upload_seconds += uploads_.take_seconds();
    work_.compare_seconds += compares_.take_seconds();
    work_.fetch_seconds += fetches_.take_seconds();
  }

  // Whatever `work` does with the tile's pairs with all queries; appends to `out`.
  template <class Work>
  void compare_with(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out,
                    const Work& work) {
    if (tile.n_profiles == 0 || bars.empty()) return;
    set_size(tile);
    with_cl_errors(name_, [&] {
      const std::size_t bytes = tile.n_blocks() * tile.block_bytes(), first = blocks_.first * kLanes;
      comparer_->bars().set(queue_, bars);  // first: behind the tile it would wait for other lanes' tiles too
      send({0, bytes, bytes, 1});
      comparer_->prepare(queue_, blocks_, compares_.events());
      const std::size_t before = out.size();
      work({first, first + static_cast<std::size_t>(tile.n_profiles), 0, bars.size()});
      for (Candidate& found : std::span(out).subspan(before)) found.profile -= static_cast<cl_uint>(first);
      take_back();
    });
  }

  // How the bars are closed while a tile is compared part by part.
  struct Closing {
    std::size_t queries = 0;   // at a time; 0: the bars stay as they are
    std::uint64_t open = 0;    // profiles of the first part, where nothing has closed the bars yet
    std::uint64_t growth = 0;  // of a part to all before it

    std::size_t part_after(std::uint64_t seen) const {
      return static_cast<std::size_t>(std::max(open, growth * seen));
    }
  };

  // Of a part, `growth` times as many pairs pass as are kept, or all where bars are open; a buffer holds
  // those of all parts. A tile that is not much larger than what has been seen has few pairs that pass
  // anyway.
  Closing closing_for(const BlockShape& tile, std::size_t n_queries, const Sought& sought) const {
    constexpr std::size_t kMostOpen = 1024;
    const std::size_t room = sizes_.candidates / kParts;
    if (n_queries == 0 || tile.n_profiles <= 2 * sought.seen || sought.keep > most_kept(sizes_.candidates))
      return {};
    const auto keep = static_cast<std::size_t>(sought.keep);
    const std::size_t queries = std::min({room / (kLeastGrowth * keep), DeviceBars::kMostTallied, n_queries});
    return {queries, (std::min(kMostOpen, room / queries) / kLanes + 1) * kLanes, room / (keep * queries)};
  }

  // A bar that the device has closed rests on pairs that it gives, and whoever takes them counts them again.
  void check_closed(std::span<const Bar> bars, const Sought& sought, std::span<const Candidate> found) {
    const std::vector<Bar> closed = comparer_->bars().closed(queue_, bars);
    std::vector<std::uint64_t> n_passing(bars.size());
    for (const Candidate& pair : found)
      if (pair.query < bars.size() && pair.weight >= sought.min_weight &&
          closed[pair.query].passes(pair.count, pair.weight))
        ++n_passing[pair.query];
    for (std::size_t query = 0; query < bars.size(); ++query)
      if (!(closed[query] == bars[query]) && n_passing[query] < sought.keep)
        throw DeviceError(fmt::format("{} turned pairs away for {} better ones, and gave {}; {}", name_,
                                      sought.keep, n_passing[query], kDistrust));
  }

  // All that is done for a part is queued at once.
  void close_bars(const PairRange& range, const Closing& closing, const Sought& sought,
                  std::vector<Candidate>& out) {
    comparer_->bars().start_tally(queue_, range.first_query, range.queries());
    std::uint64_t seen = sought.seen;
    const std::size_t pieces =
        ceil_div(range.profiles(), std::max<std::size_t>(1, sizes_.pairs / range.queries()));
    const std::size_t most = ceil_div(range.profiles(), pieces);
    for (PairRange some = range; some.first_profile < range.end_profile;
         some.first_profile = some.end_profile) {
      some.end_profile = std::min(range.end_profile, some.first_profile + most);
      close_bars(some, closing, sought, seen, out);
    }
  }

  // No more pairs than can be counted.
  void close_bars(const PairRange& range, const Closing& closing, const Sought& sought, std::uint64_t& seen,
                  std::vector<Candidate>& out) {
    DeviceBars& bars = comparer_->bars();
    for (const DevicePairs* pairs : {&tile_.found, &left_}) forget(*pairs);
    for (PairRange part = range; part.first_profile < range.end_profile;
         part.first_profile = part.end_profile) {
      part.end_profile = std::min(range.end_profile, part.first_profile + closing.part_after(seen));
      comparer_->compare(queue_, part, blocks_.end, compares_.events());
      bars.tighten(queue_, tile_.found, narrow<cl_uint>(sought.keep), sought.min_weight, compares_.events());
      seen += part.profiles();
    }
    bars.sift(queue_, tile_.found, left_, compares_.events());
    read_head(left_, range.pairs());
    const auto [n_left, n_found, unused, unused_too] = head_.front();
    if (std::max(n_left, n_found) > sizes_.candidates)
      compare_range(range, out);  // some came to nothing, and are found by the bars as they are now
    else
      fetch(left_, n_left, out);
  }

  // Nothing is lost: where more pairs pass than the buffer holds, what it holds is dropped and the parts are
  // run again. A range of more pairs than the device can count is cut before it is run.
  void compare_range(const PairRange& range, std::vector<Candidate>& out) {
    std::size_t pieces = ceil_div(range.pairs(), sizes_.pairs);
    if (pieces <= 1) {
      const std::size_t n = run(range);
      if (n <= sizes_.candidates) return fetch(tile_.found, n, out);
      pieces = n / sizes_.candidates + 1;
    }
    for (const PairRange& part : cut(range, pieces)) compare_range(part, out);
  }

  // Returns how many pairs passed.
  std::size_t run(const PairRange& range) {
    forget(tile_.found);
    comparer_->compare(queue_, range, blocks_.end, compares_.events());
    read_head(tile_.found, range.pairs());
    return head_.front().query;
  }

  void forget(const DevicePairs& pairs) {
    queue_.enqueueFillBuffer(pairs.buffer, cl_uint{0}, 0, sizeof(cl_uint4));
  }

  // The numbers at the head of `pairs`, and the first pairs. The only wait of a tile, as a rule.
  void read_head(const DevicePairs& pairs, std::size_t most) {
    head_.resize(1 + std::min({kFirstFetch, sizes_.candidates, most}));
    read(pairs, 0, head_.size(), head_.data());
  }

  // n of them, the first of which are in head_.
  void fetch(const DevicePairs& pairs, std::size_t n, std::vector<Candidate>& out) {
    const std::size_t here = std::min(n, head_.size() - 1), before = out.size();
    out.resize(before + n);
    std::copy_n(head_.begin() + 1, here, out.begin() + static_cast<std::ptrdiff_t>(before));
    if (here < n) read(pairs, 1 + here, n - here, out.data() + before + here);
  }

  void read(const DevicePairs& pairs, std::size_t first, std::size_t n, Candidate* to) {
    static_assert(sizeof(Candidate) == sizeof(cl_uint4));  // query, profile, count, weight in both
    // No blocking read: with many lanes the one of NVIDIA's driver takes a fifth of a search longer than
    // this.
    queue_.enqueueReadBuffer(pairs.buffer, CL_FALSE, first * sizeof(Candidate), n * sizeof(Candidate), to,
                             nullptr, &fetches_.events().emplace_back());
    finish_read();
    work_.fetch_bytes += n * sizeof(Candidate);
  }

  // Waits for all that was queued, reads among it.
  void finish_read() {
    try {
      queue_.flush();
      take_seconds();  // of the tile before
      queue_.finish();
    } catch (const cl::Error&) {
      drain();  // until then the device may write to the host's memory
      throw;
    }
  }

  // The profiles of `from` whose places are in left_, into the host's memory of a plane.
  void gather(const cl::Buffer& from, const BlockShape& shape, TilePlane& to) {
    const std::size_t bytes = shape.n_blocks() * shape.block_bytes();
    comparer_->gather(queue_, from, shape, left_.buffer, to.device(), compares_.events());
    queue_.enqueueReadBuffer(to.device(), CL_FALSE, 0, bytes, to.host(), nullptr,
                             &fetches_.events().emplace_back());
    finish_read();
    work_.fetch_bytes += bytes;
  }

  void count_queries(std::size_t end_profile, const BlockSeries& series, std::size_t first, std::size_t n,
                     PairCount* to) {
    static_assert(sizeof(PairCount) == sizeof(cl_uint2));
    const std::size_t bytes = n * series.n * kLanes * sizeof(PairCount);
    if (bytes > counts_bytes_) {
      counts_ = make_buffer(context_, CL_MEM_WRITE_ONLY, bytes);
      counts_bytes_ = bytes;
    }
    comparer_->count(queue_, series, end_profile, first, n, counts_, compares_.events());
    queue_.enqueueReadBuffer(counts_, CL_TRUE, 0, bytes, to, nullptr, &fetches_.events().emplace_back());
    work_.fetch_bytes += bytes;
  }

  std::string name_;
  Problem problem_;
  cl::Context context_;
  bool unified_memory_;
  LaneSizes sizes_;
  QueryPacker pack_;
  cl::CommandQueue queue_;  ///< in order; other lanes' queues run beside it
  std::unique_ptr<TilePlane> bits_, called_;
  DeviceTile tile_;
  std::unique_ptr<Comparer> comparer_;
  BlockRange blocks_;  ///< of the tile's planes, or the recalled ones', that are compared
  std::vector<KeptTiles> kept_;
  const KeptTiles* recalled_ = nullptr;  ///< whose blocks are compared, in place of the tile's
  DevicePairs left_;                     ///< of tile_.found, when the bars are closed
  std::vector<Candidate> head_;          ///< of some pairs: their numbers (bars.h), then the first
  cl::Buffer counts_;
  std::size_t counts_bytes_ = 0;
  Timed uploads_, compares_, fetches_;
  DeviceWork work_;
};

}  // namespace

HostTile make_host_tile(const Problem& problem, std::size_t tile_blocks, std::size_t threads) {
  const std::size_t words =
      checked_add(checked_mul(tile_blocks, problem.database.block_words()), kTilePadding);
  // Zeroing its pages takes longer than a driver does to take them.
  constexpr std::size_t kPageWords = 4096 / sizeof(Word),
                        kThreadWords = (std::size_t{4} << 20) / sizeof(Word);
  HostTile tile{WordBuffer(words), WordBuffer(problem.has_called ? words : 0)};
  const std::size_t n = std::clamp<std::size_t>(words / kThreadWords, 1, std::max<std::size_t>(1, threads));
  run_crew(n, [&](std::size_t i, const std::atomic<bool>&) {
    for (WordBuffer* plane : {&tile.bits, &tile.called})
      for (std::size_t at = i * plane->size() / n; at < (i + 1) * plane->size() / n; at += kPageWords)
        *static_cast<volatile Word*>(plane->data() + at) = 0;
  });
  return tile;
}

std::uint64_t most_kept(std::size_t candidates) {
  return candidates / (kParts * kLeastGrowth);
}

std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const Problem& problem,
                                       const LaneSizes& sizes, HostTile tile, const ComparerMaker& packed,
                                       QueryPacker pack) {
  return std::make_unique<OpenClLane>(context, problem, sizes, std::move(tile), packed, std::move(pack));
}

}  // namespace fastid
