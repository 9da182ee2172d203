/// \file
/// The configs that a search may try: parameters with their choices, what must follow from them, and what is
/// near a config.
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

/// One number that a search turns. A new one is a line of the table in space.cpp.
struct Parameter {
  std::string_view name;
  MicroKernel kernel;  ///< whose it is
  std::vector<std::uint32_t> choices;
  std::uint32_t (*get)(const KernelConfig&);
  void (*set)(KernelConfig&, std::uint32_t);
  bool trades = false;  ///< takes registers: also turned up while another of these is turned down
};
std::span<const Parameter> parameters();

/// Seconds that compare.cl in a config's shape is expected to take by what the device's pipes do: the
/// config's rates may have been measured of another shape.
double seconds_by_pipes(KernelConfig config, const model::DeviceTraits& traits, const model::Workload& work);

/// A config with the model's shape and what is known of the device. `name` as a config's.
KernelConfig model_config(const std::string& name, const model::DeviceTraits& traits,
                          const model::Workload& work);

/// `config` with the numbers that follow from others: K_C as far as local memory goes, HW_REG_WORDS as far as
/// a work-item's registers go.
KernelConfig fitted(KernelConfig config, const model::DeviceTraits& traits);

/// Why the config is not legal, or not for this device; "" where it is.
std::string illegal_reason(const KernelConfig& config, const DeviceFacts& facts);

/// Legal configs one turn of a parameter away, or one trade of two. None twice, and not `config` itself.
std::vector<KernelConfig> neighbours(const KernelConfig& config, MicroKernel kernel, const DeviceFacts& facts,
                                     const model::DeviceTraits& traits);

/// True where both compile to the same kernel.
bool same_shape(const KernelConfig& a, const KernelConfig& b);

/// "M_C 32, K_C 256, M_R 16, ...": the numbers that a search turns, of one kernel.
std::string describe(const KernelConfig& config, MicroKernel kernel);

}  // namespace fastid::tune
