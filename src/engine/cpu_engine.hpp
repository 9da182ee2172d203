/// \file
/// The native engine with settings of one's choice: for tests and measurements.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace fastid {

/// When to search a tile by a pass (tile_pass.hpp) in place of counting its bits: where that pays, or
/// wherever it can be done at all.
enum class UsePass { kWhereItPays, kAlways };

/// As make_cpu_engine(), with one of cpu_engine_targets() and nothing better. \throws DeviceError for any
/// other. Not thread-safe.
std::unique_ptr<Engine> make_cpu_engine_for(const std::string& target, const EngineOptions& options,
                                            UsePass use = UsePass::kWhereItPays);

}  // namespace fastid
