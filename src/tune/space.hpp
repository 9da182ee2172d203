/// \file
/// The configs that a search may try: parameters with their choices, the numbers that follow from them, and
/// the neighbours of a config.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/kernel_time.hpp"
#include "model/traits.hpp"

namespace fastid::tune {

/// One number that a search turns. To add one, add a line to the table in space.cpp.
struct Parameter {
  std::string_view name;
  model::MicroKernel kernel;  ///< the kernel that it belongs to
  std::vector<std::uint32_t> choices;
  std::uint32_t (*get)(const model::KernelConfig&);
  void (*set)(model::KernelConfig&, std::uint32_t);
  bool trades = false;  ///< uses registers: also turned up while another such number is turned down
};
std::span<const Parameter> parameters();

/// Seconds that compare.cl in a config's shape is expected to take, from the rates of the device's pipes: the
/// config's own rates may have been measured with another shape.
double seconds_by_pipes(model::KernelConfig config, const model::DeviceTraits& traits,
                        const model::Workload& work);

/// A config with the model's shape and the known numbers of the device. `name` is the config's name.
model::KernelConfig model_config(const std::string& name, const model::DeviceTraits& traits,
                                 const model::Workload& work);

/// `config` with the numbers that follow from others: K_C is limited by local memory, HW_REG_WORDS by a
/// work-item's registers.
model::KernelConfig fitted(model::KernelConfig config, const model::DeviceTraits& traits);

/// Why the config is not legal, or cannot run on this device; "" where it can.
std::string illegal_reason(const model::KernelConfig& config, const model::DeviceFacts& facts);

/// The legal configs that are one turn of a parameter, or one trade between two, away; without repeats and
/// without `config` itself.
std::vector<model::KernelConfig> neighbours(const model::KernelConfig& config, model::MicroKernel kernel,
                                            const model::DeviceFacts& facts,
                                            const model::DeviceTraits& traits);

/// True where both compile to the same kernel.
bool same_shape(const model::KernelConfig& a, const model::KernelConfig& b);

/// "M_C 32, K_C 256, M_R 16, ...": the numbers of one kernel that a search turns.
std::string describe(const model::KernelConfig& config, model::MicroKernel kernel);

}  // namespace fastid::tune
