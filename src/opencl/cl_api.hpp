/// \file
/// OpenCL 1.2 through its C++ header, and its errors as ours.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace fastid {

/// CL_PLATFORM_NOT_FOUND_KHR, which cl_ext.h alone has: the loader (cl_khr_icd) found no driver.
inline constexpr cl_int kPlatformNotFound = -1001;

/// "CL_OUT_OF_RESOURCES (-5)".
std::string cl_error_text(cl_int code);

/// Runs `work`; an error of OpenCL becomes a DeviceError with `device`, the call and the code's name.
template <class Work>
decltype(auto) with_cl_errors(std::string_view device, const Work& work) {
  try {
    return work();
  } catch (const cl::BuildError& error) {
    std::string log;
    for (const auto& [where, text] : error.getBuildLog()) log += text;
    throw DeviceError(std::string(device) + ": the kernel does not build: " + cl_error_text(error.err()) +
                      "\n" + log);
  } catch (const cl::Error& error) {
    throw DeviceError(std::string(device) + ": " + error.what() + " failed: " + cl_error_text(error.err()));
  }
}

}  // namespace fastid
