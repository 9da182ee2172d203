/// \file
/// Which config fits a device: configs/registry.tsv, embedded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opencl/config.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

/// An embedded config by its name. \throws Failure where there is none.
KernelConfig embedded_config(std::string_view name);

/// Names of all embedded configs.
std::vector<std::string> embedded_config_names();

/// Why the device cannot run a config; "" where it can.
std::string unfit_reason(const KernelConfig& config, const DeviceFacts& facts);

}  // namespace fastid
