#include "asking/auto_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>

#include "asking/engines.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "engine/screen_count.hpp"
#include "engine/weighted_count.hpp"
#include "model/choice.hpp"
#include "model/registry.hpp"
#include "model/stated_traits.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/opencl_engine.hpp"
#include "opencl/problem_work.hpp"

namespace fastid::asking {
namespace {

// Rates per second that one thread of any CPU of the last ten years reaches: bits compared, and bytes read
// and checked.
constexpr double kLeastCpuBits = 0.2e12, kLeastCpuBytes = 4e9;

constexpr const char* kCpu = "cpu";

std::size_t threads_of(const engine::EngineOptions& options) {
  return threads_or_all(options.threads);
}

class AutoEngine final : public engine::Engine {
 public:
  AutoEngine(const engine::EngineOptions& options, AutoSources sources)
      : options_(options), sources_(std::move(sources)), cpu_(engine::make_cpu_engine(options)) {}

  std::string name() const override { return current().name(); }
  std::string description() const override { return current().description(); }
  engine::DevicePeaks peaks() const override { return current().peaks(); }
  engine::ExpectedTimes expected(const engine::Problem& problem) const override {
    return current().expected(problem);
  }

  engine::WorkPlan plan(const engine::Problem& problem) const override {
    return decide(problem).plan(problem);
  }
  bool supports(const engine::Problem& problem) const override {
    const engine::ScreenCount* const screen = engine::screen_of(problem);
    if (problem.custom_count != nullptr && engine::weighted_of(problem) == nullptr &&
        (screen == nullptr || !screen->by_rows()))
      return false;  // no device need wake
    engine::Engine& engine = decide(problem);
    return engine.supports(problem) && (screen == nullptr || can_screen(engine, problem, *screen));
  }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    return decide(problem).prepare(problem, plan);
  }

 private:
  const engine::Engine& current() const {
    const std::lock_guard lock(guard_);
    return gpu_ ? *gpu_ : *cpu_;
  }

  // Decides once; later calls return the same engine.
  engine::Engine& decide(const engine::Problem& problem) const {
    const std::lock_guard lock(guard_);
    if (!decided_) {
      decided_ = true;
      const engine::ScreenCount* const screen = engine::screen_of(problem);
      pick(opencl::workload_of(problem), screen != nullptr ? screen->cpu_gain() : 1);
    }
    return gpu_ ? *gpu_ : *cpu_;
  }

  // Chains have a program of their own, which a device may refuse, or compute something else by.
  static bool can_screen(engine::Engine& gpu, const engine::Problem& problem,
                         const engine::ScreenCount& screen) {
    constexpr std::size_t kSome = 17;  // more than a work-item has: the program is the one for many
    const ProfileRows some(std::min(kSome, problem.queries->n_rows()), problem.database.n_sites,
                           Encoding::kAlleles);
    engine::Problem small = problem;
    small.queries = &some;
    const std::unique_ptr<engine::CustomCount> of_some = screen.sliced(small, 0);
    small.custom_count = of_some.get();
    try {
      gpu.prepare(small, {.workers = 0});
      return true;
    } catch (const DeviceError& error) {
      log::warn("{}; the cpu computes chains in its place", error.what());
      return false;
    }
  }

  void pick(const model::Workload& work, double cpu_gain) const {
    const std::string device = auto_device(work, options_, sources_, cpu_gain);
    if (device == kCpu) return;
    try {
      gpu_ = sources_.make_gpu(device, options_);
    } catch (const DeviceError& error) {
      log::warn("{}; the cpu engine compares in its place", error.what());
    }
  }

  engine::EngineOptions options_;
  AutoSources sources_;
  std::unique_ptr<engine::Engine> cpu_;
  mutable std::mutex guard_;
  mutable bool decided_ = false;
  mutable std::unique_ptr<engine::Engine> gpu_;  ///< null: the CPU engine was chosen
};

std::vector<AutoCandidate> find_gpus(const model::HostRates& host, const model::Workload& work) {
  std::vector<AutoCandidate> found;
  for (const model::DeviceFacts& device : opencl::list_opencl_devices()) {
    if (device.type != "GPU") continue;  // the CPU engine is faster than any OpenCL driver for the CPU
    const std::vector<model::ConfigLink> chain = model::config_chain(device);
    const auto link =
        std::ranges::find_if(chain, [](const model::ConfigLink& one) { return one.unfit.empty(); });
    if (link != chain.end())
      found.push_back(
          {"opencl:" + device.selector, gpu_seconds(device, model::config_of(*link), host, work)});
  }
  return found;
}

std::vector<model::KernelConfig> user_configs() {
  std::vector<model::KernelConfig> configs;
  for (const model::RegistryLine& line : model::user_registry()) {
    try {
      configs.push_back(model::read_config(fmt::format("{}/{}.h", model::user_config_folder(), line.config)));
    } catch (const InputError& error) {
      log::detail("{}", error.what());
    }
  }
  return configs;
}

std::string fastest(const AutoCandidate& cpu, const std::vector<AutoCandidate>& gpus) {
  const auto best = std::ranges::min_element(gpus, {}, &AutoCandidate::seconds);
  const AutoCandidate& taken = best != gpus.end() && best->seconds < cpu.seconds ? *best : cpu;
  const auto say = [&](const AutoCandidate& one) {
    log::detail("auto: {} {:.3g} s{}", one.device, one.seconds, &one == &taken ? ", taken" : "");
  };
  say(cpu);
  std::ranges::for_each(gpus, say);
  return taken.device;
}

}  // namespace

std::string auto_device(const model::Workload& work, const engine::EngineOptions& options,
                        const AutoSources& sources, double cpu_gain) {
  const auto threads = static_cast<double>(threads_of(options));
  double startup = model::kGpuStartup;
  for (const model::KernelConfig& config : sources.tuned_configs())
    if (config.hw_startup_ms != 0) startup = std::min(startup, 1e-3 * config.hw_startup_ms);
  const double gpus_least = model::least_gpu_seconds(startup, work);
  const double cpu_most =
      model::cpu_seconds(cpu_gain * threads * kLeastCpuBits, threads * kLeastCpuBytes, work);
  if (cpu_most < gpus_least) {
    log::detail("auto: cpu, {:.3g} s at most; a GPU takes {:.3g} s at least", cpu_most, gpus_least);
    return kCpu;
  }
  const model::HostRates host{.threads = threads_of(options)};
  const double cpu = model::cpu_seconds(cpu_gain * sources.cpu_rate(options), host.check(), work);
  if (cpu < gpus_least) {
    log::detail("auto: cpu, {:.3g} s; a GPU takes {:.3g} s at least", cpu, gpus_least);
    return kCpu;
  }
  try {
    return fastest({kCpu, cpu}, sources.gpus(host, work));
  } catch (const DeviceError& error) {
    log::detail("auto: cpu; {}", error.what());
    return kCpu;
  }
}

double gpu_seconds(const model::DeviceFacts& device, const model::KernelConfig& config,
                   const model::HostRates& host, const model::Workload& work) {
  model::DeviceTraits traits = model::run_traits(device, &config, !device.unified_memory);
  if (!traits.startup_seconds.known()) traits.startup_seconds = {model::kGpuStartup, model::Source::kKnown};
  const double kernel = model::compare_seconds(config, traits, work);
  return model::predict_run(traits, kernel, host, model::plan_tiles(traits, kernel, host, work), work)
      .total();
}

// Compares a tile that stays in the cache, with thresholds as strict as those of a search after its first
// tiles. The time of reading the file is estimated separately.
double measured_cpu_rate(const engine::EngineOptions& options) {
  constexpr std::uint32_t kSites = 1024;
  constexpr std::uint64_t kProfiles = 1024;
  constexpr std::size_t kQueries = 32, kRuns = 5;
  std::mt19937 random(1);
  ProfileRows queries(kQueries, kSites);
  for (std::size_t i = 0; i < kQueries; ++i)
    for (std::uint32_t site = 0; site < kSites; ++site) queries.set(i, site, random() % 2 != 0);
  const engine::Problem problem{engine::Comparison::kIdentity, &queries, {kProfiles, kSites}, false};
  const auto engine = engine::make_cpu_engine(options);
  const auto prepared = engine->prepare(problem, {.workers = 0});
  const auto worker = prepared->open_worker(static_cast<std::size_t>(problem.database.n_blocks()));
  const std::size_t words =
      static_cast<std::size_t>(problem.database.n_blocks()) * problem.database.block_words();
  std::generate_n(worker->buffer().bits, words, [&] { return static_cast<Word>(random()); });
  const std::vector<engine::Threshold> thresholds(kQueries, engine::Threshold{UINT32_MAX, 1, 4});
  double best = INFINITY;
  std::vector<engine::Pair> out;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Stopwatch watch;
    worker->compare({0, problem.database}, {}, thresholds, out);
    best = std::min(best, watch.seconds());
  }
  const double bits = 1.0 * kQueries * kProfiles * kSites;
  return bits / best * static_cast<double>(threads_of(options));
}

AutoSources auto_sources() {
  return {user_configs, measured_cpu_rate, find_gpus,
          [](const std::string& device, const engine::EngineOptions& options) {
            return opencl::make_opencl_engine(opencl::opencl_selector(device).value(), options);
          }};
}

std::unique_ptr<engine::Engine> make_auto_engine(const engine::EngineOptions& options,
                                                 const AutoSources& sources) {
  return std::make_unique<AutoEngine>(options, sources);
}

}  // namespace fastid::asking
