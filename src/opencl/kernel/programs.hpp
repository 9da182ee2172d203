/// \file
/// Builds programs for a device, or takes them from the cache.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "opencl/device/cl_api.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/program_cache.hpp"

namespace fastid::opencl {

/// What a program is built from.
struct ProgramSource {
  std::string text;
  std::string options;
  std::string kernel;  ///< the name of a kernel that it must have
};

/// A program on its device.
template <class Shape>
struct ProgramOn {
  OpenClDevice on;
  cl::Context context;
  cl::Program program;
  Shape shape;  ///< what it was built for
};

/// The texts of embedded files, one after the other.
std::string text_of(std::initializer_list<std::string_view> files);

/// The cache for a device's programs: one that keeps nothing where the driver keeps them itself.
ProgramCache program_cache(const model::DeviceFacts& facts);

/// A key of all that a binary depends on: the source, its options, the device, its driver and its platform.
std::string program_key(const ProgramSource& source, const model::DeviceFacts& facts);

/// \throws cl::BuildError with the compiler's log, cl::Error
cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const model::DeviceFacts& facts, const ProgramSource& source,
                          const ProgramCache& cache);

/// \throws DeviceError
cl::Context context_of(const OpenClDevice& device);

}  // namespace fastid::opencl
