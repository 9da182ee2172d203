/// \file
/// `--device auto`: the engine with the least predicted time for the problem that it meets, start-up
/// included.
///
/// What is cheap to know is asked first: while the native engine, taken for slow, is done before a GPU could
/// have started, nothing is measured and OpenCL is not touched. The order:
///
///   1. the user's tuned configs: how soon a GPU could have started, and so the least that any could take
///   2. the native engine at a rate that every CPU reaches    done within that: it is taken
///   3. its rate here, measured in a few milliseconds         done within that: it is taken
///   4. the drivers are asked for GPUs                        the least predicted time wins
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/transfer.hpp"

namespace fastid {

/// A device that auto may take.
struct AutoCandidate {
  std::string device;  ///< for --device
  double seconds = 0;  ///< predicted for the run, start-up included
};

/// Where auto looks; tests put their own in. Each is called once at most, in this order.
struct AutoSources {
  std::function<std::vector<KernelConfig>()> tuned_configs;  ///< of the user's own, no driver asked
  std::function<double(const EngineOptions&)> cpu_rate;      ///< bits a second, measured
  /// Those that there are. \throws DeviceError
  std::function<std::vector<AutoCandidate>(const model::HostRates&, const model::Workload&)> gpus;
  std::function<std::unique_ptr<Engine>(const std::string&, const EngineOptions&)> make_gpu;
};
AutoSources auto_sources();

/// Decides when it is first asked for a plan, or to prepare a problem.
std::unique_ptr<Engine> make_auto_engine(const EngineOptions& options, const AutoSources& sources);

/// Seconds of a run on a device with a config, start-up included, in the tiles that the model plans.
double gpu_seconds(const DeviceFacts& device, const KernelConfig& config, const model::HostRates& host,
                   const model::Workload& work);

/// Bits that the native engine compares in a second on all its threads, by a few milliseconds of it.
double measured_cpu_rate(const EngineOptions& options);

}  // namespace fastid
