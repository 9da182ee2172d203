/// \file
/// From `--device` to an engine.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// `device`: "auto" (the least predicted time for the problem that it meets: auto_engine.hpp), "cpu",
/// "reference", "opencl", "opencl:SELECTOR", "opencl:all" (every device at once). \throws UsageError (no such
/// word), DeviceError (no such device).
std::unique_ptr<Engine> make_engine(const std::string& device, const EngineOptions& options);

}  // namespace fastid
