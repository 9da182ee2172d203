/// \file
/// From `--device` to an engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/device_facts.hpp"

namespace fastid {

/// `device`: "auto" (the least predicted time for the problem that it meets: auto_engine.hpp), "cpu",
/// "reference", "opencl", "opencl:SELECTOR", "opencl:all" (worth_joining() at once). \throws UsageError (no
/// such word), DeviceError (no such device).
std::unique_ptr<Engine> make_engine(const std::string& device, const EngineOptions& options);

/// All but drivers for the CPU, where there is any other: a GPU has compared all the rest before such a
/// device is done with its first tile, and would wait for it.
std::vector<DeviceFacts> worth_joining(std::vector<DeviceFacts> devices);

}  // namespace fastid
