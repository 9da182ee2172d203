// The OpenCL engine: finds a device's config, builds its kernel once for each problem, and plans lanes.
#include "opencl/opencl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "model/registry.hpp"
#include "model/stated_traits.hpp"
#include "model/transfer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/kernel_builder.hpp"
#include "opencl/problem_work.hpp"
#include "opencl/worker/opencl_lane.hpp"
#include "opencl/worker/pair_finder.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastPlaneBytes = kMiB;  // of a tile, while there are lanes to give up
constexpr std::size_t kMostReaders = 16;          // more read no faster
constexpr std::size_t kFirstTileBlocks = 8, kFirstCandidates = 32'768;  // of tiles that grow
// What a lane keeps side by side, and compares at once when it is recalled: a third of all blocks, which is
// more than it has as a rule, or, where memory does not suffice for that, some tiles.
constexpr std::size_t kKeptShare = 3, kKeptTiles = 15;
constexpr std::size_t kCandidateShare = 48;  // of the budget: each of a lane's two buffers takes no more

bool is_chosen(const EngineOptions& options, const OpenClTuning& tuning) {
  return !options.config_file.empty() || !tuning.config.empty() || !tuning.config_text.empty();
}

KernelConfig chosen_config(const EngineOptions& options, const OpenClTuning& tuning) {
  if (!options.config_file.empty()) return read_config(options.config_file);
  if (!tuning.config_text.empty()) return parse_config(tuning.config_text, "the config that is tried");
  return embedded_config(tuning.config);
}

// Those that the device can run, best first. A config that the user names is the only one.
std::vector<KernelConfig> configs_for(const DeviceFacts& facts, const EngineOptions& options,
                                      const OpenClTuning& tuning) {
  std::vector<KernelConfig> configs;
  if (is_chosen(options, tuning)) {
    configs.push_back(chosen_config(options, tuning));
    const std::string reason = unfit_reason(configs.front(), facts);
    if (!reason.empty())
      throw DeviceError(
          fmt::format("opencl:{}: cannot run config {}: {}; choose another, or leave --config out",
                      facts.selector, configs.front().source, reason));
    return configs;
  }
  for (const ConfigLink& link : config_chain(facts))
    if (link.unfit.empty()) configs.push_back(config_of(link));
  return configs;
}

OpenClContext context_for(const DeviceFacts& facts, const cl::Device& device, const OpenClTuning& tuning) {
  const std::string name = "opencl:" + facts.selector;
  return with_cl_errors(name, [&] {
    const cl::Context context(device);
    return OpenClContext{name, device, context, facts.unified_memory && !tuning.own_memory,
                         std::make_shared<PassTallies>(context, device)};
  });
}

class OpenClEngine final : public Engine {
 public:
  OpenClEngine(OpenClDevice device, const EngineOptions& options, const OpenClTuning& tuning)
      : facts_(std::move(device.facts)),
        options_(options),
        tuning_(tuning),
        context_(context_for(facts_, device.device, tuning)),
        kernels_(context_, facts_, configs_for(facts_, options, tuning), is_chosen(options, tuning), tuning),
        pools_(context_, host().threads) {}

  std::string name() const override { return context_.name; }
  std::string description() const override {
    const auto config = kernels_.config();
    return fmt::format("OpenCL engine, {} ({}), driver {}, config {}{}", printable(facts_.device),
                       printable(facts_.platform), printable(facts_.driver),
                       config == nullptr ? "none" : config->name,
                       kernels_.uses_matrix() ? ", matrix kernel" : "");
  }

  // Lanes then have their memory by the time that kernels are loaded and queries packed.
  void meet(const Problem& problem) override {
    const LanePlan plan = this->plan(problem);
    pools_.prepare(problem, sizes(problem, plan.lanes, plan.tile_blocks), plan.lanes);
  }

  // As the model has it, within the memory: the tile shrinks before lanes go.
  LanePlan plan(const Problem& problem) const override {
    const std::uint64_t planes = problem.has_called ? 2 : 1;
    const model::TilePlan model =
        model::plan_tiles(traits(), kernels_.expected_seconds(problem), host(), workload_of(problem));
    std::size_t lanes = options_.buffers.value_or(model.buffers);
    while (!options_.buffers && lanes > 1 && bytes_for_tile(problem, lanes) < planes * kLeastPlaneBytes)
      --lanes;
    const std::uint64_t bytes = std::min(model.tile_bytes, bytes_for_tile(problem, lanes));
    const std::size_t wanted = tile_blocks_for(problem, options_, static_cast<std::size_t>(bytes));
    const std::size_t tile = std::max<std::size_t>(1, std::min(wanted, most_blocks(problem)));
    return {.lanes = lanes,
            .tile_blocks = tile,
            .first_tile_blocks =
                options_.tile_blocks ? tile : std::min(tile, first_blocks(problem.queries->n_rows())),
            .closes = context_.unified_memory ? 0 : PairFinder::most_kept(candidates(problem)),
            .readers = readers(lanes),
            .small_last = context_.unified_memory,
            .queries = most_queries(problem, lanes),
            .keeps = keeps(problem, lanes, tile)};
  }

  // The slowest pipe's rate, after the config's hardware numbers.
  DevicePeaks peaks() const override {
    const auto config = kernels_.config();
    if (config == nullptr) return {};
    const KernelConfig& c = *config;
    const double clocks =
        1e6 * (c.hw_clock_mhz != 0 ? c.hw_clock_mhz : facts_.clock_mhz) * c.hw_compute_units;
    const double upload = 1e6 * c.hw_upload_mbytes;
    if (kernels_.uses_matrix()) return {clocks * c.hw_matrix, upload};
    const double chunk = 1 << c.carry_levels;
    const double logic_a_word = 1 + 2 * (1 - 1 / chunk);  // the comparison, and full adders
    const double words = std::min(c.hw_popcounts * chunk, c.hw_logic / logic_a_word);
    return {clocks * words * kWordBits, upload};
  }

  ExpectedTimes expected(const Problem& problem) const override {
    const double kernel = kernels_.expected_seconds(problem);
    const LanePlan plan = this->plan(problem);
    const std::uint64_t tile =
        plan.tile_blocks * problem.database.block_bytes() * (problem.has_called ? 2 : 1);
    const model::RunEstimate run =
        model::predict_run(traits(), kernel, host(), {tile, plan.lanes}, workload_of(problem));
    if (kernel == 0) return {run.upload, 0, 0};
    return {run.upload, run.kernel, run.stream};
  }

  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    if (tile_blocks > most_blocks(problem))
      throw DeviceMemoryError(
          fmt::format("{}: a tile of {} is more than the device allocates at once ({} bytes); use a "
                      "smaller one, or --device cpu",
                      name(), counted(tile_blocks, "block"), facts_.max_allocation));
    if (blocked_bytes(problem) > facts_.max_allocation)
      throw DeviceError(
          fmt::format("{}: {} are more than the device allocates at once ({} bytes); search with "
                      "fewer at a time, or use --device cpu",
                      name(), counted(problem.queries->n_rows(), "query"), facts_.max_allocation));
    return with_cl_memory_errors(name(), [&] {
      // Kernels are built, or refused, before memory is taken; and none of this holds up a lane that is being
      // opened.
      const std::shared_ptr<Packed> packed = pack(problem);
      const LaneSizes lane = sizes(problem, plan(problem).lanes, tile_blocks);
      // A driver opens them one after the other anyway: in this order the first one can begin at once, and
      // has what memory there is.
      const std::lock_guard lock(opening_);
      try {
        auto made = make_opencl_lane(
            context_, problem, lane, pools_.take(problem, lane), maker_of(packed),
            [this](const Problem& asked) { return maker_of(pack(asked)); }, !packed->warm);
        packed->warm = true;
        return made;
      } catch (const cl::Error&) {
        pools_.drop_free();  // a smaller tile may need the room
        throw;
      }
    });
  }

 private:
  // What was packed last: a problem's lanes share it, and may outlive who asked for it first.
  struct Packed {
    ProfileRows queries;
    Problem problem;  // with these queries
    ComparerMaker maker;
    bool warm = false;  // a lane has run its kernels; under opening_

    explicit Packed(const Problem& asked) : queries(*asked.queries), problem(asked) {
      problem.queries = &queries;
    }
    bool serves(const Problem& asked) const {
      return asked.comparison == problem.comparison && asked.database == problem.database &&
             asked.has_called == problem.has_called && *asked.queries == queries;
    }
  };
  std::shared_ptr<Packed> pack(const Problem& asked) {
    const std::lock_guard lock(packing_);
    if (packed_ == nullptr || !packed_->serves(asked)) {
      packed_.reset();  // its memory is for the next
      const auto made = std::make_shared<Packed>(asked);
      made->maker = kernels_.kernels_for(made->problem).pack(context_, made->problem);
      packed_ = made;
    }
    return packed_;
  }
  static ComparerMaker maker_of(std::shared_ptr<const Packed> packed) {
    return [packed = std::move(packed)](const DeviceTile& tile) { return packed->maker(tile); };
  }

  // While bars are open, every pair is a candidate.
  static std::size_t first_blocks(std::size_t n_queries) {
    return std::clamp<std::size_t>(kFirstCandidates / (kLanes * std::max<std::size_t>(1, n_queries)), 1,
                                   kFirstTileBlocks);
  }

  LaneSizes sizes(const Problem& problem, std::size_t lanes, std::size_t tile_blocks) const {
    return {tile_blocks, candidates(problem), std::clamp<std::size_t>(tuning_.pairs, 1, UINT32_MAX),
            kept_blocks(problem, lanes, tile_blocks)};
  }

  std::size_t kept_blocks(const Problem& problem, std::size_t lanes, std::size_t tile_blocks) const {
    const std::uint64_t tiles = std::uint64_t{kKeptTiles} * tile_blocks;
    const std::uint64_t share = ceil_div<std::uint64_t>(problem.database.n_blocks(), kKeptShare);
    const bool roomy = share > tiles && all_fit(problem, lanes, tile_blocks, share);
    return static_cast<std::size_t>(std::min<std::uint64_t>(most_blocks(problem), roomy ? share : tiles));
  }

  // Whether the whole database fits beside the lanes, each of which may have filled a part of what it took
  // last: room for `kept` blocks.
  bool all_fit(const Problem& problem, std::size_t lanes, std::size_t tile_blocks, std::uint64_t kept) const {
    const std::uint64_t block =
        problem.database.block_bytes() * (problem.has_called ? 2 : 1) + sizeof(std::uint64_t);
    const std::uint64_t weights = kLanes * sizeof(Word);  // of what is compared at a time
    const std::uint64_t a_lane =
        query_bytes(problem) + pair_bytes(problem) + (tile_blocks + kept) * (block + weights);
    return problem.database.n_blocks() * block + lanes * a_lane <= budget();
  }

  // All threads but the lanes', which help while they wait for their own tiles, and one for the driver.
  std::size_t readers(std::size_t lanes) const {
    const std::size_t threads = host().threads, taken = lanes + 1;
    return context_.unified_memory || threads <= taken ? 0 : std::min(threads - taken, kMostReaders);
  }

  // A part of a lane's share of the budget; below kLeast, a pass over the database would bring too little.
  std::size_t most_queries(const Problem& problem, std::size_t lanes) const {
    if (tuning_.queries != 0) return tuning_.queries;
    constexpr std::uint64_t kShare = 4, kLeast = 256;
    const std::uint64_t n = std::max<std::uint64_t>(1, problem.queries->n_rows());
    const std::uint64_t room = std::min(budget() / (kShare * lanes), facts_.max_allocation);
    return static_cast<std::size_t>(std::max(kLeast, room / ceil_div(query_bytes(problem), n)));
  }

  bool keeps(const Problem& problem, std::size_t lanes, std::size_t tile_blocks) const {
    return !context_.unified_memory &&
           all_fit(problem, lanes, tile_blocks, kept_blocks(problem, lanes, tile_blocks));
  }

  model::HostRates host() const {
    return {.threads = options_.threads != 0 ? options_.threads : available_cpus()};
  }

  model::DeviceTraits traits() const {
    return model::run_traits(facts_, kernels_.config().get(),
                             facts_.type != "CPU" && !context_.unified_memory);
  }

  std::uint64_t budget() const {
    return std::min(options_.memory.value_or(UINT64_MAX),
                    facts_.global_memory / (facts_.unified_memory ? 4 : 2));
  }

  std::uint64_t query_bytes(const Problem& problem) const {
    const auto config = kernels_.config();
    if (config == nullptr || config->matrix == 0) return blocked_bytes(problem);
    return std::max(blocked_bytes(problem), matrix_bytes(problem, matrix_shape(problem, *config)));
  }

  // What a lane's tile may take when `lanes` share the budget.
  std::uint64_t bytes_for_tile(const Problem& problem, std::size_t lanes) const {
    const std::uint64_t share = budget() / lanes;
    const std::uint64_t fixed = query_bytes(problem) + pair_bytes(problem);
    if (share <= fixed) return 0;
    const std::uint64_t block = std::max<std::uint64_t>(1, problem.database.block_bytes());
    return (share - fixed) / (block + kBlockedBytesABlock) *
           block;  // for the tile, its profiles' weights apart
  }

  // Some hundred for each query, within a small part of the budget.
  std::size_t candidates(const Problem& problem) const {
    if (tuning_.candidates != 0) return tuning_.candidates;
    constexpr std::uint64_t kAQuery = 512, kFew = std::uint64_t{1} << 18, kMost = std::uint64_t{1} << 20;
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 12;  // whatever the budget
    const std::uint64_t n = std::max<std::size_t>(1, problem.queries->n_rows());
    const std::uint64_t room =
        std::min(budget() / kCandidateShare, facts_.max_allocation) / sizeof(Candidate);
    const std::uint64_t wanted = std::max(kLeast, std::min(std::clamp(n * kAQuery, kFew, kMost), room));
    const std::uint64_t all = checked_mul(n, std::max<std::uint64_t>(1, problem.database.n_profiles));
    return static_cast<std::size_t>(std::min(wanted, all));
  }

  // What a lane has on the device to find pairs: those that passed, those that pass in the end, and the
  // tallies, which are its own where queries are too many to share them.
  std::uint64_t pair_bytes(const Problem& problem) const {
    return 2 * candidates(problem) * sizeof(Candidate) + PassTallies::bytes(problem.queries->n_rows());
  }

  // Blocks of one plane that the device allocates at once, with their checksums, and whose profiles it can
  // number.
  std::size_t most_blocks(const Problem& problem) const {
    const std::uint64_t block = problem.database.block_bytes() + sizeof(std::uint64_t);
    constexpr std::uint64_t kMostProfiles = std::uint64_t{1} << 31, kPadding = kTilePadding * sizeof(Word);
    const std::uint64_t room = std::max(facts_.max_allocation, kPadding) - kPadding;
    return static_cast<std::size_t>(std::min<std::uint64_t>(room / block, kMostProfiles / kLanes));
  }

  DeviceFacts facts_;
  EngineOptions options_;
  OpenClTuning tuning_;
  OpenClContext context_;
  KernelBuilder kernels_;
  LanePools pools_;
  std::mutex opening_, packing_;
  std::shared_ptr<Packed> packed_;  ///< under packing_
};

// Everybody called everywhere: the plainest kernel.
MatrixReport prove_on(const OpenClDevice& device, const OpenClContext& context) {
  constexpr std::size_t kQueries = 32, kSites = 1024;
  const OpenClTuning tuning{.micro_kernel = MicroKernel::kMatrix};
  KernelBuilder kernels(context, device.facts, configs_for(device.facts, {}, tuning), false, tuning);
  if (const auto config = kernels.config(); config == nullptr || config->matrix == 0) return {};
  ProfileRows queries(kQueries, kSites);
  for (std::size_t query = 0; query < kQueries; ++query)
    for (std::uint32_t site = 0; site < kSites; ++site) queries.set(query, site, false);
  kernels.kernels_for({Comparison::kIdentity, &queries, {kQueries, kSites}, false});
  return {true, kernels.matrix_fault()};
}

}  // namespace

MatrixReport prove_matrix_kernel(const DeviceFacts& facts) {
  try {
    const OpenClDevice device = select_opencl_device(facts.selector);
    return prove_on(device, context_for(device.facts, device.device, {}));
  } catch (const DeviceError& error) {
    return {true, error.what()};
  }
}

std::unique_ptr<Engine> make_opencl_engine(const std::string& selector, const EngineOptions& options,
                                           const OpenClTuning& tuning) {
  return std::make_unique<OpenClEngine>(select_opencl_device(selector), options, tuning);
}

}  // namespace fastid
