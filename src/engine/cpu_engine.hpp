/// \file
/// The native engine with settings of one's choice: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// When to count by lookups (cpu_lookup.hpp): where they pay, or wherever they can at all.
enum class UseLookups { kWhereTheyPay, kAlways };

/// As make_cpu_engine(), with one of cpu_engine_targets(). \throws DeviceError for any other. Not
/// thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            UseLookups lookups = UseLookups::kWhereTheyPay);

}  // namespace fastid
