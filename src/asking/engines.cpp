#include "asking/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "asking/auto_engine.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/real_similarity.hpp"
#include "opencl/bit_similarity.hpp"
#include "opencl/epistasis_engine.hpp"
#include "opencl/min_plus_similarity.hpp"
#include "opencl/opencl_engine.hpp"
#include "opencl/pair_hmm.hpp"
#include "opencl/site_engine.hpp"

namespace fastid {
namespace {

constexpr std::string_view kOpenCl = "opencl", kOpenClAll = "opencl:all";

/// Those of all devices that are worth joining; "" where there is none: its error says what to install.
std::vector<std::string> all_selectors() {
  std::vector<std::string> selectors;
  for (const DeviceFacts& device : worth_joining(list_opencl_devices())) selectors.push_back(device.selector);
  if (selectors.empty()) selectors.emplace_back();
  return selectors;
}

/// The words for `--device` of a question.
constexpr std::string_view kComparing = "auto, cpu, reference, opencl, opencl:all or opencl:SELECTOR",
                           kCounting = "cpu, reference, opencl, opencl:all or opencl:SELECTOR",
                           kLikelihoods = "auto, cpu, reference, opencl or opencl:SELECTOR";

/// The engine that --device names.
/// \param words   what the question takes, for a message
/// \param wrong   what is said of a word that it does not take
/// \param native  makes an engine of a word; null where the word names no native engine
/// \param on_one  makes an engine of an OpenCL device, given its selector
/// \param joint   makes one engine of several; nullptr: the question has none
template <class Made, class Native, class OnOne, class Joint>
std::unique_ptr<Made> engine_of(const std::string& device, std::string_view words, std::string_view wrong,
                                const Native& native, const OnOne& on_one, const Joint& joint) {
  if (std::unique_ptr<Made> engine = native(device)) return engine;
  if constexpr (!std::is_null_pointer_v<Joint>)
    if (device == kOpenClAll) {
      std::vector<std::unique_ptr<Made>> engines;
      for (const std::string& selector : all_selectors()) engines.push_back(on_one(selector));
      return joint(std::move(engines));
    }
  if (const auto selector = opencl_selector(device)) return on_one(*selector);
  throw UsageError(
      fmt::format("--device {}: {}; use {} (`fastid devices` lists them)", printable(device), wrong, words));
}

/// The selector of one of the devices that are worth joining; "" where there is none.
std::string selector_of(std::size_t gpu) {
  const std::vector<std::string> selectors = all_selectors();
  return selectors[gpu % selectors.size()];
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

}  // namespace

std::optional<std::string> opencl_selector(const std::string& device) {
  constexpr std::string_view kOf = "opencl:";
  if (device == kOpenCl) return "";
  if (device.starts_with(kOf)) return device.substr(kOf.size());
  return std::nullopt;
}

std::vector<DeviceFacts> worth_joining(std::vector<DeviceFacts> devices) {
  const auto is_cpu = [](const DeviceFacts& device) { return device.type == "CPU"; };
  if (!std::ranges::all_of(devices, is_cpu)) std::erase_if(devices, is_cpu);
  return devices;
}

std::unique_ptr<Engine> make_engine(const std::string& device, const EngineOptions& options) {
  // Checked whichever engine is used.
  if (!options.config_file.empty()) open_for_reading(options.config_file);
  EngineOptions each = options;
  if (device == kOpenClAll && each.memory) *each.memory /= all_selectors().size();
  return engine_of<Engine>(
      device, kComparing, "not a device",
      [&](const std::string& native) -> std::unique_ptr<Engine> {
        if (native == "auto") return make_auto_engine(options, auto_sources());
        if (native == "cpu") return make_cpu_engine(options);
        if (native == "reference") return make_reference_engine(options);
        return nullptr;
      },
      [&](const std::string& selector) { return make_opencl_engine(selector, each); }, make_joint_engine);
}

std::unique_ptr<Engine> make_engine_on(std::size_t gpu, const std::string& device,
                                       const EngineOptions& options) {
  if (device == "auto") return make_auto_engine(options, sources_of_one(gpu));
  return make_engine(device_on(gpu, device), options);
}

std::string device_on(std::size_t gpu, const std::string& device) {
  if (device != kOpenCl && device != kOpenClAll) return device;
  const std::string selector = selector_of(gpu);
  return selector.empty() ? std::string(kOpenCl) : fmt::format("{}:{}", kOpenCl, selector);
}

std::unique_ptr<SiteEngine> make_site_engine_on(const std::string& device, const SiteProblem& problem,
                                                const SiteTuning& tuning) {
  return engine_of<SiteEngine>(
      device, kCounting, "finds no linked sites",
      [&](const std::string& native) { return make_site_engine(native, problem); },
      [&](const std::string& selector) { return make_opencl_site_engine(selector, problem, tuning); },
      [&](auto engines) { return make_joint_sites(std::move(engines), problem); });
}

std::unique_ptr<EpistasisEngine> make_epistasis_engine_on(const std::string& device,
                                                          const EpistasisProblem& problem,
                                                          BitProducts products) {
  return engine_of<EpistasisEngine>(
      device, kCounting, "does not look for epistasis",
      [&](const std::string& native) { return make_epistasis_engine(native, problem); },
      [&](const std::string& selector) { return make_opencl_epistasis(selector, problem, products); },
      make_joint_epistasis);
}

std::unique_ptr<SimilarityEngine> make_bit_similarity_on(const std::string& device,
                                                         const BlocksView& vectors) {
  return engine_of<SimilarityEngine>(
      device, kCounting, "compares no vectors",
      [&](const std::string& native) { return make_bit_similarity(native, vectors); },
      [&](const std::string& selector) { return make_opencl_bit_similarity(selector, vectors); },
      make_joint_similarity);
}

std::unique_ptr<SimilarityEngine> make_real_similarity_engine_on(const std::string& device,
                                                                 const RealMatrix& matrix) {
  return engine_of<SimilarityEngine>(
      device, kCounting, "does not compare vectors of numbers",
      [&](const std::string& native) { return make_real_similarity_engine(native, matrix); },
      [&](const std::string& selector) { return make_opencl_real_similarity(selector, matrix); },
      make_joint_similarity);
}

std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device,
                                                              std::size_t threads) {
  return engine_of<hmm::LikelihoodEngine>(
      device, kLikelihoods, "no device of the pair-HMM",
      [&](const std::string& native) -> std::unique_ptr<hmm::LikelihoodEngine> {
        constexpr std::string_view kCpuOf = "cpu:";
        if (native == "auto" || native == "cpu") return hmm::make_cpu_engine(threads);
        if (native == "reference") return hmm::make_reference_engine();
        if (native.starts_with(kCpuOf))
          return hmm::make_cpu_engine_for(native.substr(kCpuOf.size()), threads);
        return nullptr;
      },
      [&](const std::string& selector) { return make_opencl_likelihood_engine(selector, threads); }, nullptr);
}

}  // namespace fastid
