// The native engine: what it compares with, and a lane for each thread.
#include "engine/cpu_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/threads.hpp"
#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_lane.hpp"
#include "engine/cpu/lookup_pass.hpp"
#include "engine/cpu/matrix_pass.hpp"

namespace fastid {
namespace {

constexpr std::size_t kTileBytes = std::size_t{512} << 10;  // both planes; half of a 1 MiB L2

/// Instructions that an engine keeps to.
struct Target {
  std::string kernel_target;
  const KernelTable& kernels;
  bool matrix = false;  ///< has_matrix_unit(), and it may be used

  std::string description() const {
    return matrix ? fmt::format("{} and {}", kernel_target, kMatrixTarget) : kernel_target;
  }
};

Target best_target() {
  return {best_kernel_target(), best_kernels(), has_matrix_unit()};
}

Target target_of(const std::string& name) {
  if (name == kMatrixTarget && has_matrix_unit()) return best_target();
  const KernelTable* const kernels = kernels_of(name);
  if (kernels == nullptr) throw DeviceError("no instruction set " + name + " here");
  return {name, *kernels};
}

bool takes_matrix(const Problem& problem, const Target& target, UsePass use) {
  return target.matrix && MatrixPass::serves(problem) &&
         (use == UsePass::kAlways || MatrixPass::pays(problem));
}

bool takes_lookups(const Problem& problem, const Target& target, UsePass use) {
  const LookupKernels* const kernels = target.kernels.lookup;
  return LookupPass::serves(problem, kernels) &&
         (use == UsePass::kAlways || LookupPass::pays(problem, *kernels));
}

class CpuEngine final : public Engine {
 public:
  CpuEngine(Target target, const EngineOptions& options, UsePass use = UsePass::kWhereItPays)
      : target_(std::move(target)), options_(options), use_pass_(use) {
    if (options_.threads == 0) options_.threads = available_cpus();
  }

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, {}, {} thread{}", target_.description(), options_.threads,
                       options_.threads == 1 ? "" : "s");
  }

  // A tile for each thread at least, so that a small database still keeps them all busy.
  LanePlan plan(const Problem& problem) const override {
    const std::uint64_t share = options_.memory.value_or(UINT64_MAX) / options_.threads;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kTileBytes, share));
    std::size_t tile = tile_blocks_for(problem, options_, bytes);
    if (!options_.tile_blocks && takes_matrix(problem, target_, use_pass_))
      tile = std::max(tile, std::min(MatrixPass::fewest_blocks(), tile_blocks_for(problem, options_, share)));
    const std::uint64_t blocks = std::max<std::uint64_t>(1, problem.database.n_blocks());
    if (!options_.tile_blocks)
      tile = static_cast<std::size_t>(
          std::min<std::uint64_t>(tile, ceil_div<std::uint64_t>(blocks, options_.threads)));
    const std::uint64_t tiles = ceil_div<std::uint64_t>(blocks, tile);
    const auto lanes = static_cast<std::size_t>(std::min<std::uint64_t>(options_.threads, tiles));
    return {.lanes = lanes,
            .tile_blocks = tile,
            .first_tile_blocks =
                options_.tile_blocks ? tile : std::min(ceil_div<std::size_t>(tile, 2), kOpeningBlocks)};
  }

  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    return make_cpu_lane(prepared(problem), problem, tile_blocks);
  }

 private:
  // Lanes of one problem share what is prepared of it, which lives as long as one of the lanes does.
  std::shared_ptr<const PreparedQueries> prepared(const Problem& problem) {
    const std::lock_guard lock(guard_);
    auto made = prepared_.lock();
    const bool same = made && made->from == problem.queries && made->packed.which() == kernel_case(problem);
    if (!same) prepared_ = made = prepare(problem);
    return made;
  }

  std::shared_ptr<const PreparedQueries> prepare(const Problem& problem) const {
    auto made = std::make_shared<PreparedQueries>(problem, target_.kernels, use_pass_);
    if (takes_matrix(problem, target_, use_pass_))
      made->matrix = std::make_shared<const MatrixQueries>(problem);
    if (takes_lookups(problem, target_, use_pass_))
      made->tables = std::make_shared<const LookupTables>(problem, target_.kernels.lookup->shape);
    return made;
  }

  Target target_;
  EngineOptions options_;
  UsePass use_pass_;
  std::mutex guard_;
  std::weak_ptr<const PreparedQueries> prepared_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) {
  return std::make_unique<CpuEngine>(best_target(), options);
}

std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            UsePass use) {
  return std::make_unique<CpuEngine>(target_of(target), options, use);
}

std::string cpu_engine_target() {
  return cpu_engine_targets().front();
}

std::vector<std::string> cpu_engine_targets() {
  std::vector<std::string> targets = kernel_targets();
  if (has_matrix_unit()) targets.insert(targets.begin(), std::string(kMatrixTarget));
  return targets;
}

}  // namespace fastid
