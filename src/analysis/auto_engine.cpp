#include "analysis/auto_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/threads.hpp"
#include "opencl/registry.hpp"

namespace fastid {
namespace {

// What every CPU of the last ten years reaches a thread: bits compared, and bytes read and checked.
constexpr double kLeastCpuBits = 0.2e12, kLeastCpuBytes = 4e9;
// What every GPU reaches, where nothing is known of it: popcounts a clock and compute unit.
constexpr double kLeastPopcounts = 4;
constexpr double kUnknownUpload = 10e9;  // PCIe 3.0 x16

std::size_t threads_of(const EngineOptions& options) {
  return options.threads != 0 ? options.threads : available_cpus();
}

model::Workload workload_of(const Problem& problem) {
  return {problem.queries->n_rows(), problem.database.n_profiles, problem.database.n_sites,
          problem.has_called ? 2u : 1u};
}

// Bits a second of a config's kernel at `sites`: the start and test of a pair are as long as some sites.
double config_rate(const KernelConfig& config, const DeviceFacts& device, std::uint32_t sites) {
  const auto at = [&](std::uint32_t rate, std::uint32_t start) {
    return 1e9 * rate * sites / (static_cast<double>(sites) + start);
  };
  const double measured =
      std::max(at(config.rate_popcount, config.start_popcount), at(config.rate_matrix, config.start_matrix));
  if (measured > 0) return measured;
  const double clocks = 1e6 * (config.hw_clock_mhz != 0 ? config.hw_clock_mhz : device.clock_mhz) *
                        (config.hw_compute_units != 0 ? config.hw_compute_units : device.compute_units);
  return clocks * (config.hw_popcounts != 0 ? config.hw_popcounts : kLeastPopcounts) * kWordBits;
}

class AutoEngine final : public Engine {
 public:
  AutoEngine(const EngineOptions& options, AutoSources sources)
      : options_(options), sources_(std::move(sources)), cpu_(make_cpu_engine(options)) {}

  std::string name() const override { return current().name(); }
  std::string description() const override { return current().description(); }
  DevicePeaks peaks() const override { return current().peaks(); }

  void meet(const Problem& problem) override { decide(problem); }
  LanePlan plan(const Problem& problem) const override { return decide(problem).plan(problem); }
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    return decide(problem).open_lane(problem, tile_blocks);
  }

 private:
  const Engine& current() const {
    const std::lock_guard lock(guard_);
    return gpu_ ? *gpu_ : *cpu_;
  }

  // Once; whatever comes later goes the same way.
  Engine& decide(const Problem& problem) const {
    const std::lock_guard lock(guard_);
    if (!decided_) {
      decided_ = true;
      pick(workload_of(problem));
    }
    return gpu_ ? *gpu_ : *cpu_;
  }

  model::EngineCost cpu_cost(double bits_rate, double bytes_rate) const {
    return {.name = "cpu", .bits_rate = bits_rate, .bytes_rate = bytes_rate};
  }

  void pick(const model::Workload& work) const {
    const auto threads = static_cast<double>(threads_of(options_));
    const std::vector<KernelConfig> tuned = sources_.tuned_configs();
    double startup = model::kGpuStartup;
    for (const KernelConfig& config : tuned)
      if (config.hw_startup_ms != 0) startup = std::min(startup, 1e-3 * config.hw_startup_ms);
    const double gpus_least = model::least_gpu_seconds(startup, work);
    const double cpu_most =
        model::predicted_seconds(cpu_cost(threads * kLeastCpuBits, threads * kLeastCpuBytes), work);
    if (cpu_most < gpus_least)
      return log::detail("auto: cpu, {:.3g} s at most; a GPU takes {:.3g} s at least", cpu_most, gpus_least);

    const model::HostRates host{.threads = threads_of(options_)};
    std::vector<AutoCandidate> candidates = {{cpu_cost(sources_.cpu_rate(options_), host.read()), ""}};
    const double cpu = model::predicted_seconds(candidates.front().cost, work);
    if (cpu < gpus_least)
      return log::detail("auto: cpu, {:.3g} s; a GPU takes {:.3g} s at least", cpu, gpus_least);
    add_gpus(work.sites, host, candidates);
    take(candidates, work);
  }

  void add_gpus(std::uint32_t sites, const model::HostRates& host, std::vector<AutoCandidate>& to) const {
    try {
      for (AutoCandidate& gpu : sources_.gpus(host, sites)) to.push_back(std::move(gpu));
    } catch (const DeviceError& error) {
      log::detail("auto: {}", error.what());
    }
  }

  void take(const std::vector<AutoCandidate>& candidates, const model::Workload& work) const {
    std::vector<model::EngineCost> costs;
    for (const AutoCandidate& candidate : candidates) costs.push_back(candidate.cost);
    const model::Choice choice = model::choose(costs, work);
    for (std::size_t i = 0; i < costs.size(); ++i)
      log::detail("auto: {} {:.3g} s{}", costs[i].name, choice.seconds[i], i == choice.best ? ", taken" : "");
    const AutoCandidate& best = candidates[choice.best];
    if (best.device.empty()) return;
    try {
      gpu_ = sources_.make_gpu(best.device, options_);
    } catch (const DeviceError& error) {
      log::warn("{}; the cpu engine compares in its place", error.what());
    }
  }

  EngineOptions options_;
  AutoSources sources_;
  std::unique_ptr<Engine> cpu_;
  mutable std::mutex guard_;
  mutable bool decided_ = false;
  mutable std::unique_ptr<Engine> gpu_;  ///< null: the native engine
};

std::vector<AutoCandidate> find_gpus(const model::HostRates& host, std::uint32_t sites) {
  std::vector<AutoCandidate> found;
  for (const DeviceFacts& device : list_opencl_devices()) {
    if (device.type != "GPU") continue;  // the native engine is faster than any driver for the CPU
    const std::vector<ConfigLink> chain = config_chain(device);
    const auto link = std::ranges::find_if(chain, [](const ConfigLink& one) { return one.unfit.empty(); });
    if (link != chain.end())
      found.push_back({gpu_cost(device, config_of(*link), host, sites), "opencl:" + device.selector});
  }
  return found;
}

std::vector<KernelConfig> user_configs() {
  std::vector<KernelConfig> configs;
  for (const RegistryLine& line : user_registry()) {
    try {
      configs.push_back(read_config(fmt::format("{}/{}.h", user_config_folder(), line.config)));
    } catch (const InputError& error) {
      log::detail("{}", error.what());
    }
  }
  return configs;
}

}  // namespace

model::EngineCost gpu_cost(const DeviceFacts& device, const KernelConfig& config,
                           const model::HostRates& host, std::uint32_t sites) {
  const double upload = config.hw_upload_mbytes != 0 ? 1e6 * config.hw_upload_mbytes : kUnknownUpload;
  const double a_byte = 1 / host.read() + (device.unified_memory ? 0 : 1 / upload);
  return {.name = fmt::format("opencl:{}", device.selector),
          .startup_seconds = config.hw_startup_ms != 0 ? 1e-3 * config.hw_startup_ms : model::kGpuStartup,
          .bits_rate = config_rate(config, device, sites),
          .bytes_rate = 1 / a_byte,
          .overlaps = true,
          .query_step = std::max(1u, config.m_c)};
}

// A tile that stays in the cache, with bars as a search soon has them: the file's bytes are reckoned apart.
double measured_cpu_rate(const EngineOptions& options) {
  constexpr std::uint32_t kSites = 1024;
  constexpr std::uint64_t kProfiles = 1024;
  constexpr std::size_t kQueries = 32, kRuns = 5;
  std::mt19937 random(1);
  ProfileRows queries(kQueries, kSites);
  for (std::size_t i = 0; i < kQueries; ++i)
    for (std::uint32_t site = 0; site < kSites; ++site) queries.set(i, site, random() % 2 != 0);
  const Problem problem{Comparison::kIdentity, &queries, {kProfiles, kSites}, false};
  const auto engine = make_cpu_engine(options);
  const auto lane = engine->open_lane(problem, static_cast<std::size_t>(problem.database.n_blocks()));
  const std::size_t words =
      static_cast<std::size_t>(problem.database.n_blocks()) * problem.database.block_words();
  std::generate_n(lane->buffer().bits, words, [&] { return static_cast<Word>(random()); });
  const std::vector<Bar> bars(kQueries, Bar{UINT32_MAX, 1, 4});
  double best = INFINITY;
  std::vector<Candidate> out;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Stopwatch watch;
    lane->compare(problem.database, bars, out);
    best = std::min(best, watch.seconds());
  }
  const double bits = 1.0 * kQueries * kProfiles * kSites;
  return bits / best * static_cast<double>(threads_of(options));
}

AutoSources auto_sources() {
  return {measured_cpu_rate, user_configs, find_gpus,
          [](const std::string& device, const EngineOptions& options) {
            return make_opencl_engine(device.substr(std::string_view("opencl:").size()), options);
          }};
}

std::unique_ptr<Engine> make_auto_engine(const EngineOptions& options, const AutoSources& sources) {
  return std::make_unique<AutoEngine>(options, sources);
}

}  // namespace fastid
