#include "opencl/worker/opencl_lane.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/log.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/memory/tile_plane.hpp"
#include "opencl/worker/lane_queue.hpp"
#include "opencl/worker/pair_finder.hpp"

namespace fastid {
namespace {

constexpr std::size_t kCountBytes = std::size_t{64} << 20;  // of the counts that one run makes, about

constexpr std::size_t kSumWords = sizeof(std::uint64_t) / sizeof(Word);  // of a block's checksum

// Behind the blocks are their checksums, while they have any.
std::size_t plane_words(const Problem& problem, std::size_t tile_blocks) {
  const std::size_t behind = std::max(kTilePadding, checked_mul(tile_blocks, kSumWords));
  return checked_add(checked_mul(tile_blocks, problem.database.block_words()), behind);
}

LaneBufferSizes buffer_sizes(const LaneSizes& sizes) {
  return {sizes.candidates, checked_mul(sizes.tile_blocks, kLanes)};
}

// Memory of the device for tiles that are kept, one behind the other.
struct KeptTiles {
  DeviceTile tile;
  std::uint64_t first = 0;   // its first block, of all that are kept
  std::size_t n_blocks = 0;  // kept
  std::size_t room = 0;      // for blocks
  cl::Buffer checksums;      // of the blocks
  bool held = true;          // all of them came with their checksums
};

class OpenClLane final : public Lane {
 public:
  OpenClLane(const OpenClContext& context, const Problem& problem, const LaneSizes& sizes, LaneMemory memory,
             ComparerMaker packed, QueryPacker pack)
      : name_(context.name),
        problem_(problem),
        context_(context.context),
        unified_memory_(context.unified_memory),
        sizes_(sizes),
        pack_(std::move(pack)),
        packed_(std::move(packed)),
        bits_(std::move(memory.bits)),
        called_(std::move(memory.called)),
        buffers_(std::move(memory.buffers)),
        queue_(buffers_->queue, *buffers_->staging),
        finder_(buffers_, {sizes.candidates, sizes.pairs}, queue_, context.tallies),
        tile_{bits_->device(), called_ ? called_->device() : bits_->device(), buffers_->weights,
              buffers_->found},
        comparer_(packed_(tile_)) {}

  ~OpenClLane() override {
    queue_.drain();
    if (queue_.failed()) buffers_->spoiled = true;
  }
  OpenClLane(const OpenClLane&) = delete;
  OpenClLane& operator=(const OpenClLane&) = delete;

  // Bars that next to nothing passes; counts too rest on what their table has of queries.
  void send_bars() { comparer_->bars().send(queue_); }

  // Runs the kernels once, over a block: the first run of a kernel was seen to take 18 ms on a GPU, and is
  // when some drivers compile.
  void warm_up() {
    blocks_ = {0, 1};
    send({.n = 0});
    comparer_->prepare(queue_.get(), blocks_, queue_.compares());
    if (problem_.queries->n_rows() > 0)
      finder_.warm_up({*comparer_, blocks_.end}, problem_.queries->n_rows());
    take_back();
    queue_.start_anew();
  }

  TileBuffer buffer() override {
    if (recalled_ != nullptr) comparer_->read_from(tile_);
    recalled_ = nullptr;
    blocks_ = {};
    sums_at_.reset();
    queue_.share_processor(true);
    return {bits_->host(), called_ ? called_->host() : nullptr};
  }
  bool expect(std::span<const std::uint64_t> checksums) override {
    if (unified_memory_ || !comparer_->makes_checksums()) return false;
    expected_ = checksums;
    return true;
  }
  std::optional<std::size_t> n_damaged() override {
    if (checked_.n_sound == nullptr) return std::nullopt;
    if (std::exchange(checked_.pending, false)) with_cl_errors(name_, [&] { queue_.finish(); });
    return checked_.blocks - std::min<std::size_t>(*checked_.n_sound, checked_.blocks);
  }
  DeviceWork work() override {
    return with_cl_errors(name_, [&] { return queue_.work(); });
  }

  bool ask(const Problem& problem) override {
    return with_cl_memory_errors(name_, [&] {
      problem_ = problem;
      comparer_.reset();  // its memory is for the next
      packed_ = {};
      packed_ = pack_(problem_);
      comparer_ = packed_(tile_);
      send_bars();
      recalled_ = nullptr;
      return true;
    });
  }

  bool keep() override {
    const std::size_t n = blocks_.size(), block = problem_.database.block_bytes();
    if (n == 0 || recalled_ != nullptr || unified_memory_) return false;
    return where_memory_suffices([&] {
      if (kept_.empty() || kept_.back().room - kept_.back().n_blocks < n) kept_.push_back(room_for_kept());
      KeptTiles& kept = kept_.back();
      const cl::CommandQueue& queue = queue_.get();
      queue.enqueueCopyBuffer(tile_.bits, kept.tile.bits, 0, kept.n_blocks * block, n * block);
      if (called_)
        queue.enqueueCopyBuffer(tile_.called, kept.tile.called, 0, kept.n_blocks * block, n * block);
      if (sums_at_)
        queue.enqueueCopyBuffer(tile_.bits, kept.checksums, *sums_at_, kept.n_blocks * sizeof(std::uint64_t),
                                n * sizeof(std::uint64_t));
      kept.held = kept.held && sums_at_;
      queue.flush();
      kept.n_blocks += n;
    });
  }

  std::size_t recall(std::uint64_t first) override {
    const auto kept = std::ranges::find_if(
        kept_, [&](const KeptTiles& tiles) { return first < tiles.first + tiles.n_blocks; });
    if (kept == kept_.end()) throw Failure("blocks are recalled that a lane has not kept");
    with_cl_memory_errors(name_, [&] { comparer_->read_from(kept->tile); });
    recalled_ = &*kept;
    queue_.share_processor(false);  // nothing is read meanwhile
    blocks_ = {static_cast<std::size_t>(first - kept->first), kept->n_blocks};
    return blocks_.size();
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
      queue_.write(finder_.places(), n * sizeof(cl_uint), places.data());
      const BlockShape shape{n, problem_.database.n_sites};
      gather(recalled_->tile.bits, shape, *bits_);
      if (called_) gather(recalled_->tile.called, shape, *called_);
      take_back();
      return BlocksView{shape, bits_->host(), called_ ? called_->host() : nullptr};
    });
  }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    compare_with(tile, bars, out, [&](const PreparedTile& prepared, const PairRange& all) {
      finder_.find(prepared, all, out);
    });
  }

  void find_best(const BlockShape& tile, std::span<Bar> bars, const Sought& sought,
                 std::vector<Candidate>& out) override {
    compare_with(tile, bars, out, [&](const PreparedTile& prepared, const PairRange& all) {
      finder_.find_best(prepared, all, bars, sought, out);
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
  // False where the device lacks the memory, and what was queued before that is in doubt.
  template <class Work>
  bool where_memory_suffices(const Work& work) {
    try {
      with_cl_memory_errors(name_, work);
      return true;
    } catch (const DeviceMemoryError& error) {
      log::detail("{}", error.what());
      buffers_->spoiled = true;
      return false;
    }
  }

  // What is held against checksums. Those that the device finds sound are counted, so that one that does
  // nothing finds none.
  struct Checked {
    const Word* n_sound = nullptr;  ///< which is there once the queue was waited for; null: nothing
    std::size_t blocks = 0;         ///< of which
    bool pending = false;           ///< nobody has waited yet
  };

  // The blocks that are compared; where nothing that was fetched is wanted any more, or nothing was.
  void hold(const DeviceTile& tile, const DeviceSums& sums) {
    queue_.get().enqueueFillBuffer(buffers_->n_sound, cl_uint{0}, 0, sizeof(cl_uint));
    comparer_->count_sound(queue_.get(), tile, blocks_, sums, buffers_->n_sound, queue_.compares());
    checked_ = {queue_.fetch(buffers_->n_sound, 0, 1), blocks_.size(), true};
  }

  void set_size(const BlockShape& tile) {
    if (tile.n_blocks() > (recalled_ != nullptr ? blocks_.size() : sizes_.tile_blocks))
      throw Failure("a tile is larger than its lane");
    if (recalled_ == nullptr) blocks_.first = 0;
    blocks_.end = blocks_.first + static_cast<std::size_t>(tile.n_blocks());
  }

  KeptTiles room_for_kept() {
    KeptTiles made{.tile = tile_, .room = sizes_.kept_blocks};
    if (!kept_.empty()) made.first = kept_.back().first + kept_.back().n_blocks;
    const std::size_t words = checked_mul(made.room, problem_.database.block_words());
    const std::size_t bytes = checked_add(words, kTilePadding) * sizeof(Word);
    made.tile.bits = make_buffer(context_, CL_MEM_READ_WRITE, bytes);
    made.tile.called = called_ ? make_buffer(context_, CL_MEM_READ_WRITE, bytes) : made.tile.bits;
    made.checksums = make_buffer(context_, CL_MEM_READ_WRITE, checked_mul(made.room, sizeof(std::uint64_t)));
    // Of those that are compared at a time.
    made.tile.weights = kept_.empty() ? make_buffer(context_, CL_MEM_READ_WRITE,
                                                    checked_mul(made.room, kLanes * sizeof(Word)))
                                      : kept_.back().tile.weights;
    return made;
  }

  // `sums`, of a whole tile, are sent behind its blocks: a transfer of their own takes a GPU 8 microseconds.
  void send(const PlaneRuns& runs, std::span<const std::uint64_t> sums = {}) {
    if (recalled_ != nullptr) return;
    PlaneRuns with_sums = runs;
    with_sums.bytes += sums.size_bytes();
    std::ranges::copy(std::as_bytes(sums), reinterpret_cast<std::byte*>(bits_->host()) + runs.bytes);
    queue_.uploaded(bits_->send(queue_.get(), with_sums, queue_.uploads()));
    if (called_) queue_.uploaded(called_->send(queue_.get(), runs, queue_.uploads()));
  }

  // The tile is the host's again.
  void take_back() {
    bits_->take_back(queue_.get());
    if (called_) called_->take_back(queue_.get());
    queue_.finish();
  }

  // Whatever `work` does with the tile's pairs with all queries; appends to `out`.
  template <class Work>
  void compare_with(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out,
                    const Work& work) {
    const auto expected = std::exchange(expected_, {});
    checked_ = {};
    if (tile.n_profiles == 0 || bars.empty()) return;
    set_size(tile);
    if (!expected.empty() && expected.size() != blocks_.size())
      throw Failure("the checksums that are expected are not a tile's");
    with_cl_errors(name_, [&] {
      const std::size_t bytes = tile.n_blocks() * tile.block_bytes(), first = blocks_.first * kLanes;
      // First: behind the tile they would wait for other lanes' tiles too.
      comparer_->bars().set(queue_, bars);
      sums_at_.reset();
      if (recalled_ == nullptr && !expected.empty()) sums_at_ = bytes;
      send({0, bytes, bytes, 1}, expected);
      comparer_->prepare(queue_.get(), blocks_, queue_.compares());
      queue_.drop_fetched();
      if (sums_at_) hold(tile_, {tile_.bits, *sums_at_ / sizeof(std::uint64_t)});
      const std::size_t before = out.size();
      work(PreparedTile{*comparer_, blocks_.end},
           PairRange{first, first + static_cast<std::size_t>(tile.n_profiles), 0, bars.size()});
      for (Candidate& found : std::span(out).subspan(before)) found.profile -= static_cast<cl_uint>(first);
      take_back();
      checked_.pending = false;
      // Of what only the device has, once it was compared: what becomes of it before is noticed too. Whoever
      // has profiles brought need not wait for it once more.
      if (recalled_ != nullptr && recalled_->held && comparer_->makes_checksums()) {
        queue_.drop_fetched();
        hold(recalled_->tile, {recalled_->checksums});
        queue_.get().flush();
      }
    });
  }

  // The profiles of `from` whose places the finder has, into the host's memory of a plane.
  void gather(const cl::Buffer& from, const BlockShape& shape, TilePlane& to) {
    comparer_->gather(queue_.get(), from, shape, finder_.places(), to.device(), queue_.compares());
    queue_.read(to.device(), 0, shape.n_blocks() * shape.block_bytes(), to.host());
  }

  void count_queries(std::size_t end_profile, const BlockSeries& series, std::size_t first, std::size_t n,
                     PairCount* to) {
    static_assert(sizeof(PairCount) == sizeof(cl_uint2));
    const std::size_t bytes = n * series.n * kLanes * sizeof(PairCount);
    if (bytes > counts_bytes_) {
      counts_ = make_buffer(context_, CL_MEM_WRITE_ONLY, bytes);
      counts_bytes_ = bytes;
    }
    comparer_->count(queue_.get(), series, end_profile, first, n, counts_, queue_.compares());
    queue_.read(counts_, 0, bytes, to);
  }

  std::string name_;
  Problem problem_;
  cl::Context context_;
  bool unified_memory_;
  LaneSizes sizes_;
  QueryPacker pack_;
  ComparerMaker packed_;
  std::shared_ptr<TilePlane> bits_, called_;
  std::shared_ptr<LaneBuffers> buffers_;
  LaneQueue queue_;
  PairFinder finder_;
  DeviceTile tile_;
  std::unique_ptr<Comparer> comparer_;
  BlockRange blocks_;  ///< of the tile's planes, or the recalled ones', that are compared
  std::vector<KeptTiles> kept_;
  const KeptTiles* recalled_ = nullptr;  ///< whose blocks are compared, in place of the tile's
  cl::Buffer counts_;
  std::size_t counts_bytes_ = 0;
  std::span<const std::uint64_t> expected_;  ///< checksums of the next tile; empty: it was checked before
  std::optional<std::size_t> sums_at_;  ///< where those of the tile are on the device, bytes; none: nowhere
  Checked checked_;                     ///< of what was compared last
};

}  // namespace

LanePools::LanePools(const OpenClContext& context, std::size_t threads)
    : planes_(make_plane_pool(context.context, context.device, context.unified_memory, threads)),
      buffers_(make_lane_buffer_pool(context.context, context.device)) {}

void LanePools::drop_free() {
  planes_->drop_free();
  buffers_->drop_free();
}

void LanePools::prepare(const Problem& problem, const LaneSizes& sizes, std::size_t lanes) {
  planes_->prepare(lanes * (problem.has_called ? 2 : 1), plane_words(problem, sizes.tile_blocks));
  buffers_->prepare(lanes, buffer_sizes(sizes));
}

LaneMemory LanePools::take(const Problem& problem, const LaneSizes& sizes) {
  const std::size_t words = plane_words(problem, sizes.tile_blocks);
  LaneMemory memory{planes_->take(words), nullptr, nullptr};
  if (problem.has_called) memory.called = planes_->take(words);
  memory.buffers = buffers_->take(buffer_sizes(sizes));
  return memory;
}

std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const Problem& problem,
                                       const LaneSizes& sizes, LaneMemory memory, ComparerMaker packed,
                                       QueryPacker pack, bool warm_up) {
  auto lane = std::make_unique<OpenClLane>(context, problem, sizes, std::move(memory), std::move(packed),
                                           std::move(pack));
  lane->send_bars();
  if (warm_up) lane->warm_up();
  return lane;
}

}  // namespace fastid
