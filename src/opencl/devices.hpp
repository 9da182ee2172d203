/// \file
/// Which OpenCL devices there are, and which one a user means.
#pragma once

#include <string>
#include <vector>

#include "opencl/device/cl_api.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

struct OpenClDevice {
  DeviceFacts facts;
  cl::Device device;
};

/// What drivers there are and what they have. One that fails does not hide the others.
struct OpenClSurvey {
  std::vector<OpenClDevice> devices;
  std::vector<std::string> failures;  ///< of a platform each, for a person
};
OpenClSurvey survey_opencl_devices();

/// All of them that work, in the platforms' order. \throws DeviceError where there is none because drivers
/// fail.
std::vector<OpenClDevice> find_opencl_devices();

/// The device that `selector` means (make_opencl_engine()). \throws DeviceError
OpenClDevice select_opencl_device(const std::string& selector);

}  // namespace fastid
