/// \file
/// The native engine with settings of one's choice: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// When to look counts up in tables (engine/cpu/lookup_pass.hpp) in place of counting bits: where that pays,
/// wherever it can be done at all, never.
enum class LookUp { kWhereItPays, kAlways, kNever };

/// As make_cpu_engine(), with one of cpu_engine_targets() and nothing better. \throws DeviceError for any
/// other. Not thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            LookUp look_up = LookUp::kWhereItPays);

}  // namespace fastid
