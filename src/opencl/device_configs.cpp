#include "opencl/device_configs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "model/registry.hpp"

namespace fastid::opencl {
namespace {

model::KernelConfig chosen_config(const engine::EngineOptions& options, const OpenClTuning& tuning) {
  if (!options.config_file.empty()) return model::read_config(options.config_file);
  if (!tuning.config_text.empty()) return model::parse_config(tuning.config_text, "the config that is tried");
  return model::embedded_config(tuning.config);
}

}  // namespace

bool names_config(const engine::EngineOptions& options, const OpenClTuning& tuning) {
  return !options.config_file.empty() || !tuning.config.empty() || !tuning.config_text.empty();
}

std::vector<model::KernelConfig> configs_for(const model::DeviceFacts& facts,
                                             const engine::EngineOptions& options,
                                             const OpenClTuning& tuning) {
  std::vector<model::KernelConfig> configs;
  if (names_config(options, tuning)) {
    configs.push_back(chosen_config(options, tuning));
    const std::string reason = model::unfit_reason(configs.front(), facts);
    if (!reason.empty())
      throw DeviceError(
          fmt::format("opencl:{}: cannot run config {}: {}; choose another, or leave --config out",
                      facts.selector, configs.front().source, reason));
    return configs;
  }
  for (const model::ConfigLink& link : model::config_chain(facts))
    if (link.unfit.empty()) configs.push_back(model::config_of(link));
  return configs;
}

std::optional<model::KernelConfig> ptx_config(const model::DeviceFacts& facts) {
  if (!has_ptx(facts)) return std::nullopt;
  for (const model::ConfigLink& link : model::config_chain(facts)) {
    if (!link.unfit.empty()) continue;
    const model::KernelConfig config = model::config_of(link);
    if (config.matrix == kPtxMatrix) return config;
  }
  return std::nullopt;
}

}  // namespace fastid::opencl
