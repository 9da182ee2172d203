#include "opencl/worker/opencl_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "engine/kernel_case.hpp"
#include "engine/weighted_count.hpp"
#include "opencl/kernel/launch.hpp"
#include "opencl/problem_work.hpp"

namespace fastid::opencl {
namespace {

/// Queries that one kernel finds pairs of.
struct QueryGroup {
  PairKernel* kernel = nullptr;
  engine::Problem problem;
  std::vector<std::uint32_t> places;  ///< of its queries among all; empty: it has all of `problem`

  std::size_t size() const { return places.empty() ? problem.queries->n_rows() : places.size(); }
  std::uint32_t n_queries() const { return narrow<std::uint32_t>(size()); }
  /// Whether the kernel says how many sites a pair has in common.
  bool counts_compared() const {
    return problem.custom_count != nullptr || problem.comparison == engine::Comparison::kIdentity ||
           engine::counts_compared(problem);
  }
  std::vector<engine::Threshold> thresholds_of(std::span<const engine::Threshold> all) const {
    if (places.empty()) return {all.begin(), all.end()};
    std::vector<engine::Threshold> own;
    for (const std::uint32_t place : places) own.push_back(all[place]);
    return own;
  }
};

// A pair has the layout of kernels/found.h: PAIR_WORDS words, the first two of which are the row.
static_assert(sizeof(engine::Pair) == 6 * sizeof(cl_uint) &&
              offsetof(engine::Pair, query) == 2 * sizeof(cl_uint) &&
              offsetof(engine::Pair, counts) == 3 * sizeof(cl_uint));

constexpr std::size_t kFirstFetch = 4095;  // least number of pairs that are read together with their total

// The first item of the buffer, as kernels/found.h has it.
struct FoundTotals {
  cl_uint pairs, unused, sound_blocks, rest[3];
};
static_assert(sizeof(FoundTotals) == sizeof(engine::Pair));

/// Brings back the pairs of a tile that may pass their thresholds, however many there are.
class PassingPairs {
 public:
  /// \param found  where kernels append pairs
  /// \param most_pairs  most pairs that one run of the kernel may compare, since its counter has 32 bits
  /// \param queue  must outlive this
  PassingPairs(FoundPairs found, std::size_t most_pairs, DeviceQueue& queue)
      : found_(std::move(found)), most_pairs_(most_pairs), queue_(queue) {}

  /// Begins a tile. Must be called before the tile's count_sound() is queued.
  void start();

  /// Appends those of some pairs that may pass to `out`. Rows count from the tile's first profile.
  void find(PairKernel& kernel, const engine::Rectangle& pairs, std::vector<engine::Pair>& out);

  /// How many of the tile's blocks match their checksums. Known after find().
  std::size_t n_sound() const { return n_sound_; }

 private:
  void clear();
  std::size_t run(PairKernel& kernel, const engine::Rectangle& pairs);

  FoundPairs found_;
  std::size_t most_pairs_;
  DeviceQueue& queue_;
  FoundList<engine::Pair> list_;
  std::size_t expected_ = 0;  ///< about as many pairs are expected of the next run
  std::size_t n_sound_ = 0;
  bool is_clear_ = false;  ///< the buffer's totals are 0
};

void PassingPairs::start() {
  clear();
  is_clear_ = true;
  n_sound_ = 0;
}

void PassingPairs::clear() {
  queue_.clear(found_.buffer, sizeof(engine::Pair));
}

// No pair is lost: if there are more pairs than the buffer holds, its contents are dropped and parts are run
// again. A range with more pairs than the device can count is cut before it is run.
void PassingPairs::find(PairKernel& kernel, const engine::Rectangle& pairs, std::vector<engine::Pair>& out) {
  find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
    if (part.pairs() > most_pairs_) return ceil_div(part.pairs(), most_pairs_);
    const std::size_t n = run(kernel, part);
    if (n > found_.capacity) return n / found_.capacity + 1;
    expected_ = n;
    list_.append(queue_, found_.buffer, n, out);
    return 1;
  });
}

// Returns how many pairs there are. The same read, as a rule the only one of a tile, brings as many pairs as
// the last run had.
std::size_t PassingPairs::run(PairKernel& kernel, const engine::Rectangle& pairs) {
  if (!is_clear_) clear();
  is_clear_ = false;
  kernel.compare(queue_, pairs);
  const std::size_t fast = std::max<std::size_t>(2, queue_.staged_bytes() / sizeof(engine::Pair)) - 1;
  const auto totals = std::bit_cast<FoundTotals>(list_.read_head(
      queue_, found_.buffer,
      std::min({std::max(kFirstFetch, expected_), fast, std::size_t{found_.capacity}, pairs.pairs()})));
  n_sound_ = std::max<std::size_t>(n_sound_, totals.sound_blocks);
  if (totals.pairs > pairs.pairs())
    throw WrongAnswer(fmt::format("the device found {} pairs among {}", totals.pairs, pairs.pairs()));
  return totals.pairs;
}

class OpenClWorker final : public engine::Worker {
 public:
  OpenClWorker(const OpenClContext& context, const engine::Problem& problem, const WorkerSizes& sizes,
               std::shared_ptr<WorkerMemory> memory, const KernelMakers& makers)
      : name_(context.name),
        unified_memory_(context.unified_memory),
        tile_blocks_(sizes.tile_blocks),
        memory_(std::move(memory)),
        bits_(*memory_->bits),
        second_(memory_->second.get()),
        queue_(memory_->queue, *memory_->staging),
        finder_(memory_->found, sizes.pairs, queue_),
        comparer_(makers.compare ? makers.compare(device_tile()) : nullptr) {
    const ProblemParts parts = parts_of(problem);
    std::vector<std::uint32_t> compared, own;  // places of queries; none: all
    if (parts.weighted != nullptr) {
      const std::span<const std::uint32_t> plain = parts.weighted->plain_queries();
      compared.assign(plain.begin(), plain.end());
      for (const engine::WeightedCount::OfQuery& of : parts.weighted->weighted()) own.push_back(of.query);
    }
    if (parts.compared && parts.compared->queries->n_rows() > 0)
      groups_.push_back({comparer_.get(), *parts.compared, std::move(compared)});
    if (!makers.own || problem.queries->n_rows() == 0) return;
    own_ = makers.own(device_tile());
    groups_.push_back({own_.get(), problem, std::move(own)});
  }

  ~OpenClWorker() override {
    queue_.drain();
    if (queue_.failed()) memory_->spoiled = true;
  }
  OpenClWorker(const OpenClWorker&) = delete;
  OpenClWorker& operator=(const OpenClWorker&) = delete;

  // Runs the kernels once, with one profile. The first run of a kernel was seen to take 18 ms on a GPU, and
  // some drivers compile then.
  void warm_up() {
    if (groups_.empty()) return;
    for (const QueryGroup& group : groups_)
      group.kernel->set(queue_, std::vector<engine::Threshold>(group.size(), engine::Threshold{0, 0, 1}));
    send(0, {});
    if (comparer_) comparer_->prepare(queue_, 1);
    std::vector<engine::Pair> none;
    finder_.start();
    for (const QueryGroup& group : groups_) finder_.find(*group.kernel, {0, 1, 0, group.n_queries()}, none);
    return_to_host();
    queue_.start_anew();
  }

  engine::TileBuffer buffer() override { return {bits_.host(), second_ ? second_->host() : nullptr}; }
  bool checks_blocks() const override {
    return !unified_memory_ && comparer_ && comparer_->makes_checksums();
  }

  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const engine::Threshold> thresholds,
                      std::vector<engine::Pair>& out) override {
    const std::size_t n_blocks = tile.n_blocks();
    if (n_blocks > tile_blocks_) throw Failure("a tile is larger than its worker");
    if (!checksums.empty() && checksums.size() != n_blocks)
      throw Failure("the checksums that are expected are not a tile's");
    if (n_blocks == 0 || thresholds.empty()) return 0;
    return with_cl_errors(name_, [&] {
      // Thresholds are sent first: behind the tile they would wait for other workers' tiles too.
      for (const QueryGroup& group : groups_) group.kernel->set(queue_, group.thresholds_of(thresholds));
      finder_.start();
      const std::size_t bytes = n_blocks * tile.shape.block_bytes();
      send(bytes, checksums);
      if (comparer_) comparer_->prepare(queue_, n_blocks);
      if (!checksums.empty()) comparer_->count_sound(queue_, n_blocks, bytes);
      for (const QueryGroup& group : groups_) {
        const std::size_t before = out.size();
        finder_.find(*group.kernel, {0, narrow<std::uint32_t>(tile.shape.n_profiles), 0, group.n_queries()},
                     out);
        keep_passing(tile, group, thresholds, before, out);
      }
      return_to_host();
      return checksums.empty() ? 0 : n_blocks - std::min(n_blocks, finder_.n_sound());
    });
  }

  engine::DeviceWork work() override {
    return with_cl_errors(name_, [&] { return queue_.work(); });
  }

 private:
  // Checksums are sent in one transfer with the tile's blocks: a separate one takes 8 microseconds on a GPU.
  void send(std::size_t bytes, std::span<const std::uint64_t> checksums) {
    std::ranges::copy(std::as_bytes(checksums), reinterpret_cast<std::byte*>(bits_.host()) + bytes);
    queue_.uploaded(bits_.send(queue_.get(), bytes + checksums.size_bytes(), queue_.uploads()));
    if (second_ != nullptr) queue_.uploaded(second_->send(queue_.get(), bytes, queue_.uploads()));
  }

  // Gives the tile's memory back to the host.
  void return_to_host() {
    bits_.return_to_host(queue_.get());
    if (second_ != nullptr) second_->return_to_host(queue_.get());
    queue_.finish();
  }

  // Drops the few pairs from `first` on that do not pass, and adds to the others what the device does not
  // know: the tile's first row, the query's place among all, and the sites compared if these are the same for
  // all pairs of a query. A query that does not exist is left to the caller.
  void keep_passing(const engine::Tile& tile, const QueryGroup& group,
                    std::span<const engine::Threshold> thresholds, std::size_t first,
                    std::vector<engine::Pair>& out) const {
    const bool counted = group.counts_compared();
    const auto fails = [&](engine::Pair& pair) {
      pair.row += tile.first_row();
      if (pair.query >= group.size()) {
        pair.query = std::numeric_limits<std::uint32_t>::max();
        return false;
      }
      if (!counted) pair.counts.compared = group.problem.queries->called_sites(pair.query);
      if (!group.places.empty()) pair.query = group.places[pair.query];
      return !thresholds[pair.query].passes(pair.counts);
    };
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    out.erase(std::remove_if(begin, out.end(), fails), out.end());
  }

  DeviceTile device_tile() const {
    return {bits_.device(), second_ ? second_->device() : bits_.device(), memory_->own_bits, memory_->found};
  }

  std::string name_;
  bool unified_memory_;
  std::size_t tile_blocks_;
  std::shared_ptr<WorkerMemory> memory_;
  TilePlane& bits_;
  TilePlane* second_;  ///< null: there is none
  DeviceQueue queue_;
  PassingPairs finder_;
  std::unique_ptr<Comparer> comparer_;  ///< null: chains are computed
  std::unique_ptr<PairKernel> own_;     ///< null: no query is counted by a count of its own
  std::vector<QueryGroup> groups_;      ///< all queries
};

}  // namespace

// The checksums, if any, lie behind the blocks, where there must be room for kTilePadding words too.
MemorySizes memory_sizes(const engine::Problem& problem, const WorkerSizes& sizes) {
  constexpr std::size_t kSumWords = sizeof(std::uint64_t) / sizeof(Word);
  const std::size_t behind = std::max(kTilePadding, checked_mul(sizes.tile_blocks, kSumWords));
  return {.plane_words = checked_add(checked_mul(sizes.tile_blocks, problem.database.block_words()), behind),
          .has_second = problem.has_second,
          .profiles = checked_mul(sizes.tile_blocks, kLanes),
          .found_pairs = sizes.found_pairs};
}

std::unique_ptr<engine::Worker> make_opencl_worker(const OpenClContext& context,
                                                   const engine::Problem& problem, const WorkerSizes& sizes,
                                                   std::shared_ptr<WorkerMemory> memory,
                                                   const KernelMakers& makers, bool warm_up) {
  auto worker = std::make_unique<OpenClWorker>(context, problem, sizes, std::move(memory), makers);
  if (warm_up) worker->warm_up();
  return worker;
}

}  // namespace fastid::opencl
