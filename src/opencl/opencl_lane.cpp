#include "opencl/opencl_lane.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/tile_plane.hpp"

namespace fastid {
namespace {

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
             ComparerMaker make_comparer)
      : name_(context.name),
        problem_(problem),
        context_(context.context),
        sizes_(sizes),
        make_comparer_(std::move(make_comparer)),
        queue_(context.context, context.device, CL_QUEUE_PROFILING_ENABLE),
        bits_(make_tile_plane(context.context, queue_, std::move(tile.bits), context.unified_memory)) {
    if (problem.has_called)
      called_ = make_tile_plane(context.context, queue_, std::move(tile.called), context.unified_memory);
    tile_.bits = bits_->device();
    tile_.called = called_ ? called_->device() : bits_->device();
    tile_.most_profiles = checked_mul(sizes.tile_blocks, kLanes);
    tile_.capacity = narrow<cl_uint>(sizes.candidates);
    tile_.found = make_buffer(context.context, CL_MEM_READ_WRITE, found_bytes(sizes.candidates));
    try {
      // Touched, as the planes are, so that a lack of memory shows now.
      queue_.enqueueFillBuffer(tile_.found, cl_uint{0}, 0, found_bytes(sizes.candidates));
      comparer_ = make_comparer_(problem_, tile_);
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
    if (recalled_) comparer_->read_from(tile_);
    recalled_ = false;
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
      comparer_ = make_comparer_(problem_, tile_);
      recalled_ = false;
      return true;
    });
  }

  bool keep() override {
    const std::size_t n = blocks_.end - blocks_.first, block = problem_.database.block_bytes();
    if (n == 0 || recalled_) return false;
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

  std::size_t recall(std::uint64_t first, std::uint64_t most) override {
    const auto kept = std::ranges::find_if(
        kept_, [&](const KeptTiles& tiles) { return first < tiles.first + tiles.n_blocks; });
    if (kept == kept_.end() || most == 0) throw Failure("blocks are recalled that a lane has not kept");
    with_cl_memory_errors(name_, [&] { comparer_->read_from(kept->tile); });
    recalled_ = true;
    blocks_.first = static_cast<std::size_t>(first - kept->first);
    blocks_.end = blocks_.first +
                  static_cast<std::size_t>(std::min<std::uint64_t>(most, kept->n_blocks - blocks_.first));
    return blocks_.end - blocks_.first;
  }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    if (tile.n_profiles == 0 || bars.empty()) return;
    set_size(tile);
    with_cl_errors(name_, [&] {
      const std::size_t bytes = tile.n_blocks() * tile.block_bytes(), first = blocks_.first * kLanes;
      comparer_->set_bars(queue_, bars);  // first: behind the tile it would wait for other lanes' tiles too
      send({0, bytes, bytes, 1});
      comparer_->prepare(queue_, blocks_, compares_.events());
      const std::size_t before = out.size();
      compare_range({first, first + static_cast<std::size_t>(tile.n_profiles), 0, bars.size()}, out);
      for (Candidate& found : std::span(out).subspan(before)) found.profile -= static_cast<cl_uint>(first);
      take_back();
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

  static std::size_t found_bytes(std::size_t candidates) {
    return checked_mul(checked_add<std::size_t>(candidates, 1), sizeof(Candidate));
  }

  // Compares one block, which holds nothing: the first run of a kernel in a queue was seen to take 18 ms on a
  // GPU, and is when some drivers compile. That belongs to opening a lane.
  void warm_up() {
    if (problem_.queries->n_rows() > 0) {
      blocks_ = {0, 1};
      const PlaneRuns block{0, problem_.database.block_bytes(), problem_.database.block_bytes(), 1};
      comparer_->set_bars(queue_, std::vector<Bar>(problem_.queries->n_rows(), Bar{0, 0, 1}));
      send(block);
      comparer_->prepare(queue_, blocks_, compares_.events());
      run({0, 1, 0, problem_.queries->n_rows()});
      take_back();
      take_seconds();
      work_ = {};
    }
    queue_.finish();
  }

  void set_size(const BlockShape& tile) {
    if (tile.n_blocks() > (recalled_ ? blocks_.end - blocks_.first : sizes_.tile_blocks))
      throw Failure("a tile is larger than its lane");
    if (!recalled_) blocks_ = {0, static_cast<std::size_t>(tile.n_blocks())};
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
    if (recalled_) return;
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

  // Nothing is lost: where more pairs pass than the buffer holds, what it holds is dropped and the parts are
  // run again. A range of more pairs than the device can count is cut before it is run.
  void compare_range(const PairRange& range, std::vector<Candidate>& out) {
    std::size_t pieces = ceil_div(range.pairs(), sizes_.pairs);
    if (pieces <= 1) {
      const std::size_t n = run(range);
      if (n <= sizes_.candidates) return fetch(n, out);
      pieces = n / sizes_.candidates + 1;
    }
    for (const PairRange& part : cut(range, pieces)) compare_range(part, out);
  }

  // Returns how many pairs passed; the first of them are in head_. The only wait of a tile, as a rule.
  std::size_t run(const PairRange& range) {
    queue_.enqueueFillBuffer(tile_.found, cl_uint{0}, 0, sizeof(cl_uint));
    comparer_->compare(queue_, range, blocks_.end, compares_.events());
    head_.resize(1 + std::min({kFirstFetch, sizes_.candidates, range.pairs()}));
    read(0, head_.size(), head_.data());
    return head_.front().query;
  }

  void fetch(std::size_t n, std::vector<Candidate>& out) {
    const std::size_t here = std::min(n, head_.size() - 1), before = out.size();
    out.resize(before + n);
    std::copy_n(head_.begin() + 1, here, out.begin() + static_cast<std::ptrdiff_t>(before));
    if (here < n) read(1 + here, n - here, out.data() + before + here);
  }

  void read(std::size_t first, std::size_t n, Candidate* to) {
    static_assert(sizeof(Candidate) == sizeof(cl_uint4));  // query, profile, count, weight in both
    // No blocking read: with many lanes the one of NVIDIA's driver takes a fifth of a search longer than
    // this.
    queue_.enqueueReadBuffer(tile_.found, CL_FALSE, first * sizeof(Candidate), n * sizeof(Candidate), to,
                             nullptr, &fetches_.events().emplace_back());
    try {
      queue_.flush();
      take_seconds();  // of the tile before
      queue_.finish();
    } catch (const cl::Error&) {
      drain();  // until then the device may write to `to`
      throw;
    }
    work_.fetch_bytes += n * sizeof(Candidate);
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
  LaneSizes sizes_;
  ComparerMaker make_comparer_;
  cl::CommandQueue queue_;  ///< in order; other lanes' queues run beside it
  std::unique_ptr<TilePlane> bits_, called_;
  DeviceTile tile_;
  std::unique_ptr<Comparer> comparer_;
  BlockRange blocks_;  ///< of the tile's planes, or the recalled ones', that are compared
  std::vector<KeptTiles> kept_;
  bool recalled_ = false;        ///< the blocks are kept ones, and on the device already
  std::vector<Candidate> head_;  ///< of what was found: how many (as its query), then the first
  cl::Buffer counts_;
  std::size_t counts_bytes_ = 0;
  Timed uploads_, compares_, fetches_;
  DeviceWork work_;
};

}  // namespace

HostTile make_host_tile(const Problem& problem, std::size_t tile_blocks) {
  const std::size_t words =
      checked_add(checked_mul(tile_blocks, problem.database.block_words()), kTilePadding);
  constexpr std::size_t kPageWords = 4096 / sizeof(Word);
  HostTile tile{WordBuffer(words), WordBuffer(problem.has_called ? words : 0)};
  for (WordBuffer* plane : {&tile.bits, &tile.called})
    for (std::size_t word = 0; word < plane->size(); word += kPageWords)
      *static_cast<volatile Word*>(plane->data() + word) = 0;
  return tile;
}

std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const Problem& problem,
                                       const LaneSizes& sizes, HostTile tile, ComparerMaker make_comparer) {
  return std::make_unique<OpenClLane>(context, problem, sizes, std::move(tile), std::move(make_comparer));
}

}  // namespace fastid
