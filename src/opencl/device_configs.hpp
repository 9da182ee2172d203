/// \file
/// The configs with which a device's kernels are built.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::opencl {

/// Whether the user, or what tries configs, names one.
bool names_config(const engine::EngineOptions& options, const OpenClTuning& tuning);

/// The configs that the device can run, best first; only the one that is named, if any. \throws InputError
/// (its file), DeviceError (the device cannot run it)
std::vector<model::KernelConfig> configs_for(const model::DeviceFacts& facts,
                                             const engine::EngineOptions& options,
                                             const OpenClTuning& tuning);

/// FASTID_MATRIX of a config whose instruction is PTX, and whether a device has PTX: others were seen to
/// accept such a program and crash when it runs.
inline constexpr std::uint32_t kPtxMatrix = 2;
inline bool has_ptx(const model::DeviceFacts& facts) {
  return facts.architecture.starts_with("sm_");
}

/// The config whose matrix instruction a device's driver takes; none where it takes none.
std::optional<model::KernelConfig> ptx_config(const model::DeviceFacts& facts);

}  // namespace fastid::opencl
