/// \file
/// Which OpenCL devices there are, which one a selector means, and what is known of one without measuring.
#pragma once

#include <string>
#include <vector>

#include "model/traits.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::opencl {

struct OpenClDevice {
  model::DeviceFacts facts;
  cl::Device device;

  /// For messages.
  std::string name() const { return "opencl:" + facts.selector; }
};

/// The devices of all drivers. A driver that fails does not hide the others' devices.
struct OpenClSurvey {
  std::vector<OpenClDevice> devices;
  std::vector<std::string> failures;  ///< one message for each platform that failed
};
OpenClSurvey survey_opencl_devices();

/// All devices that work, in the platforms' order. \throws DeviceError if there is none because drivers fail.
std::vector<OpenClDevice> find_opencl_devices();

/// The device that `selector` means (make_opencl_engine()). \throws DeviceError
OpenClDevice select_opencl_device(const std::string& selector);

/// model::stated_traits(), and what the extensions of NVIDIA, AMD and Intel add where the device has them. A
/// number that the driver refuses to tell is left as it was.
model::DeviceTraits stated_traits(const OpenClDevice& device);

}  // namespace fastid::opencl
