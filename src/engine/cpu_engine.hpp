/// \file
/// The CPU engine with a chosen instruction set and use of lookups: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid::engine {

/// When to look counts up in tables (engine/cpu/lookup_pass.hpp) instead of counting bits: where that is
/// faster, or wherever it is possible.
enum class LookUp { kWhereItPays, kAlways };

/// When to multiply matrices of bytes (engine/cpu/cpu_matrix.hpp) instead of counting bits: never; where this
/// CPU has a unit for it and that is faster; wherever it is possible, by the unit or in plain C++; or in
/// plain C++ where the unit would be faster, but with few profiles too.
enum class Multiply { kNever, kWhereItPays, kAlways, kAlwaysPlain, kPlainWhereItPays };

/// Whether products are made in plain C++.
constexpr bool is_plain(Multiply multiply) {
  return multiply == Multiply::kAlwaysPlain || multiply == Multiply::kPlainWhereItPays;
}

/// Whether this CPU has such a unit, and the process may use it.
bool cpu_multiplies_bytes();

/// Like make_cpu_engine(), but uses the instruction set `target`, one of cpu_engine_targets().
/// \throws DeviceError for any other name. Not thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            LookUp look_up = LookUp::kWhereItPays,
                                            Multiply multiply = Multiply::kNever);

}  // namespace fastid::engine
