// The OpenCL engine: finds a device's config, has kernels built and queries packed, and plans workers.
#include "opencl/opencl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "base/process.hpp"
#include "base/text.hpp"
#include "engine/screen_count.hpp"
#include "engine/weighted_count.hpp"
#include "model/stated_traits.hpp"
#include "model/transfer.hpp"
#include "opencl/device_configs.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/kernel_builder.hpp"
#include "opencl/kernel/launch.hpp"
#include "opencl/kernel/screener.hpp"
#include "opencl/kernel/weigher.hpp"
#include "opencl/problem_work.hpp"
#include "opencl/worker/opencl_worker.hpp"
#include "opencl/worker/worker_memory.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastPlaneBytes = kMiB;  // of a tile; smaller only once one worker is left
constexpr std::size_t kMostReaders = 16;          // more do not read faster
constexpr std::size_t kFoundShare = 48;  // a worker's buffer of pairs takes at most this part of the budget

OpenClContext context_for(OpenClDevice device, const OpenClTuning& tuning) {
  const cl::Context context = context_of(device);
  const bool unified = device.facts.unified_memory && !tuning.own_memory;
  return {std::move(device), context, unified};
}

/// The most that workers for a problem may have.
struct WorkerLimits {
  std::size_t tile_blocks;  ///< that the device allocates at once
  std::size_t found_pairs;  ///< that a worker's buffer holds
  std::size_t pairs;        ///< that a kernel compares at once
};

/// A problem's queries on the device. The engine and the problem must outlive it.
class OpenClQueries final : public engine::PreparedQueries {
 public:
  OpenClQueries(const OpenClContext& context, MemoryPool& memory, const engine::Problem& problem,
                const WorkerLimits& limits, std::vector<QueryGroup> groups)
      : context_(context), memory_(memory), problem_(problem), limits_(limits), groups_(std::move(groups)) {}

  // Opens workers one after the other, as a driver does anyway: the first one can start at once, and is the
  // first to get memory.
  std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
    const std::lock_guard lock(opening_);
    if (tile_blocks > limits_.tile_blocks)
      throw DeviceMemoryError(
          fmt::format("{}: a tile of {} is more than the device allocates at once ({} bytes); use a "
                      "smaller one, or --device cpu",
                      context_.on.name(), counted(tile_blocks, "block"), context_.on.facts.max_allocation));
    return with_cl_memory_errors(context_.on.name(), [&] {
      try {
        auto made = make_opencl_worker(context_, groups_, tile_blocks, limits_.pairs,
                                       memory_.take(memory_sizes(problem_, tile_blocks, limits_.found_pairs)),
                                       !warm_);
        warm_ = true;
        return made;
      } catch (const cl::Error&) {
        memory_.drop_free();  // a smaller tile may need this memory
        throw;
      }
    });
  }

 private:
  const OpenClContext& context_;
  MemoryPool& memory_;
  engine::Problem problem_;
  WorkerLimits limits_;
  std::vector<QueryGroup> groups_;
  std::mutex opening_;
  bool warm_ = false;  ///< a worker has run the kernels; guarded by opening_
};

class OpenClEngine final : public engine::Engine {
 public:
  OpenClEngine(OpenClDevice device, const engine::EngineOptions& options, const OpenClTuning& tuning)
      : options_(options),
        tuning_(tuning),
        context_(context_for(std::move(device), tuning)),
        facts_(context_.on.facts),
        builder_(context_, configs_for(facts_, options, tuning), names_config(options, tuning), tuning),
        memory_(std::make_shared<MemoryPool>(context_.context, context_.on.device, context_.unified_memory,
                                             host().threads)) {}

  std::string name() const override { return context_.on.name(); }
  std::string description() const override {
    const auto config = builder_.config();
    return fmt::format("OpenCL engine, {} ({}), driver {}, config {}{}", printable(facts_.device),
                       printable(facts_.platform), printable(facts_.driver),
                       config == nullptr ? "none" : config->name,
                       builder_.uses_matrix() ? ", matrix kernel" : "");
  }

  // The model's plan, within the memory. To fit it, tiles shrink first; then there are fewer workers.
  engine::WorkPlan plan(const engine::Problem& problem) const override {
    const model::TilePlan model =
        model::plan_tiles(traits(), builder_.expected_seconds(problem), host(), workload_of(problem));
    std::size_t workers = options_.buffers.value_or(model.workers);
    const std::uint64_t planes = problem.has_second ? 2 : 1;
    while (!options_.buffers && workers > 1 && bytes_for_tile(problem, workers) < planes * kLeastPlaneBytes)
      --workers;
    const std::uint64_t bytes = std::min(model.tile_bytes, bytes_for_tile(problem, workers));
    const std::size_t wanted = engine::tile_blocks_for(problem, options_, static_cast<std::size_t>(bytes));
    return {.workers = workers,
            .tile_blocks = std::max<std::size_t>(1, std::min(wanted, most_blocks(problem))),
            .equal_tiles = options_.tile_blocks.has_value(),
            .readers = readers(workers),
            .small_first = context_.unified_memory,
            .small_last = context_.unified_memory,
            .queries = most_queries(problem, workers)};
  }

  // The rate of the slowest pipe, from the config's hardware numbers.
  engine::DevicePeaks peaks() const override {
    const auto config = builder_.config();
    if (config == nullptr) return {};
    const model::KernelConfig& c = *config;
    const double clocks =
        1e6 * (c.hw_clock_mhz != 0 ? c.hw_clock_mhz : facts_.clock_mhz) * c.hw_compute_units;
    const double upload = 1e6 * c.hw_upload_mbytes;
    if (builder_.uses_matrix()) return {clocks * c.hw_matrix, upload};
    const double chunk = 1 << c.carry_levels;
    const double logic_a_word = 1 + 2 * (1 - 1 / chunk);  // the comparison, and full adders
    const double words = std::min(c.hw_popcounts * chunk, c.hw_logic / logic_a_word);
    return {clocks * words * kWordBits, upload};
  }

  engine::KernelStep step(const engine::Problem& problem) const override { return builder_.step(problem); }

  engine::ExpectedTimes expected(const engine::Problem& problem) const override {
    const double kernel = builder_.expected_seconds(problem);
    const engine::WorkPlan plan = this->plan(problem);
    const std::uint64_t tile = plan.tile_blocks * problem.block_bytes();
    const model::RunEstimate run =
        model::predict_run(traits(), kernel, host(), {tile, plan.workers}, workload_of(problem));
    if (kernel == 0) return {run.upload, 0, 0};
    return {run.upload, run.kernel, run.stream};
  }

  // The workers' memory is made while kernels are loaded and queries are packed.
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    check_allocations(problem);
    if (plan.workers > 0)
      memory_->prepare(plan.workers, memory_sizes(problem, plan.tile_blocks, found_pairs(problem)));
    const WorkerLimits limits{most_blocks(problem), found_pairs(problem),
                              std::clamp<std::size_t>(tuning_.pairs, 1, UINT32_MAX)};
    return with_cl_memory_errors(name(), [&] {
      return std::make_unique<OpenClQueries>(context_, *memory_, problem, limits,
                                             builder_.build_and_pack(problem, host().threads));
    });
  }

  bool supports(const engine::Problem& problem) const override {
    const QueriesByKernel queries = split_queries(problem);
    return problem.custom_count == nullptr || queries.weighted != nullptr ||
           (queries.screen != nullptr && queries.screen->by_rows());
  }

 private:
  // All threads except the workers', which help while they wait for their own tiles, and one for the driver.
  std::size_t readers(std::size_t workers) const {
    const std::size_t threads = host().threads, taken = workers + 1;
    return context_.unified_memory || threads <= taken ? 0 : std::min(threads - taken, kMostReaders);
  }

  // As many as fit a part of a worker's share of the budget, but at least kLeast: with fewer, each reading of
  // the database would serve too few queries.
  std::size_t most_queries(const engine::Problem& problem, std::size_t workers) const {
    if (tuning_.queries != 0) return tuning_.queries;
    constexpr std::uint64_t kShare = 4, kLeast = 256;
    const std::uint64_t n = std::max<std::uint64_t>(1, problem.queries->n_rows());
    const std::uint64_t room = std::min(budget() / (kShare * workers), facts_.max_allocation);
    const std::uint64_t of_a_query = std::max<std::uint64_t>(1, ceil_div(query_bytes(problem), n));
    return static_cast<std::size_t>(std::max(kLeast, room / of_a_query));
  }

  model::HostRates host() const { return {.threads = threads_or_all(options_.threads)}; }

  model::DeviceTraits traits() const {
    return model::run_traits(facts_, builder_.config().get(),
                             facts_.type != "CPU" && !context_.unified_memory);
  }

  std::uint64_t budget() const {
    return std::min(options_.memory.value_or(UINT64_MAX),
                    facts_.global_memory / (facts_.unified_memory ? 4 : 2));
  }

  /// \throws DeviceError where the device does not allocate what all tiles are compared with
  void check_allocations(const engine::Problem& problem) const {
    const engine::ScreenCount* const screen = split_queries(problem).screen;
    if (screen != nullptr && screen_bytes(problem, *screen).tables > facts_.max_allocation)
      throw DeviceError(
          fmt::format("{}: the chains along {} are more than the device allocates at once ({} bytes); use "
                      "--device cpu",
                      name(), counted(problem.database.n_sites, "site"), facts_.max_allocation));
    if (const std::size_t n = problem.queries->n_rows(); largest_of_queries(problem) > facts_.max_allocation)
      throw DeviceError(
          fmt::format("{}: {} {} are more than the device allocates at once ({} bytes); search with "
                      "fewer at a time, or use --device cpu",
                      name(), with_commas(n), n == 1 ? "query" : "queries", facts_.max_allocation));
  }

  std::uint64_t largest_of_queries(const engine::Problem& problem) const {
    const QueriesByKernel queries = split_queries(problem);
    return std::max({queries.compared ? blocked_bytes(*queries.compared) : 0,
                     queries.screen != nullptr ? screen_bytes(problem, *queries.screen).queries : 0,
                     queries.weighted != nullptr ? weight_bytes(*queries.weighted) : 0});
  }

  std::uint64_t query_bytes(const engine::Problem& problem) const {
    const QueriesByKernel queries = split_queries(problem);
    return (queries.compared ? compared_bytes(*queries.compared) : 0) +
           (queries.screen != nullptr ? screen_bytes(problem, *queries.screen).all : 0) +
           (queries.weighted != nullptr ? weight_bytes(*queries.weighted) : 0);
  }

  std::uint64_t compared_bytes(const engine::Problem& problem) const {
    const auto config = builder_.config();
    if (config == nullptr || config->matrix == 0) return blocked_bytes(problem);
    return std::max(blocked_bytes(problem), matrix_bytes(problem, matrix_shape(problem, *config)));
  }

  // Bytes that a worker's tile may take if `workers` workers share the budget.
  std::uint64_t bytes_for_tile(const engine::Problem& problem, std::size_t workers) const {
    const std::uint64_t share = budget() / workers;
    const std::uint64_t fixed = query_bytes(problem) + found_pairs(problem) * sizeof(engine::Pair);
    if (share <= fixed) return 0;
    const std::uint64_t block = std::max<std::uint64_t>(1, problem.database.block_bytes());
    // Without the part for own bits and checksums.
    return (share - fixed) / (block + kExtraBytesABlock) * block;
  }

  // Pairs of a tile that the device has room for: some hundreds for each query, within a small part of the
  // budget.
  std::size_t found_pairs(const engine::Problem& problem) const {
    if (tuning_.found_pairs != 0) return tuning_.found_pairs;
    constexpr std::uint64_t kAQuery = 512, kFew = std::uint64_t{1} << 18, kMost = std::uint64_t{1} << 20;
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 12;  // whatever the budget
    const std::uint64_t n = std::max<std::size_t>(1, problem.queries->n_rows());
    // The buffer has room for its totals too, as large as a pair.
    const std::uint64_t bytes = std::max<std::uint64_t>(
        sizeof(engine::Pair), std::min(budget() / kFoundShare, facts_.max_allocation));
    const std::uint64_t room = bytes / sizeof(engine::Pair) - 1;
    const std::uint64_t wanted = std::max(kLeast, std::min(std::clamp(n * kAQuery, kFew, kMost), room));
    const std::uint64_t all = checked_mul(n, std::max<std::uint64_t>(1, problem.database.n_profiles));
    return static_cast<std::size_t>(std::min(wanted, all));
  }

  // The most blocks of one plane that the device allocates at once, with their checksums, and whose profiles
  // it can number.
  std::size_t most_blocks(const engine::Problem& problem) const {
    const std::uint64_t block = problem.database.block_bytes() + sizeof(std::uint64_t);
    constexpr std::uint64_t kMostProfiles = std::uint64_t{1} << 31, kPadding = kTilePadding * sizeof(Word);
    const std::uint64_t room = std::max(facts_.max_allocation, kPadding) - kPadding;
    return static_cast<std::size_t>(std::min<std::uint64_t>(room / block, kMostProfiles / kLanes));
  }

  engine::EngineOptions options_;
  OpenClTuning tuning_;
  OpenClContext context_;
  const model::DeviceFacts& facts_;  ///< of context_
  KernelBuilder builder_;
  std::shared_ptr<MemoryPool> memory_;
};

// All profiles are called at all sites, which needs the simplest kernel.
MatrixReport prove_on(const OpenClContext& context) {
  constexpr std::size_t kQueries = 32, kSites = 1024;
  const OpenClTuning tuning{.micro_kernel = model::MicroKernel::kMatrix};
  KernelBuilder builder(context, configs_for(context.on.facts, {}, tuning), false, tuning);
  if (const auto config = builder.config(); config == nullptr || config->matrix == 0) return {};
  ProfileRows queries(kQueries, kSites);
  for (std::size_t query = 0; query < kQueries; ++query)
    for (std::uint32_t site = 0; site < kSites; ++site) queries.set(query, site, false);
  with_cl_memory_errors(context.on.name(), [&] {
    builder.build_and_pack({engine::Comparison::kIdentity, &queries, {kQueries, kSites}, false}, 1);
  });
  return {true, builder.matrix_fault()};
}

}  // namespace

MatrixReport prove_matrix_kernel(const model::DeviceFacts& facts) {
  try {
    return prove_on(context_for(select_opencl_device(facts.selector), {}));
  } catch (const DeviceError& error) {
    return {true, error.what()};
  }
}

std::unique_ptr<engine::Engine> make_opencl_engine(const std::string& selector,
                                                   const engine::EngineOptions& options,
                                                   const OpenClTuning& tuning) {
  return std::make_unique<OpenClEngine>(select_opencl_device(selector), options, tuning);
}

}  // namespace fastid::opencl
