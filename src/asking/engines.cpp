#include "asking/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "asking/auto_engine.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "opencl/counting_engines.hpp"
#include "opencl/engine_by_name.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::asking {
namespace {

constexpr const char *kAutoWord = "auto", *kCpuWord = "cpu";
constexpr std::uint32_t kPlanes = 2;  ///< of sites: where either allele was seen

/// The selector of one of devices_to_combine(); "" where there is none.
std::string selector_of(std::size_t gpu) {
  const std::vector<std::string> selectors = opencl::all_selectors();
  return selectors[gpu % selectors.size()];
}

/// `device` for one of several processes on a host: "opencl:SELECTOR" where it does not name a GPU.
std::string device_on(std::size_t gpu, const std::string& device) {
  if (device != opencl::kOpenCl && device != opencl::kOpenClAll) return device;
  const std::string selector = selector_of(gpu);
  return selector.empty() ? std::string(opencl::kOpenCl) : fmt::format("{}:{}", opencl::kOpenCl, selector);
}

/// As auto_sources(), with one GPU alone.
AutoSources sources_of_one(std::size_t gpu) {
  AutoSources sources = auto_sources();
  sources.gpus = [gpu, all = sources.gpus](const model::HostRates& host, const model::Workload& work) {
    const std::vector<AutoCandidate> gpus = all(host, work);
    return gpus.empty() ? gpus : std::vector{gpus[gpu % gpus.size()]};
  };
  return sources;
}

/// What a question asks of the table that it counts in memory, in the terms of the model: rows of the table
/// are its profiles. \param products  of two rows that are counted in all
model::Workload counted_work(std::uint64_t rows, std::uint32_t units, std::uint32_t planes, double products) {
  const double of_a_row = products / static_cast<double>(std::max<std::uint64_t>(rows, 1));
  return {static_cast<std::uint64_t>(std::ceil(of_a_row)), rows, units, planes};
}

/// \throws UsageError where the table takes more memory than --memory allows on all devices together
void check_memory(const DeviceOptions& on, const model::Workload& work) {
  if (!on.engine.memory) return;
  const double needed = work.bytes() * static_cast<double>(n_devices(on)), mib = 1 << 20;
  if (needed > static_cast<double>(*on.engine.memory))
    throw UsageError(
        fmt::format("--memory: all that is compared is held at once and takes {:.0f}M, of {} "
                    "allowed bytes; allow more, or give fewer people or sites",
                    std::ceil(needed / mib), with_commas(*on.engine.memory)));
}

/// The engine of a question that counts what it holds in memory.
template <class Made, class OfWord, class OnOne, class Joint>
std::unique_ptr<Made> counting_engine_of(DeviceOptions& on, std::string_view wrong,
                                         const model::Workload& work, const OfWord& of_word,
                                         const OnOne& on_one, const Joint& joint) {
  if (!on.engine.config_file.empty()) open_for_reading(on.engine.config_file);  // whichever engine is used
  check_memory(on, work);
  const auto made = [&](const std::string& device) {
    return opencl::engine_named<Made>(device, wrong, of_word, on_one, joint);
  };
  if (on.device != kAutoWord) return made(on.gpu ? device_on(*on.gpu, on.device) : on.device);
  on.device = auto_device(work, on.engine, on.gpu ? sources_of_one(*on.gpu) : auto_sources());
  if (on.device == kCpuWord) return made(on.device);
  try {
    return made(on.device);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kDevice && error.code() != ExitCode::kInput) throw;
    log::warn("{}; the cpu engine counts in its place", error.what());
    on.device = kCpuWord;
    return made(on.device);
  }
}

}  // namespace

std::unique_ptr<engine::Engine> make_engine(const std::string& device, const engine::EngineOptions& options) {
  // Checked whichever engine is used.
  if (!options.config_file.empty()) open_for_reading(options.config_file);
  engine::EngineOptions each = options;
  if (each.memory) *each.memory /= n_devices({device, options});
  return opencl::engine_named<engine::Engine>(
      device, "not a device",
      [&](const std::string& word) -> std::unique_ptr<engine::Engine> {
        if (word == kAutoWord) return make_auto_engine(options, auto_sources());
        if (word == kCpuWord) return engine::make_cpu_engine(options);
        if (word == "reference") return engine::make_reference_engine(options);
        return nullptr;
      },
      [&](const std::string& selector) { return opencl::make_opencl_engine(selector, each); },
      engine::make_joint_engine);
}

std::unique_ptr<engine::Engine> make_engine_on(const DeviceOptions& on) {
  if (!on.gpu) return make_engine(on.device, on.engine);
  if (on.device == kAutoWord) return make_auto_engine(on.engine, sources_of_one(*on.gpu));
  return make_engine(device_on(*on.gpu, on.device), on.engine);
}

std::size_t n_devices(const DeviceOptions& on) {
  return on.device == opencl::kOpenClAll && !on.gpu ? opencl::all_selectors().size() : 1;
}

std::unique_ptr<engine::LdEngine> make_ld_engine_on(DeviceOptions& on, const engine::LdProblem& problem,
                                                    std::uint64_t n_pairs, opencl::BitProducts products) {
  const BlockShape& sites = problem.sites.shape;
  const double words =
      static_cast<double>(engine::products_of(engine::sums_of(problem.unit, engine::all_called(problem))));
  const opencl::LdTuning tuning{.products = products, .config_file = on.engine.config_file};
  return counting_engine_of<engine::LdEngine>(
      on, "finds no linked sites",
      counted_work(sites.n_profiles, sites.n_sites, kPlanes, words * static_cast<double>(n_pairs)),
      [&](const std::string& word) { return engine::make_ld_engine(word, problem); },
      [&](const std::string& selector) { return opencl::make_opencl_ld_engine(selector, problem, tuning); },
      [&](auto engines) { return engine::make_joint_ld(std::move(engines), problem); });
}

std::unique_ptr<engine::EpistasisEngine> make_epistasis_engine_on(DeviceOptions& on,
                                                                  const engine::EpistasisProblem& problem,
                                                                  opencl::BitProducts products) {
  const auto people = static_cast<std::uint32_t>(problem.n_people());
  const double cells = static_cast<double>(engine::n_combinations(problem)) *
                       (problem.way == 2 ? 4 : 8);  // that are counted of a table
  const model::Workload work = counted_work(problem.n_sites(), people, kPlanes, cells);
  const auto memory = [&](std::size_t devices) {  // that is left for an engine's own copies
    if (!on.engine.memory) return std::numeric_limits<std::uint64_t>::max();
    return (*on.engine.memory - static_cast<std::uint64_t>(work.bytes())) / devices;
  };
  return counting_engine_of<engine::EpistasisEngine>(
      on, "does not look for epistasis", work,
      [&](const std::string& word) { return engine::make_epistasis_engine(word, problem, memory(1)); },
      [&](const std::string& selector) {
        constexpr std::uint32_t kMostFound = 1 << 16;
        return opencl::make_opencl_epistasis(selector, problem, products, kMostFound, memory(n_devices(on)));
      },
      engine::make_joint_epistasis);
}

std::unique_ptr<engine::SimilarityEngine> make_similarity_on(DeviceOptions& on,
                                                             const engine::VectorBlocks& vectors,
                                                             std::uint64_t n_combinations) {
  const auto bits = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(vectors.n_bits, std::numeric_limits<std::uint32_t>::max()));
  return counting_engine_of<engine::SimilarityEngine>(
      on, vectors.numbers ? "does not compare vectors of numbers" : "compares no vectors",
      counted_work(vectors.n, bits, 1, static_cast<double>(n_combinations)),
      [&](const std::string& word) { return engine::make_similarity(word, vectors); },
      [&](const std::string& selector) { return opencl::make_opencl_similarity(selector, vectors); },
      engine::make_joint_similarity);
}

}  // namespace fastid::asking
