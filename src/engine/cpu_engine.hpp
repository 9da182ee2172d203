/// \file
/// The native engine with a chosen instruction set and use of lookups: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// When to look counts up in tables (engine/cpu/lookup_pass.hpp) instead of counting bits: where that is
/// faster, or wherever it is possible.
enum class LookUp { kWhereItPays, kAlways };

/// Like make_cpu_engine(), but uses the instruction set `target`, one of cpu_engine_targets().
/// \throws DeviceError for any other name. Not thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            LookUp look_up = LookUp::kWhereItPays);

}  // namespace fastid
