// The OpenCL engine: two lanes, so that one tile is read and sent while another is compared.
#include "opencl/opencl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel_source.hpp"
#include "opencl/opencl_lane.hpp"

namespace fastid {
namespace {

constexpr std::size_t kLanesOpen = 2;
constexpr std::uint64_t kTileBytes = std::uint64_t{32}
                                     << 20;  // both planes; uploads are at full speed from 16 MiB on

// As FASTID_MASK of compare_ref.cl has it.
int mask_of(const Problem& problem) {
  if (problem.has_called) return 2;
  return problem.queries->all_called() ? 0 : 1;
}

class OpenClEngine final : public Engine {
 public:
  OpenClEngine(OpenClDevice device, const EngineOptions& options, const OpenClTuning& tuning)
      : facts_(std::move(device.facts)), options_(options), tuning_(tuning) {
    context_.name = "opencl:" + facts_.selector;
    context_.device = device.device;
    context_.context = with_cl_errors(context_.name, [&] { return cl::Context(device.device); });
  }

  std::string name() const override { return context_.name; }
  std::string description() const override {
    return fmt::format("OpenCL engine, {} ({}), driver {}", facts_.device, facts_.platform, facts_.driver);
  }

  LanePlan plan(const Problem& problem) const override {
    const std::uint64_t budget = std::min(options_.memory.value_or(UINT64_MAX), facts_.global_memory / 2);
    const std::uint64_t bytes = std::min(kTileBytes, budget / kLanesOpen);
    const std::size_t wanted = tile_blocks_for(problem, options_, static_cast<std::size_t>(bytes));
    const std::size_t tile = std::max<std::size_t>(1, std::min(wanted, most_blocks(problem)));
    return {kLanesOpen, tile, options_.tile_blocks ? tile : 1};
  }

  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    if (tile_blocks > most_blocks(problem))
      throw DeviceError(
          fmt::format("{}: a tile of {} is more than the device allocates at once ({} bytes); use a "
                      "smaller one, or --device cpu",
                      name(), counted(tile_blocks, "block"), facts_.max_allocation));
    return with_cl_errors(
        name(), [&] { return make_opencl_lane(context_, program(problem), problem, tile_blocks, tuning_); });
  }

 private:
  // Blocks of one plane that the device allocates at once, and whose profiles it can number.
  std::size_t most_blocks(const Problem& problem) const {
    const std::uint64_t block = std::max<std::uint64_t>(1, problem.database.block_bytes());
    constexpr std::uint64_t kMostProfiles = std::uint64_t{1} << 31;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(facts_.max_allocation / block, kMostProfiles / kLanes));
  }

  // Built once for each comparison and mask.
  cl::Program program(const Problem& problem) {
    const std::lock_guard lock(guard_);
    const auto key = std::pair(static_cast<int>(problem.comparison), mask_of(problem));
    const auto known = programs_.find(key);
    if (known != programs_.end()) return known->second;
    cl::Program program(context_.context, std::string(compare_ref_source));
    const std::string flags =
        fmt::format("-cl-std=CL1.2 -D FASTID_COMPARISON={} -D FASTID_MASK={}", key.first, key.second);
    program.build({context_.device}, flags.c_str());
    return programs_[key] = program;
  }

  DeviceFacts facts_;
  EngineOptions options_;
  OpenClTuning tuning_;
  OpenClContext context_;
  std::mutex guard_;
  std::map<std::pair<int, int>, cl::Program> programs_;
};

}  // namespace

std::unique_ptr<Engine> make_opencl_engine(const std::string& selector, const EngineOptions& options,
                                           const OpenClTuning& tuning) {
  return std::make_unique<OpenClEngine>(select_opencl_device(selector), options, tuning);
}

}  // namespace fastid
