#include "tune/roofs.hpp"

#include <algorithm>
#include <optional>

#include "opencl/device_configs.hpp"
#include "opencl/devices.hpp"
#include "tune/measure/bench.hpp"
#include "tune/measure/opencl_micro.hpp"

namespace fastid::tune {
namespace {

// More than a GPU holds at a time; a driver for a CPU may give a thread dozens of work-groups at once.
constexpr std::size_t kGroupsAUnit = 16, kGroupsOfACpu = 64;
constexpr std::uint32_t kMostRounds = 1U << 20;
constexpr std::uint32_t kPtx = 2;  // FASTID_MATRIX

class Roofs {
 public:
  Roofs(MicroDevice& device, const model::DeviceTraits& base, const MicroOptions& options)
      : device_(device), options_(options) {
    in_step_ = static_cast<std::size_t>(std::max(1.0, base.thread_group.value_or(1)));
    units_ = static_cast<std::size_t>(std::max(1.0, base.compute_units.value_or(1)));
    items_ = in_step_ == 1 ? 1 : static_cast<std::size_t>(std::min(256.0, base.group_items.value_or(256)));
    const double most = base.allocation_bytes.value_or(double{1 << 28});
    const double wanted = in_step_ == 1 ? double{1 << 26} : double{1 << 29};
    bytes_ = static_cast<std::size_t>(std::min(most / 2, wanted)) / 4096 * 4096;
  }

  RoofRates with(std::size_t groups, const CompareRate& compare) {
    RoofRates rates;
    rates.popcounts = chains(Op::kPopcount, groups);
    rates.logic = chains(Op::kLogic, groups);
    if (in_step_ > 1) rates.local = local(groups);
    rates.memory =
        static_cast<double>(bytes_) / median("global memory", [&] { return device_.stream(bytes_, groups); });
    if (compare) rates.compared = compare(groups);
    return rates;
  }

  double matrix() {
    const std::size_t thread_groups = units_ * 64;
    const auto run = [&](std::uint32_t rounds) { return device_.matrix_products(rounds, thread_groups); };
    const std::uint32_t rounds = rounds_for(run);
    return kBitsOfProducts * rounds * static_cast<double>(thread_groups) /
           median("matrix products", [&] { return run(rounds); });
  }

  std::size_t most_groups() const { return units_ * (in_step_ > 1 ? kGroupsAUnit : kGroupsOfACpu); }

 private:
  double median(const std::string& what, const std::function<double()>& run) const {
    return median_of_runs(what, options_.most_runs, run).seconds;
  }

  template <class Run>
  std::uint32_t rounds_for(const Run& run) const {
    std::uint32_t rounds = 16;
    while (rounds < kMostRounds && run(rounds) < options_.least_seconds) rounds *= 2;
    return rounds;
  }

  /// Bits a second of one operation.
  double chains(Op op, std::size_t groups) {
    ChainRun chain{.first = op, .second = op, .group_items = items_, .groups = groups};
    const auto run = [&](std::uint32_t rounds) {
      chain.rounds = rounds;
      return device_.chains(chain);
    };
    const std::uint32_t rounds = rounds_for(run);
    const double words = 4 * kChainSteps * rounds * device_.words();  // of a work-item
    return kWordBits * words * static_cast<double>(items_ * groups) /
           median(std::string(name_of(op)), [&] { return run(rounds); });
  }

  double local(std::size_t groups) {
    const auto run = [&](std::uint32_t rounds) { return device_.local_reads(1, rounds, items_, groups); };
    const std::uint32_t rounds = rounds_for(run);
    const double bytes = 16.0 * rounds * sizeof(Word);  // of a work-item
    return bytes * static_cast<double>(items_ * groups) / median("local memory", [&] { return run(rounds); });
  }

  MicroDevice& device_;
  MicroOptions options_;
  std::size_t in_step_, units_, items_, bytes_;
};

RoofRates better(const RoofRates& a, const RoofRates& b) {
  return {std::max(a.memory, b.memory), std::max(a.local, b.local), std::max(a.popcounts, b.popcounts),
          std::max(a.logic, b.logic), std::max(a.compared, b.compared)};
}

/// Bits a second of a config's compare.cl with so many work-groups along the profiles.
class CompareByGroups {
 public:
  CompareByGroups(const model::DeviceFacts& facts, model::KernelConfig config, std::size_t most_runs)
      : bench_(make_opencl_config_bench(facts)), config_(std::move(config)), most_runs_(most_runs) {
    const bool cpu = facts.type == "CPU";
    work_ = {.queries = config_.m_c, .profiles = cpu ? 1U << 16 : 1U << 20, .sites = 1024};
    works_ = bench_->prove(config_, model::MicroKernel::kPopcount, Proof::kTimed).empty();
  }

  double rate(std::size_t groups) {
    if (!works_) return 0;
    config_.grid_rows = 1;
    config_.grid_columns = static_cast<std::uint32_t>(groups);
    const double seconds = median_of_runs("compare.cl", most_runs_, [&] {
                             return bench_->run(config_, model::MicroKernel::kPopcount, work_).kernel_seconds;
                           }).seconds;
    return work_.bits() / seconds;
  }

 private:
  std::unique_ptr<ConfigBench> bench_;
  model::KernelConfig config_;
  std::size_t most_runs_;
  model::Workload work_;
  bool works_ = false;
};

}  // namespace

double adder_rate(const RoofRates& rates, std::uint32_t carry_levels) {
  if (carry_levels == 0) return 0;
  const double chunk = 1U << carry_levels;
  const double logic_a_word = 1 + 2 * (1 - 1 / chunk);
  return std::min(rates.popcounts * chunk, rates.logic / logic_a_word);
}

DeviceRoofs measure_roofs(MicroDevice& device, const model::DeviceTraits& base, bool matrix,
                          const CompareRate& compare, const MicroOptions& options) {
  Roofs roofs(device, base, options);
  DeviceRoofs made;
  for (std::size_t groups = 1; groups <= roofs.most_groups(); groups *= 2) {
    made.by_groups.push_back({groups, roofs.with(groups, compare)});
    made.best = better(made.best, made.by_groups.back().rates);
  }
  if (matrix) made.matrix = roofs.matrix();
  return made;
}

DeviceRoofs measure_roofs(const std::string& selector, const engine::EngineOptions& engine,
                          const MicroOptions& options) {
  const opencl::OpenClDevice device = opencl::select_opencl_device(selector);
  const std::unique_ptr<MicroDevice> micro = make_opencl_micro(device);
  const std::vector<model::KernelConfig> configs = opencl::configs_for(device.facts, engine, {});
  const model::KernelConfig* const config = configs.empty() ? nullptr : &configs.front();
  std::optional<CompareByGroups> compare;
  if (config != nullptr) compare.emplace(device.facts, *config, options.most_runs);
  const bool matrix =
      config != nullptr && config->matrix == kPtx && opencl::prove_matrix_kernel(device.facts).fault.empty();
  DeviceRoofs made = measure_roofs(
      *micro, opencl::stated_traits(device), matrix,
      compare ? [&](std::size_t groups) { return compare->rate(groups); } : CompareRate(), options);
  if (config != nullptr) {
    made.adders = adder_rate(made.best, config->carry_levels);
    made.by_popcount = config->popcount != 0;
  }
  made.is_cpu = device.facts.type == "CPU";
  return made;
}

}  // namespace fastid::tune
