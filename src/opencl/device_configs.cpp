#include "opencl/device_configs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "model/registry.hpp"

namespace fastid {
namespace {

KernelConfig chosen_config(const EngineOptions& options, const OpenClTuning& tuning) {
  if (!options.config_file.empty()) return read_config(options.config_file);
  if (!tuning.config_text.empty()) return parse_config(tuning.config_text, "the config that is tried");
  return embedded_config(tuning.config);
}

}  // namespace

bool names_config(const EngineOptions& options, const OpenClTuning& tuning) {
  return !options.config_file.empty() || !tuning.config.empty() || !tuning.config_text.empty();
}

std::vector<KernelConfig> configs_for(const DeviceFacts& facts, const EngineOptions& options,
                                      const OpenClTuning& tuning) {
  std::vector<KernelConfig> configs;
  if (names_config(options, tuning)) {
    configs.push_back(chosen_config(options, tuning));
    const std::string reason = unfit_reason(configs.front(), facts);
    if (!reason.empty())
      throw DeviceError(
          fmt::format("opencl:{}: cannot run config {}: {}; choose another, or leave --config out",
                      facts.selector, configs.front().source, reason));
    return configs;
  }
  for (const ConfigLink& link : config_chain(facts))
    if (link.unfit.empty()) configs.push_back(config_of(link));
  return configs;
}

}  // namespace fastid
