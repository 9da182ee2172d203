/// \file
/// The OpenCL engine: compares tiles on a device of any vendor. Nothing of OpenCL is touched before one of
/// these functions is called: a driver may take hundreds of milliseconds to wake.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace fastid {

/// What a device says of itself. Sizes in bytes.
struct DeviceFacts {
  std::string selector;  ///< "0.0": platform and device, counted from 0
  std::string platform;
  std::string device;
  std::string vendor;
  std::string version;  ///< OpenCL version and what the vendor adds
  std::string driver;
  std::string type;  ///< "GPU", "CPU", "accelerator", "other"
  std::uint32_t compute_units = 0;
  std::uint64_t global_memory = 0;
  std::uint64_t local_memory = 0;
  std::uint64_t max_allocation = 0;
};

/// All devices of all platforms; empty where no driver is installed. \throws DeviceError where a driver
/// fails.
std::vector<DeviceFacts> list_opencl_devices();

/// What only tests set.
struct OpenClTuning {
  /// That fit the device's buffer; where more pass, compare() runs the tile again in pieces.
  std::size_t candidates = std::size_t{1} << 20;
  /// In one run of the kernel: its counter of those that passed has 32 bits and must not wrap.
  std::size_t pairs = UINT32_MAX;
};

/// An engine on one device.
///
/// \param selector  "": the first GPU, else the first device. "P.D": device D of platform P, as in
/// list_opencl_devices().
///                  Anything else: the first device whose platform's or own name contains it, whatever the
///                  case.
/// \throws DeviceError where there is no such device, naming those there are; where there is none at all,
/// with the cure
std::unique_ptr<Engine> make_opencl_engine(const std::string& selector, const EngineOptions& options,
                                           const OpenClTuning& tuning = {});

}  // namespace fastid
