/// \file
/// The native engine with an instruction set of one's choice: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// As make_cpu_engine(), with one of cpu_engine_targets(). \throws DeviceError for any other. Not
/// thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options);

}  // namespace fastid
