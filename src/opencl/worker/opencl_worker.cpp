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

namespace fastid::opencl {
namespace {

/// A group of queries with its kernel for the worker's memory.
struct ActiveGroup {
  const QueryGroup* of = nullptr;
  std::unique_ptr<PairKernel> kernel;

  std::uint32_t n_queries() const { return narrow<std::uint32_t>(of->size()); }
  /// Whether the kernel writes how many sites a pair has in common: of identity by minor alleles alone as its
  /// denominator; of all else, where there is a second plane, by counting them (count_found() of pair.h).
  /// Else they are the query's called sites.
  bool writes_compared() const {
    const engine::Problem& problem = of->problem;
    return problem.custom_count != nullptr || problem.comparison == engine::Comparison::kIdentity ||
           engine::counts_compared(problem);
  }
  /// \param all  thresholds of all queries
  void set_thresholds(DeviceQueue& queue, std::span<const engine::Threshold> all) const {
    if (of->places.empty()) return kernel->set(queue, all.first(of->size()));
    std::vector<engine::Threshold> own;
    for (const std::uint32_t place : of->places) own.push_back(all[place]);
    kernel->set(queue, own);
  }
};

// A pair has the layout of kernels/found.h: PAIR_WORDS words. The first two words are the row of its profile.
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
  void start() {
    clear();
    is_clear_ = true;
    n_sound_ = 0;
  }

  /// Appends those of some pairs that may pass to `out`. Rows count from the tile's first profile. No pair is
  /// lost: if there are more pairs than the buffer holds, its contents are dropped and parts are run again. A
  /// range with more pairs than the device can count is cut before it is run.
  void find(PairKernel& kernel, const engine::Rectangle& pairs, std::vector<engine::Pair>& out) {
    // Returns 1: the part is done; n: it is to be found again, in n parts.
    find_in_parts(pairs, [&](const engine::Rectangle& part) -> std::size_t {
      if (part.pairs() > most_pairs_) return ceil_div(part.pairs(), most_pairs_);
      const std::size_t n = run(kernel, part);
      if (n > found_.capacity) return n / found_.capacity + 1;
      expected_ = n;
      list_.append(queue_, found_.buffer, n, out);
      return 1;
    });
  }

  /// How many of the tile's blocks match their checksums. Known after find().
  std::size_t n_sound() const { return n_sound_; }

 private:
  void clear() { queue_.clear(found_.buffer, sizeof(engine::Pair)); }
  std::size_t run(PairKernel& kernel, const engine::Rectangle& pairs);

  FoundPairs found_;
  std::size_t most_pairs_;
  DeviceQueue& queue_;
  FoundList<engine::Pair> list_;
  std::size_t expected_ = 0;  ///< about as many pairs are expected of the next run
  std::size_t n_sound_ = 0;
  bool is_clear_ = false;  ///< the buffer's totals are 0
};

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
  OpenClWorker(const OpenClContext& context, std::span<const QueryGroup> groups, std::size_t tile_blocks,
               std::size_t most_pairs, std::shared_ptr<WorkerMemory> memory)
      : name_(context.on.name()),
        unified_memory_(context.unified_memory),
        tile_blocks_(tile_blocks),
        memory_(std::move(memory)),
        bits_(*memory_->bits),
        second_(memory_->second.get()),
        queue_(memory_->queue, *memory_->staging),
        finder_(memory_->found, most_pairs, queue_) {
    for (const QueryGroup& group : groups) groups_.push_back({&group, group.make(device_tile())});
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
    for (const ActiveGroup& group : groups_)
      group.kernel->set(queue_, std::vector<engine::Threshold>(group.of->size(), engine::Threshold{0, 0, 1}));
    send(0, {});
    finder_.start();
    std::vector<engine::Pair> none;
    for (const ActiveGroup& group : groups_) {
      group.kernel->prepare(queue_, 1);
      if (group.n_queries() > 0) finder_.find(*group.kernel, {0, 1, 0, group.n_queries()}, none);
    }
    return_to_host();
    queue_.start_anew();
  }

  engine::TileBuffer buffer() override { return {bits_.host(), second_ ? second_->host() : nullptr}; }
  bool checks_blocks() const override {
    return !unified_memory_ && !groups_.empty() && groups_.front().kernel->makes_checksums();
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
      for (const ActiveGroup& group : groups_) group.set_thresholds(queue_, thresholds);
      finder_.start();
      const std::size_t bytes = n_blocks * tile.shape.block_bytes();
      send(bytes, checksums);
      if (!checksums.empty()) groups_.front().kernel->count_sound(queue_, n_blocks, bytes);
      for (const ActiveGroup& group : groups_) {
        group.kernel->prepare(queue_, n_blocks);
        if (group.n_queries() == 0) continue;
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
    bits_.send(queue_, bytes + checksums.size_bytes());
    if (second_ != nullptr) second_->send(queue_, bytes);
  }

  // Gives the tile's memory back to the host.
  void return_to_host() {
    bits_.return_to_host(queue_);
    if (second_ != nullptr) second_->return_to_host(queue_);
    queue_.finish();
  }

  // Drops the few pairs from `first` on that do not pass, and adds to the others what the device does not
  // know: the tile's first row, the query's place among all, and the sites compared if these are the same for
  // all pairs of a query. A query that does not exist is left to the caller.
  void keep_passing(const engine::Tile& tile, const ActiveGroup& group,
                    std::span<const engine::Threshold> thresholds, std::size_t first,
                    std::vector<engine::Pair>& out) const {
    constexpr std::uint32_t kNoQuery = std::numeric_limits<std::uint32_t>::max();
    const bool written = group.writes_compared();
    const auto complete = [&](engine::Pair& pair) {
      pair.row += tile.first_row();
      if (pair.query >= group.of->size()) {
        pair.query = kNoQuery;
        return;
      }
      if (!written) pair.counts.compared = group.of->problem.queries->called_sites(pair.query);
      if (!group.of->places.empty()) pair.query = group.of->places[pair.query];
    };
    const auto fails = [&](const engine::Pair& pair) {
      return pair.query != kNoQuery && !thresholds[pair.query].passes(pair.counts);
    };
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    std::for_each(begin, out.end(), complete);
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
  std::vector<ActiveGroup> groups_;  ///< all queries. The first one's kernel checks blocks, if any does
};

}  // namespace

std::unique_ptr<engine::Worker> make_opencl_worker(const OpenClContext& context,
                                                   std::span<const QueryGroup> groups,
                                                   std::size_t tile_blocks, std::size_t most_pairs,
                                                   std::shared_ptr<WorkerMemory> memory, bool warm_up) {
  auto worker = std::make_unique<OpenClWorker>(context, groups, tile_blocks, most_pairs, std::move(memory));
  if (warm_up && !groups.empty()) worker->warm_up();
  return worker;
}

}  // namespace fastid::opencl
