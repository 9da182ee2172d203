/// \file
/// OpenCL 1.2 through its C++ header, and its errors as fastid's.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace fastid::opencl {

/// CL_PLATFORM_NOT_FOUND_KHR, which only cl_ext.h defines: the loader (cl_khr_icd) found no driver.
inline constexpr cl_int kPlatformNotFound = -1001;

/// "CL_OUT_OF_RESOURCES (-5)".
std::string cl_error_text(cl_int code);

/// How long a command took on the device. 0 if the driver does not tell: a search must not fail because its
/// timing is not available. \throws cl::Error
double seconds_of(const cl::Event& event);

/// The number of work-items of a run of a kernel, and of a work-group.
struct KernelLaunch {
  cl::NDRange items, group;
};

/// A work-item for each of n things of each of `rows`; the kernel leaves out those past n. Groups have the
/// same size whatever n is, since some drivers compile a kernel anew for each size (PoCL) or choose a poor
/// one themselves.
KernelLaunch launch_for_each(std::size_t n, std::size_t rows = 1);

/// Sets neighbouring arguments of a kernel, the first of which has this number. \throws cl::Error
template <class... Values>
void set_arguments(cl::Kernel& kernel, cl_uint first, const Values&... values) {
  (kernel.setArg(first++, values), ...);
}

/// A device cannot use a kernel: its compiler refused it, and what() has the compiler's log, or it cannot run
/// it.
class KernelBuildError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Runs `work`. An OpenCL error becomes a DeviceError that names `device`, the call and the error code.
template <class Work>
decltype(auto) with_cl_errors(std::string_view device, const Work& work) {
  try {
    return work();
  } catch (const cl::BuildError& error) {
    std::string log;
    for (const auto& [where, text] : error.getBuildLog()) log += text;
    throw KernelBuildError(std::string(device) +
                           ": the kernel does not build: " + cl_error_text(error.err()) + "\n" + log);
  } catch (const cl::Error& error) {
    throw DeviceError(std::string(device) + ": " + error.what() + " failed: " + cl_error_text(error.err()));
  }
}

/// Whether the code says that memory is lacking, or that the device does not allocate so much at once.
constexpr bool is_memory_error(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

/// with_cl_errors() for work that allocates memory: a lack of memory becomes a DeviceMemoryError.
template <class Work>
decltype(auto) with_cl_memory_errors(std::string_view device, const Work& work) {
  return with_cl_errors(device, [&]() -> decltype(auto) {
    try {
      return work();
    } catch (const cl::BuildError&) {
      throw;
    } catch (const cl::Error& error) {
      if (!is_memory_error(error.err())) throw;
      throw DeviceMemoryError(std::string(device) + ": " + error.what() + " failed: " +
                              cl_error_text(error.err()) + "; give it less at once by --memory");
    }
  });
}

}  // namespace fastid::opencl
