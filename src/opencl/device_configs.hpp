/// \file
/// The configs with which a device's kernels are built.
#pragma once

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

}  // namespace fastid::opencl
