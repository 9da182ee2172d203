// The CPU engine: what it compares with, and a worker for each thread.
#include "engine/cpu_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/process.hpp"
#include "engine/cpu/cpu_kernel.hpp"
#include "engine/cpu/cpu_matrix.hpp"
#include "engine/cpu/cpu_worker.hpp"
#include "engine/cpu/lookup_pass.hpp"
#include "engine/tile_worker.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kTileBytes = std::size_t{512} << 10;  // both planes; half of a 1 MiB L2

bool looks_up(const Problem& problem, const KernelTable& kernels, LookUp look_up) {
  return LookupPass::serves(problem, kernels) && (look_up == LookUp::kAlways || LookupPass::pays(problem));
}

class PreparedForCpu final : public PreparedQueries {
 public:
  PreparedForCpu(const Problem& problem, const KernelTable& kernels, LookUp look_up, Multiply multiply)
      : queries_{problem,     kernels, PackedQueries(problem), std::nullopt, look_up == LookUp::kAlways,
                 std::nullopt} {
    if (looks_up(problem, kernels, look_up))
      queries_.tables.emplace(problem, kernels.lookup_of(kernel_case(problem))->shape);
    if (MatrixQueries::multiplied(problem, multiply) > 0) queries_.factors.emplace(problem, multiply);
  }

  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return make_cpu_worker(queries_, tile_blocks);
  }

 private:
  CpuQueries queries_;
};

class CpuEngine final : public Engine {
 public:
  CpuEngine(std::string target, const KernelTable& kernels, const EngineOptions& options, LookUp look_up,
            Multiply multiply)
      : target_(std::move(target)),
        kernels_(kernels),
        options_(options),
        look_up_(look_up),
        multiply_(multiply) {
    if (multiply == Multiply::kAlways && !cpu_multiplies_bytes())
      throw DeviceError("this CPU has no unit for matrices of bytes");
    options_.threads = threads_or_all(options_.threads);
  }

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, {}, {} thread{}", target_, options_.threads,
                       options_.threads == 1 ? "" : "s");
  }

  // A tile for each thread at least, so that a small database still keeps them all busy.
  WorkPlan plan(const Problem& problem) const override { return tile_plan(problem, options_, kTileBytes); }

  // Describes bit counting even where AMX may replace it: the tiles' thresholds and missing calls decide.
  KernelStep step(const Problem& problem) const override {
    if (looks_up(problem, kernels_, look_up_)) return {};  // which count no bits
    const KernelCase which = kernel_case(problem);
    const std::size_t rows = std::min(kMaxGroup, std::bit_ceil(problem.queries->n_rows()));
    return kernel_step({rows, static_cast<double>(counted_words(which))},
                       {kLanes, reads_second(which) ? 2.0 : 1.0},
                       counts_both_alleles(which) ? terms_in_few_words(which).n_count : 1);
  }

  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan&) override {
    return std::make_unique<PreparedForCpu>(problem, kernels_, look_up_, multiply_);
  }

 private:
  std::string target_;
  const KernelTable& kernels_;
  EngineOptions options_;
  LookUp look_up_;
  Multiply multiply_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) {
  return std::make_unique<CpuEngine>(cpu_engine_units(), best_kernels(), options, LookUp::kWhereItPays,
                                     Multiply::kWhereItPays);
}

std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            LookUp look_up, Multiply multiply) {
  const KernelTable* const kernels = kernels_of(target);
  if (kernels == nullptr) throw DeviceError("no instruction set " + target + " here");
  return std::make_unique<CpuEngine>(target, *kernels, options, look_up, multiply);
}

std::string cpu_engine_target() {
  return best_kernel_target();
}

std::string cpu_engine_units() {
  return best_kernel_target() + (cpu_multiplies_bytes() ? " and AMX" : "");
}

std::vector<std::string> cpu_engine_targets() {
  return kernel_targets();
}

}  // namespace fastid::engine
