/// \file
/// Where a question is computed: what --device, --config, --memory and --threads say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/engine.hpp"

namespace fastid::asking {

struct DeviceOptions {
  std::string device = "auto";  ///< as make_engine() has it
  engine::EngineOptions engine;
  /// Of one of several processes on a host: which of its GPUs it takes where `device` does not name one.
  /// Counted from 0, and over again from the first one where there are fewer.
  std::optional<std::size_t> gpu = {};
  std::size_t processes = 1;  ///< of this run on this host, which share its memory
};

}  // namespace fastid::asking
