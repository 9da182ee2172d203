// Configs on a real device, run by the OpenCL engine, so that what is proved and timed is what a search will
// run.
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "base/error.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/opencl_engine.hpp"
#include "tune/choose/header.hpp"
#include "tune/measure/bench.hpp"
#include "tune/measure/sample.hpp"
#include "tune/space.hpp"

namespace fastid::tune {
namespace {

// Engines that are kept open: for the default, the best config and the config that is tried.
constexpr std::size_t kEngines = 3;

struct Case {
  engine::Comparison comparison = engine::Comparison::kIdentity;
  SampleMasks masks;
  Encoding by = Encoding::kMinor;
};

// One for each kernel case and each way in which a pair's denominator is computed. Of the cases that the
// table of questions makes: one whose denominator is a sum, and one, with weights, whose denominator is the
// lesser of two.
constexpr Case kWholeCases[] = {
    {engine::Comparison::kIdentity, {false, false}},
    {engine::Comparison::kIdentity, {true, false}},
    {engine::Comparison::kIdentity, {false, true}},
    {engine::Comparison::kIdentity, {true, true}},
    {engine::Comparison::kMixture, {false, false}},
    {engine::Comparison::kMixture, {true, true}},
    {engine::Comparison::kReverseMixture, {false, false}},
    {engine::Comparison::kReverseMixture, {true, true}},
    {engine::Comparison::kMixture, {true, true}, Encoding::kAlleles},
    {engine::Comparison::kKinship, {true, true}, Encoding::kAlleles},
};
constexpr Case kTimedCase{engine::Comparison::kIdentity, {false, false}};

// As many words as the workloads have, and one more, so that full adders end in the middle of a group.
constexpr std::uint32_t kSites = 1024 - 3, kMoreSites = 1024 + 7;

class OpenClConfigBench final : public ConfigBench {
 public:
  explicit OpenClConfigBench(const model::DeviceFacts& device) : device_(device) {}

  std::string prove(const model::KernelConfig& config, model::MicroKernel kernel, Proof proof) override {
    try {
      if (proof == Proof::kTimed) return prove_case(config, kernel, kTimedCase, sizes_of(config));
      for (const Case& one : kWholeCases)
        if (std::string fault = prove_case(config, kernel, one, sizes_of(config)); !fault.empty())
          return fault;
      return prove_case(config, kernel, {engine::Comparison::kIdentity, {true, true}}, long_sizes_of(config));
    } catch (const DeviceError& error) {
      return first_line(error.what());
    }
  }

  RunTime run(const model::KernelConfig& config, model::MicroKernel kernel,
              const model::Workload& work) override {
    engine::Worker& worker = worker_for(config, kernel, work);
    const Timed& timed = worlds_.at(key_of(work));
    const engine::DeviceWork before = worker.work();
    std::vector<engine::Pair> out;
    worker.compare({0, timed.problem.database}, {}, timed.thresholds, out);
    const engine::DeviceWork after = worker.work();
    return {after.compare_seconds - before.compare_seconds, after.upload_seconds - before.upload_seconds,
            static_cast<double>(after.upload_bytes - before.upload_bytes)};
  }

 private:
  // A workload with random queries and with thresholds that no random pair passes.
  struct Timed {
    ProfileRows queries;
    engine::Problem problem;
    std::vector<engine::Threshold> thresholds;
    std::vector<Word> words;
  };
  struct Running {
    std::string text;
    model::MicroKernel kernel;
    std::unique_ptr<engine::Engine> engine;
    struct Opened {
      std::unique_ptr<engine::PreparedQueries> queries;
      std::unique_ptr<engine::Worker> worker;
    };
    std::map<std::string, Opened> opened;
  };

  static std::string first_line(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    const std::size_t error = text.find("error:");
    return error == std::string::npos ? line
                                      : line + ": " + text.substr(error, text.find('\n', error) - error);
  }
  static std::string key_of(const model::Workload& work) {
    return fmt::format("{}x{}x{}", work.queries, work.profiles, work.sites);
  }

  // Sizes on both sides of the edges of a work-group's tile.
  static std::vector<SampleSize> sizes_of(const model::KernelConfig& config) {
    return {{config.m_c + 1, config.n_r + 33, kSites}, {1, 31, kMoreSites}};
  }
  // Sizes with more words than local memory holds of both planes.
  static std::vector<SampleSize> long_sizes_of(const model::KernelConfig& config) {
    return {{2, 33, 32 * (config.k_c / 2 + 1) - 5}};
  }

  std::unique_ptr<engine::Engine> make_engine(const model::KernelConfig& config, model::MicroKernel kernel,
                                              bool own_memory) const {
    opencl::OpenClTuning tuning;
    tuning.config_text = header_lines(config);
    tuning.keep_programs = false;
    tuning.micro_kernel = kernel;
    tuning.own_memory = own_memory;
    return opencl::make_opencl_engine(device_.selector, {}, tuning);
  }

  // Returns "" where the results are right and nothing was written past the end of a buffer.
  std::string prove_case(const model::KernelConfig& config, model::MicroKernel kernel, const Case& one,
                         const std::vector<SampleSize>& sizes) const {
    const auto engine = make_engine(config, kernel, true);
    for (const SampleSize& size : sizes) {
      const Sample sample(one.comparison, size, one.masks, one.by);
      const opencl::BufferGuard guard;
      const auto queries = engine->prepare(sample.problem(), {.workers = 0});
      const auto worker = queries->open_worker(sample.blocks());
      if (std::string fault = difference(sample, *worker); !fault.empty()) return fault;
      const bool whole = opencl::with_cl_errors("opencl:" + device_.selector, [&] { return guard.whole(); });
      if (!whole) return "it writes past the end of a buffer";
      if (guard.buffers() == 0) throw Failure("the buffers of a worker are not guarded");
    }
    return "";
  }

  // The last few engines stay open, so that two configs can be timed in alternate runs.
  Running& running(const model::KernelConfig& config, model::MicroKernel kernel) {
    const std::string text = header_lines(config);
    const auto found = std::ranges::find_if(
        engines_, [&](const Running& one) { return one.text == text && one.kernel == kernel; });
    if (found != engines_.end()) {
      engines_.splice(engines_.begin(), engines_, found);
    } else {
      if (engines_.size() == kEngines) engines_.pop_back();
      engines_.push_front({text, kernel, make_engine(config, kernel, false), {}});
    }
    return engines_.front();
  }

  engine::Worker& worker_for(const model::KernelConfig& config, model::MicroKernel kernel,
                             const model::Workload& work) {
    const Timed& timed = world_for(work);
    Running& one = running(config, kernel);
    auto& [queries, worker] = one.opened[key_of(work)];
    if (!worker) {
      queries = one.engine->prepare(timed.problem, {.workers = 0});
      worker = queries->open_worker(static_cast<std::size_t>(timed.problem.database.n_blocks()));
      std::ranges::copy(timed.words, worker->buffer().bits);
    }
    return *worker;
  }

  const Timed& world_for(const model::Workload& work) {
    const auto known = worlds_.find(key_of(work));
    if (known != worlds_.end()) return known->second;
    const auto n = static_cast<std::size_t>(work.queries);
    Timed& made =
        worlds_
            .emplace(key_of(work),
                     Timed{ProfileRows(n, work.sites),
                           {engine::Comparison::kIdentity, nullptr, {work.profiles, work.sites}, false},
                           std::vector<engine::Threshold>(n, engine::Threshold{work.sites, 1, 8}),
                           {}})
            .first->second;
    made.problem.queries = &made.queries;
    std::mt19937 random(work.sites);
    for (std::size_t i = 0; i < n; ++i)
      for (std::uint32_t site = 0; site < work.sites; ++site) made.queries.set(i, site, random() % 2 != 0);
    made.words.resize(static_cast<std::size_t>(made.problem.database.n_blocks()) *
                      made.problem.database.block_words());
    std::ranges::generate(made.words, random);
    return made;
  }

  model::DeviceFacts device_;
  std::map<std::string, Timed> worlds_;  ///< must outlive the workers
  std::list<Running> engines_;           ///< the most recently used first
};

}  // namespace

std::unique_ptr<ConfigBench> make_opencl_config_bench(const model::DeviceFacts& device) {
  return std::make_unique<OpenClConfigBench>(device);
}

}  // namespace fastid::tune
