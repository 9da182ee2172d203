// The OpenCL engine: finds a device's config, builds its kernel once for each problem, and plans lanes.
#include "opencl/opencl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "opencl/comparer.hpp"
#include "opencl/devices.hpp"
#include "opencl/embedded.hpp"
#include "opencl/opencl_lane.hpp"
#include "opencl/programs.hpp"
#include "opencl/registry.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPlaneBytes = 8 * kMiB;   // of a tile; uploads reach 97 % of their best rate
constexpr std::uint64_t kLeastPlaneBytes = kMiB;  // of a tile, while there are lanes to give up
constexpr std::size_t kMostLanes = 12;            // more threads read no faster, and wait for one another
constexpr std::size_t kCpuLanes = 2;              // a driver for the CPU needs its threads for comparing
constexpr std::size_t kFirstTileBlocks = 8;       // while bars are open, every pair is a candidate
constexpr std::size_t kLeastCandidates = std::size_t{1} << 12, kMostCandidates = std::size_t{1} << 20;

// A problem's kernel as it was built: compare.cl by a config, or compare_ref.cl.
struct Kernels {
  cl::Program program;
  std::optional<BlockedShape> shape;  ///< none: compare_ref.cl
};

std::string text_of(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.path == path) return std::string(file.text);
  throw Failure(fmt::format("{} is not part of this program", path));
}

// PoCL keeps what it builds itself, and to give a binary away it builds the program a second time.
bool keeps_programs(const DeviceFacts& facts) {
  return facts.platform == "Portable Computing Language";
}

class OpenClEngine final : public Engine {
 public:
  OpenClEngine(OpenClDevice device, const EngineOptions& options, const OpenClTuning& tuning)
      : facts_(std::move(device.facts)),
        options_(options),
        tuning_(tuning),
        cache_(keeps_programs(facts_) ? ProgramCache("") : ProgramCache::from_environment()),
        configs_(configs_for(facts_, options, tuning)) {
    context_.name = "opencl:" + facts_.selector;
    context_.device = device.device;
    context_.unified_memory = facts_.unified_memory && !tuning.own_memory;
    context_.context = with_cl_errors(context_.name, [&] { return cl::Context(device.device); });
  }

  std::string name() const override { return context_.name; }
  std::string description() const override {
    return fmt::format("OpenCL engine, {} ({}), driver {}, config {}", facts_.device, facts_.platform,
                       facts_.driver, configs_.empty() ? "none" : configs_.front().name);
  }

  // The tile shrinks before lanes go, and no more lanes are opened than have a few tiles each.
  LanePlan plan(const Problem& problem) const override {
    const std::uint64_t planes = problem.has_called ? 2 : 1;
    const std::uint64_t tile_bytes = planes * kPlaneBytes;
    std::size_t lanes = options_.buffers.value_or(wanted_lanes(problem, tile_bytes));
    while (!options_.buffers && lanes > 1 && bytes_for_tile(problem, lanes) < planes * kLeastPlaneBytes)
      lanes /= 2;
    const std::uint64_t bytes = std::min(tile_bytes, bytes_for_tile(problem, lanes));
    const std::size_t wanted = tile_blocks_for(problem, options_, static_cast<std::size_t>(bytes));
    const std::size_t tile = std::max<std::size_t>(1, std::min(wanted, most_blocks(problem)));
    return {lanes, tile, options_.tile_blocks ? tile : std::min(tile, kFirstTileBlocks)};
  }

  // The slowest pipe's rate, after the config's hardware numbers.
  DevicePeaks peaks() const override {
    if (configs_.empty()) return {};
    const KernelConfig& c = configs_.front();
    const double clocks = 1e6 * (c.hw_clock_mhz != 0 ? c.hw_clock_mhz : facts_.clock_mhz) *
                          (c.hw_compute_units != 0 ? c.hw_compute_units : facts_.compute_units);
    const double chunk = 1 << c.carry_levels;
    const double logic_a_word = 1 + 2 * (1 - 1 / chunk);  // the comparison, and full adders
    const double words = std::min(c.hw_popcounts * chunk, c.hw_logic / logic_a_word);
    return {clocks * words * kWordBits, 1e6 * c.hw_upload_mbytes};
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
    const Kernels kernels = kernels_for(problem);
    const LaneSizes sizes{tile_blocks, candidates(problem),
                          std::clamp<std::size_t>(tuning_.pairs, 1, UINT32_MAX)};
    return with_cl_memory_errors(name(), [&] {
      return make_opencl_lane(context_, problem, sizes, [&](const DeviceTile& tile) {
        if (kernels.shape)
          return make_blocked_comparer(context_.context, kernels.program, problem, *kernels.shape, tile);
        return make_plain_comparer(context_.context, context_.device, kernels.program, problem, tile);
      });
    });
  }

 private:
  // Those that the device can run, best first. A config that the user names is the only one.
  static std::vector<KernelConfig> configs_for(const DeviceFacts& facts, const EngineOptions& options,
                                               const OpenClTuning& tuning) {
    std::vector<KernelConfig> configs;
    if (!options.config_file.empty() || !tuning.config.empty()) {
      configs.push_back(options.config_file.empty() ? embedded_config(tuning.config)
                                                    : read_config(options.config_file));
      const std::string reason = unfit_reason(configs.front(), facts);
      if (!reason.empty())
        throw DeviceError(
            fmt::format("opencl:{}: cannot run config {}: {}; choose another, or leave --config out",
                        facts.selector, configs.front().source, reason));
      return configs;
    }
    for (const ConfigLink& link : config_chain(facts))
      if (link.unfit.empty()) configs.push_back(embedded_config(link.config));
    return configs;
  }

  bool config_is_chosen() const { return !options_.config_file.empty() || !tuning_.config.empty(); }

  std::size_t wanted_lanes(const Problem& problem, std::uint64_t tile_bytes) const {
    if (facts_.type == "CPU") return kCpuLanes;
    constexpr std::uint64_t kTilesALane = 4;
    const std::size_t threads = options_.threads != 0 ? options_.threads : available_cpus();
    const std::uint64_t bytes =
        problem.database.n_blocks() * problem.database.block_bytes() * (problem.has_called ? 2 : 1);
    const std::uint64_t useful = std::max<std::uint64_t>(2, bytes / (kTilesALane * tile_bytes));
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(useful, std::clamp<std::size_t>(threads, 2, kMostLanes)));
  }

  std::uint64_t budget() const {
    return std::min(options_.memory.value_or(UINT64_MAX),
                    facts_.global_memory / (facts_.unified_memory ? 4 : 2));
  }

  // What a lane's tile may take when `lanes` share the budget.
  std::uint64_t bytes_for_tile(const Problem& problem, std::size_t lanes) const {
    const std::uint64_t share = budget() / lanes;
    const std::uint64_t fixed = blocked_bytes(problem) + candidates(problem) * sizeof(Candidate);
    if (share <= fixed) return 0;
    const std::uint64_t block = std::max<std::uint64_t>(1, problem.database.block_bytes());
    return (share - fixed) / (block + kBlockedBytesABlock) *
           block;  // for the tile, its profiles' weights apart
  }

  // As many as the first tile can bring, within a small part of the budget.
  std::size_t candidates(const Problem& problem) const {
    if (tuning_.candidates != 0) return tuning_.candidates;
    const std::uint64_t wanted = std::uint64_t{problem.queries->n_rows()} * kLanes * kFirstTileBlocks;
    const std::uint64_t room =
        std::min(budget() / (8 * kMostLanes), facts_.max_allocation) / sizeof(Candidate);
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(std::min(wanted, room), kLeastCandidates, kMostCandidates));
  }

  // Blocks of one plane that the device allocates at once, and whose profiles it can number.
  std::size_t most_blocks(const Problem& problem) const {
    const std::uint64_t block = std::max<std::uint64_t>(1, problem.database.block_bytes());
    constexpr std::uint64_t kMostProfiles = std::uint64_t{1} << 31;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(facts_.max_allocation / block, kMostProfiles / kLanes));
  }

  // Built once for each kind of problem.
  Kernels kernels_for(const Problem& problem) {
    const std::lock_guard lock(guard_);
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      if (tuning_.plain || configs_[i].micro_kernel == 0 || problem.database.n_sites >= kMostSites) break;
      const BlockedShape shape = blocked_shape(problem, configs_[i], facts_.local_memory);
      const ProgramSource source{
          config_defines(shape.config) + text_of("kernels/config_check.h") + text_of("kernels/compare.cl"),
          blocked_options(problem, shape), "compare"};
      if (i + 1 == configs_.size() && config_is_chosen()) return {program(source), shape};
      try {
        return {program(source), shape};
      } catch (const KernelBuildError& error) {
        log::warn("config {} is left out: {}", configs_[i].name, error.what());
        configs_.erase(configs_.begin() + static_cast<std::ptrdiff_t>(i--));
      }
    }
    return {program({text_of("kernels/compare_ref.cl"), plain_options(problem), "compare_ref"}),
            std::nullopt};
  }

  cl::Program program(const ProgramSource& source) {
    const std::string key = program_key(source, facts_);
    const auto known = programs_.find(key);
    if (known != programs_.end()) return known->second;
    return programs_[key] = with_cl_errors(name(), [&] {
             return build_program(context_.context, context_.device, facts_, source, cache_);
           });
  }

  static constexpr std::uint32_t kMostSites = INT32_MAX;  ///< that compare.cl counts: it needs a sign

  DeviceFacts facts_;
  EngineOptions options_;
  OpenClTuning tuning_;
  ProgramCache cache_;
  OpenClContext context_;
  std::mutex guard_;
  std::vector<KernelConfig> configs_;  ///< first: the one in use
  std::map<std::string, cl::Program> programs_;
};

}  // namespace

std::unique_ptr<Engine> make_opencl_engine(const std::string& selector, const EngineOptions& options,
                                           const OpenClTuning& tuning) {
  return std::make_unique<OpenClEngine>(select_opencl_device(selector), options, tuning);
}

}  // namespace fastid
