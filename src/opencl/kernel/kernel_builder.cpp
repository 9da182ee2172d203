#include "opencl/kernel/kernel_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/log.hpp"
#include "engine/kernel_case.hpp"
#include "engine/weighted_count.hpp"
#include "model/stated_traits.hpp"
#include "opencl/device_configs.hpp"
#include "opencl/kernel/case_macros.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/proof.hpp"
#include "opencl/kernel/screener.hpp"
#include "opencl/kernel/weigher.hpp"
#include "opencl/kernel/worker_proofs.hpp"
#include "opencl/problem_work.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostCount = INT32_MAX;  // kernels need a count's sign bit

/// \param macros  that its files take besides case_macros()
ProgramSource source_of(const model::KernelConfig& config, const engine::Problem& problem,
                        const std::string& macros, std::initializer_list<std::string_view> files,
                        std::string options) {
  return {model::config_defines(config) + case_macros(engine::kernel_case(problem)) + macros +
              text_of({"kernels/config_check.h", "kernels/common.h", "kernels/found.h",
                       "kernels/block_checksum.h", "kernels/pair.h"}) +
              text_of(files),
          std::move(options), "compare"};
}

}  // namespace

KernelBuilder::KernelBuilder(const OpenClContext& context, std::vector<model::KernelConfig> configs,
                             bool is_chosen, const OpenClTuning& tuning)
    : context_(context),
      facts_(context_.on.facts),
      is_chosen_(is_chosen),
      tuning_(tuning),
      cache_(tuning.keep_programs ? program_cache(facts_) : ProgramCache("")) {
  for (model::KernelConfig& config : configs) {
    if (config.hw_compute_units == 0) config.hw_compute_units = std::max(1u, facts_.compute_units);
    configs_.push_back(std::make_shared<const model::KernelConfig>(std::move(config)));
  }
}

std::shared_ptr<const model::KernelConfig> KernelBuilder::config() const {
  const std::lock_guard lock(known_);
  return configs_.empty() ? nullptr : configs_.front();
}

std::string KernelBuilder::matrix_fault() const {
  const std::lock_guard lock(known_);
  return matrix_fault_;
}

std::vector<QueryGroup> KernelBuilder::build_and_pack(const engine::Problem& problem, std::size_t threads) {
  const QueriesByKernel queries = split_queries(problem);
  std::vector<QueryGroup> groups;
  if (queries.compared)
    groups.push_back({*queries.compared, queries.compared_places(),
                      pack_compared(compare_program(*queries.compared), *queries.compared, threads)});
  if (queries.screen != nullptr && problem.queries->n_rows() > 0)
    groups.push_back(
        {problem,
         {},
         pack_screen(context_.context, screen_program(problem.queries->n_rows()), problem, *queries.screen)});
  if (queries.weighted != nullptr && !queries.weighted->weighted().empty())
    groups.push_back({problem, queries.weighted_places(),
                      pack_weights(context_.context, weigh_program(problem), problem, *queries.weighted)});
  return groups;
}

// The kernel of the first config that builds one: compare_matrix.cl where that is expected to be faster and
// the device proves it, else compare.cl.
CompareProgram KernelBuilder::compare_program(const engine::Problem& problem) {
  const std::lock_guard lock(building_);
  if (engine::most_count(problem) >= kMostCount)
    throw DeviceError(fmt::format("{}: no kernel counts {} sites; use --device cpu", context_.on.name(),
                                  problem.database.n_sites));
  while (const auto config = this->config()) {
    if (auto built = by_matrix(problem, *config)) return *std::move(built);
    try {
      return by_popcounts(problem, *config);
    } catch (const KernelBuildError& error) {
      if (is_chosen_) throw;
      log::warn("config {} is left out: {}", config->name, error.what());
      const std::lock_guard short_lock(known_);
      configs_.pop_front();
    }
  }
  throw DeviceError(
      fmt::format("{}: no config builds a kernel for it; use --device cpu", context_.on.name()));
}

double KernelBuilder::expected_seconds(const engine::Problem& problem) const {
  const auto config = this->config();
  if (config == nullptr) return 0;
  const model::DeviceTraits traits = model::run_traits(facts_, config.get(), false);
  const QueriesByKernel queries = split_queries(problem);
  double seconds = queries.compared ? seconds_of(*config, *queries.compared) : 0;
  if (queries.screen != nullptr) seconds += model::compare_seconds(*config, traits, workload_of(problem));
  if (queries.weighted != nullptr)
    seconds += model::compare_seconds(*config, traits, weigh_work_of(problem, *queries.weighted));
  return seconds;
}

engine::KernelStep KernelBuilder::step(const engine::Problem& problem) const {
  const auto config = this->config();
  if (config == nullptr) return {};
  const MatrixShape shape = matrix_shape(problem, *config);
  return wants_matrix(problem, *config, shape) ? matrix_step(problem, shape) : blocked_step(problem, *config);
}

double KernelBuilder::seconds_of(const model::KernelConfig& config, const engine::Problem& problem) const {
  const MatrixShape shape = matrix_shape(problem, config);
  const bool matrix = wants_matrix(problem, config, shape);
  return model::compare_seconds(config, model::run_traits(facts_, &config, false),
                                kernel_work_of(problem, config, matrix ? &shape : nullptr));
}

bool KernelBuilder::wants_matrix(const engine::Problem& problem, const model::KernelConfig& config,
                                 const MatrixShape& shape) const {
  if (config.matrix == 0 || !matrix_fault().empty() || problem.database.n_sites == 0) return false;
  if (problem.queries->n_rows() == 0) return false;
  if (config.matrix == kPtxMatrix && !has_ptx(facts_)) return false;
  if (matrix_bytes(problem, shape) > facts_.max_allocation || config.matrix_items() > facts_.max_group_items)
    return false;
  if (tuning_.micro_kernel) return *tuning_.micro_kernel == model::MicroKernel::kMatrix;
  return model::matrix_is_faster(config, model::run_traits(facts_, &config, false),
                                 kernel_work_of(problem, config, nullptr),
                                 kernel_work_of(problem, config, &shape));
}

// Has a worker of the device solve a small problem.
template <class MakeProof, class Pack>
void KernelBuilder::prove(const ProgramSource& source, std::string_view answers, const MakeProof& make_proof,
                          const Pack& pack) {
  opencl::prove(context_.on, source, answers, [&] {
    const auto proof = make_proof();
    const auto n_blocks = static_cast<std::size_t>(proof.problem().database.n_blocks());
    const auto memory =
        std::make_shared<MemoryPool>(context_.context, context_.on.device, context_.unified_memory, 1)
            ->take(memory_sizes(proof.problem(), n_blocks, proof.n_pairs()));
    const std::vector<QueryGroup> groups = {{proof.problem(), {}, pack(proof)}};
    return proof.is_solved_by(*make_opencl_worker(context_, groups, n_blocks, UINT32_MAX, memory, true));
  });
}

// None if compare.cl is to be used: because it is expected to be faster, or because the device cannot use
// the matrix kernel, which is then not tried again.
std::optional<CompareProgram> KernelBuilder::by_matrix(const engine::Problem& problem,
                                                       const model::KernelConfig& config) {
  const MatrixShape shape = matrix_shape(problem, config);
  if (!wants_matrix(problem, config, shape)) return std::nullopt;
  std::optional<CompareProgram> proved;
  const auto make = [&] {
    const ProgramSource source =
        source_of(config, problem, matrix_macros(engine::kernel_case(problem), shape.exact),
                  {"kernels/matrix_product.h", "kernels/compare_matrix.cl"}, matrix_options(problem, shape));
    const CompareProgram built{context_.on, context_.context, program(source), shape};
    prove(
        source, "pairs of profiles by matrix products", [&] { return MatrixProof(problem, shape); },
        [&](const MatrixProof& proof) { return pack_compared(built, proof.problem(), 1); });
    proved = built;
  };
  if (std::string fault = try_kernel(make, false); !fault.empty()) {
    const std::lock_guard lock(known_);
    matrix_fault_ = std::move(fault);
  }
  if (proved) uses_matrix_ = true;
  return proved;
}

CompareProgram KernelBuilder::by_popcounts(const engine::Problem& problem,
                                           const model::KernelConfig& config) {
  const BlockedShape shape = blocked_shape(problem, config, facts_.local_memory);
  const ProgramSource source =
      source_of(shape.config, problem, "", {"kernels/blocked.h", "kernels/compare.cl"},
                blocked_options(problem, shape));
  return {context_.on, context_.context, program(source), shape};
}

cl::Program KernelBuilder::weigh_program(const engine::Problem& problem) {
  const std::lock_guard lock(building_);
  return program({text_of({"kernels/common.h", "kernels/found.h", "kernels/weigh.cl"}),
                  weigh_options(problem), "weigh"});
}

cl::Program KernelBuilder::screen_program(std::size_t n_queries) {
  const std::lock_guard lock(building_);
  const std::size_t at_once = screen_queries(n_queries);
  const ProgramSource source = screen_source(at_once);
  cl::Program built = program(source);
  const bool takes_more = screen_queries(at_once + 2) == at_once;
  prove(
      source, "chains",
      [&] { return ScreenProof(takes_more ? at_once + 2 : at_once); },  // and some of the next work-item
      [&](const ScreenProof& proof) {
        return pack_screen(context_.context, built, proof.problem(), proof.count());
      });
  return built;
}

cl::Program KernelBuilder::program(const ProgramSource& source) {
  const std::string key = program_key(source, facts_);
  const auto known = programs_.find(key);
  if (known != programs_.end()) return known->second;
  return programs_[key] = with_cl_errors(context_.on.name(), [&] {
           return build_program(context_.context, context_.on.device, facts_, source, cache_);
         });
}

}  // namespace fastid::opencl
