#include "asking/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// One engine for each device. A memory budget is shared by all of them.
std::vector<std::unique_ptr<Engine>> make_all_opencl_engines(EngineOptions options) {
  const std::vector<std::string> selectors = all_selectors();
  if (options.memory) *options.memory /= selectors.size();
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::string& selector : selectors) engines.push_back(make_opencl_engine(selector, options));
  return engines;
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
  if (device == "auto") return make_auto_engine(options, auto_sources());
  if (device == "cpu") return make_cpu_engine(options);
  if (device == "reference") return make_reference_engine(options);
  if (device == kOpenClAll) return make_joint_engine(make_all_opencl_engines(options));
  if (const auto selector = opencl_selector(device)) return make_opencl_engine(*selector, options);
  throw UsageError(
      fmt::format("--device {}: not a device; use auto, cpu, reference, opencl, opencl:all or "
                  "opencl:SELECTOR (`fastid devices` "
                  "lists them)",
                  printable(device)));
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
  if (device == "cpu" || device == "reference") return make_site_engine(device, problem);
  if (device == kOpenClAll) return make_opencl_site_engine(all_selectors(), problem, tuning);
  if (const auto selector = opencl_selector(device))
    return make_opencl_site_engine({*selector}, problem, tuning);
  throw UsageError(fmt::format(
      "--device {}: finds no linked sites; use cpu, reference, opencl, opencl:all or opencl:SELECTOR "
      "(`fastid devices` lists them)",
      printable(device)));
}

std::unique_ptr<EpistasisEngine> make_epistasis_engine_on(const std::string& device,
                                                          const EpistasisProblem& problem,
                                                          BitProducts products) {
  if (device == "cpu" || device == "reference") return make_epistasis_engine(device, problem);
  if (device == kOpenClAll) {
    std::vector<std::unique_ptr<EpistasisEngine>> engines;
    for (const std::string& selector : all_selectors())
      engines.push_back(make_opencl_epistasis(selector, problem, products));
    return make_joint_epistasis(std::move(engines));
  }
  if (const auto selector = opencl_selector(device))
    return make_opencl_epistasis(*selector, problem, products);
  throw UsageError(
      fmt::format("--device {}: does not look for epistasis; use cpu, reference, opencl, opencl:all or "
                  "opencl:SELECTOR (`fastid devices` lists them)",
                  printable(device)));
}

namespace {

/// The engine of all devices that are worth joining. \param make  that of one, by its selector
template <class Make>
std::unique_ptr<SimilarityEngine> joint_similarity(const Make& make) {
  std::vector<std::unique_ptr<SimilarityEngine>> engines;
  for (const std::string& selector : all_selectors()) engines.push_back(make(selector));
  return make_joint_similarity(std::move(engines));
}

}  // namespace

std::unique_ptr<SimilarityEngine> make_bit_similarity_on(const std::string& device,
                                                         const BlocksView& vectors) {
  if (device == "cpu" || device == "reference") return make_bit_similarity(device, vectors);
  if (device == kOpenClAll)
    return joint_similarity([&](const std::string& one) { return make_opencl_bit_similarity(one, vectors); });
  if (const auto selector = opencl_selector(device)) return make_opencl_bit_similarity(*selector, vectors);
  throw UsageError(
      fmt::format("--device {}: compares no vectors; use cpu, reference, opencl, opencl:all or "
                  "opencl:SELECTOR (`fastid devices` lists them)",
                  printable(device)));
}

std::unique_ptr<SimilarityEngine> make_real_similarity_engine_on(const std::string& device,
                                                                 const RealMatrix& matrix) {
  if (device == "cpu" || device == "reference") return make_real_similarity_engine(device, matrix);
  if (device == kOpenClAll)
    return joint_similarity([&](const std::string& one) { return make_opencl_real_similarity(one, matrix); });
  if (const auto selector = opencl_selector(device)) return make_opencl_real_similarity(*selector, matrix);
  throw UsageError(fmt::format(
      "--device {}: does not compare vectors of numbers; use cpu, reference, opencl, opencl:all or "
      "opencl:SELECTOR (`fastid devices` lists them)",
      printable(device)));
}

}  // namespace fastid
