#include "opencl/device_survey.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "model/registry.hpp"
#include "model/stated_traits.hpp"
#include "opencl/devices.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostHeader = 65536;  // bytes
constexpr unsigned kOldestNvidia = 470;       // the oldest branch that NVIDIA still maintained in 2024
constexpr double kPinnedGain = 1.1;           // memory whose uploads are not so much faster is not pinned

// "OpenCL 1.2 CUDA" -> 12; 0 for any other text.
unsigned version_of(const std::string& version) {
  const auto words = split_blanks(version);
  if (words.size() < 2 || words[0] != "OpenCL" || words[1].size() < 3) return 0;
  const auto major = parse_number<unsigned>(words[1].substr(0, 1));
  const auto minor = parse_number<unsigned>(words[1].substr(2, 1));
  return major && minor ? *major * 10 + *minor : 0;
}

std::string driver_of(const model::ConfigLink& link) {
  if (link.file.empty()) return "";
  try {
    return driver_of_header(read_whole_file(link.file, kMostHeader));
  } catch (const InputError&) {
    return "";
  }
}

SurveyedDevice surveyed(const OpenClDevice& device) {
  SurveyedDevice one{
      device.facts, stated_traits(device), model::config_chain(device.facts), std::nullopt, {}};
  std::string driver;
  const auto link =
      std::ranges::find_if(one.chain, [](const model::ConfigLink& each) { return each.unfit.empty(); });
  if (link != one.chain.end()) {
    one.config = model::config_of(*link);
    learn_measured(*one.config, one.traits);
    driver = driver_of(*link);
  }
  one.warnings = device_warnings(one.facts, one.config ? &*one.config : nullptr, driver);
  return one;
}

}  // namespace

DeviceSurvey survey_with_traits() {
  DeviceSurvey made;
  OpenClSurvey drivers = survey_opencl_devices();
  made.failures = std::move(drivers.failures);
  for (const OpenClDevice& device : drivers.devices)
    made.devices.push_back(
        with_cl_errors("opencl:" + device.facts.selector, [&] { return surveyed(device); }));
  return made;
}

void learn_measured(const model::KernelConfig& config, model::DeviceTraits& traits) {
  if (config.origin != "tuned") return;
  const model::DeviceTraits measured = model::traits_of(config, model::Source::kMeasured);
  for (const model::TraitName& trait : model::trait_names()) {
    const model::Trait& number = measured.*trait.value;
    if (number.known() && (traits.*trait.value).source != model::Source::kQueried)
      traits.*trait.value = number;
  }
}

std::vector<std::string> device_warnings(const model::DeviceFacts& facts, const model::KernelConfig* config,
                                         const std::string& tuned_driver) {
  std::vector<std::string> warnings;
  constexpr unsigned kLeastVersion = 12;
  if (const unsigned version = version_of(facts.version); version != 0 && version < kLeastVersion)
    warnings.push_back(fmt::format("its driver has OpenCL {}.{}, and fastid needs 1.2: install a newer one",
                                   version / 10, version % 10));
  const auto branch = parse_number<unsigned>(facts.driver.substr(0, facts.driver.find('.')));
  if (ascii_lower(facts.vendor).find("nvidia") != std::string::npos && branch && *branch < kOldestNvidia)
    warnings.push_back(
        fmt::format("driver {} is old: install {} or newer", printable(facts.driver), kOldestNvidia));
  if (!tuned_driver.empty() && tuned_driver != facts.driver)
    warnings.push_back(
        fmt::format("its config was tuned with driver {}, and this is {}: run `fastid tune` again",
                    printable(tuned_driver), printable(facts.driver)));
  const bool moves = !facts.unified_memory && config != nullptr && config->hw_pageable_mbytes != 0;
  if (moves && config->hw_upload_mbytes < kPinnedGain * config->hw_pageable_mbytes)
    warnings.push_back(
        "no pinned memory: uploads from what the driver calls pinned are no faster than others");
  if (facts.type == "CPU")
    warnings.push_back("a driver for the CPU; --device cpu compares on the same cores by native code");
  return warnings;
}

std::string driver_of_header(std::string_view text) {
  constexpr std::string_view kMark = "\n * Driver ";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + kMark.size());
  return std::string(rest.substr(0, rest.find(',')));
}

}  // namespace fastid::opencl
