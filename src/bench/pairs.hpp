/// \file
/// `fastid bench --pairs`: all pairs of simulated strangers along the map, a second.
///
/// Measured from profiles in memory to the pairs whose chains pass, as in `fastid pairs`, transfers included.
/// No pair is weighed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "engine/engine.hpp"

namespace fastid::bench {

struct PairsShape {
  std::uint64_t people = 0;
  std::uint32_t sites = 0;  ///< linked::kLeastSitesOfPaths at least
};

struct PairsResult : DeviceRate {  ///< in pairs
  PairsShape shape;
  std::uint64_t passed = 0;   ///< pairs whose chains pass
  double kernel_seconds = 0;  ///< mean of a run by the device's clock, summed over queues; 0: a CPU
};

struct PairsOptions : RateOptions {
  std::vector<PairsShape> shapes = {{20'000, 10'000}};
};

using PairsEngineMaker = std::function<std::unique_ptr<engine::Engine>(const std::string& device)>;

/// Measures every shape on every device. \throws UsageError (too few sites), DeviceError, Interrupted
std::vector<PairsResult> run_pairs(const PairsOptions& options, const PairsEngineMaker& make_engine,
                                   const std::function<void(const PairsResult&)>& on_result);

}  // namespace fastid::bench
