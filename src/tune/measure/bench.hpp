/// \file
/// A device on which configs are tried: proved right, then timed. It is an interface, so that tests can
/// substitute a device.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/kernel_time.hpp"

namespace fastid::tune {

enum class Proof {
  kTimed,  ///< the kernel that is timed: identity, no calls missing
  kWhole,  ///< every comparison and mask, on both sides of the tiles' edges; done before a config is written
};

/// One run, by the device's clock.
struct RunTime {
  double kernel_seconds = 0;
  double upload_seconds = 0;  ///< 0 where nothing is uploaded
  double upload_bytes = 0;
};

class ConfigBench {
 public:
  virtual ~ConfigBench() = default;

  /// Builds the kernel and compares its results with the reference engine's on small problems, with canaries
  /// around every buffer. Returns "" where the kernel is right, else why it cannot be used. \throws
  /// Interrupted, Failure
  virtual std::string prove(const model::KernelConfig& config, model::MicroKernel kernel, Proof proof) = 0;

  /// Runs a workload once. The config must have been proved. \throws DeviceError
  virtual RunTime run(const model::KernelConfig& config, model::MicroKernel kernel,
                      const model::Workload& work) = 0;
};

std::unique_ptr<ConfigBench> make_opencl_config_bench(const model::DeviceFacts& device);

}  // namespace fastid::tune
