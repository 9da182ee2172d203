/// \file
/// `--device auto`: the engine with the shortest predicted time for the problem, start-up included.
///
/// The cheapest checks come first: where the CPU engine would be done, even on a slow CPU, before a GPU could
/// have started, nothing is measured and OpenCL is not used. The order:
///
///   1. the user's tuned configs give the earliest start of a GPU, and so the least time that any could take
///   2. the CPU engine at a rate that every CPU reaches    taken if done within that time
///   3. its rate here, measured in a few milliseconds      likewise
///   4. the drivers are asked for GPUs                     the shortest predicted time wins
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/transfer.hpp"

namespace fastid::asking {

/// A device that auto may take.
struct AutoCandidate {
  std::string device;  ///< for --device
  double seconds = 0;  ///< predicted for the run, start-up included
};

/// Where auto gets its facts; tests use their own. Each function is called at most once, in this order.
struct AutoSources {
  std::function<std::vector<model::KernelConfig>()> tuned_configs;  ///< the user's own; calls no driver
  std::function<double(const engine::EngineOptions&)> cpu_rate;     ///< bits a second, measured
  /// The GPUs that exist. \throws DeviceError
  std::function<std::vector<AutoCandidate>(const model::HostRates&, const model::Workload&)> gpus;
  std::function<std::unique_ptr<engine::Engine>(const std::string&, const engine::EngineOptions&)> make_gpu;
};
AutoSources auto_sources();

/// What auto takes for this work: "cpu", or "opencl:SELECTOR". Says why, for -v. \param cpu_gain  how many
/// times as fast as its rate the CPU engine does this work
std::string auto_device(const model::Workload& work, const engine::EngineOptions& options,
                        const AutoSources& sources, double cpu_gain = 1);

/// An engine that decides when it is first asked for a plan, or to prepare a problem.
std::unique_ptr<engine::Engine> make_auto_engine(const engine::EngineOptions& options,
                                                 const AutoSources& sources);

/// Predicted seconds of a run on a device with a config, start-up included, with the tiles that the model
/// plans.
double gpu_seconds(const model::DeviceFacts& device, const model::KernelConfig& config,
                   const model::HostRates& host, const model::Workload& work);

/// Bits a second that the CPU engine compares on all its threads, measured in a few milliseconds.
double measured_cpu_rate(const engine::EngineOptions& options);

}  // namespace fastid::asking
