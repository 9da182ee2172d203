/// \file
/// Builds programs for a device, or takes them from the cache.
#pragma once

#include <string>

#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/program_cache.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

/// What a program is built from.
struct ProgramSource {
  std::string text;
  std::string options;
  std::string kernel;  ///< the name of a kernel that it must have
};

/// The cache for a device's programs: one that keeps nothing where the driver keeps them itself.
ProgramCache program_cache(const DeviceFacts& facts);

/// A key of all that a binary depends on: the source, its options, the device, its driver and its platform.
std::string program_key(const ProgramSource& source, const DeviceFacts& facts);

/// \throws cl::BuildError with the compiler's log, cl::Error
cl::Program build_program(const cl::Context& context, const cl::Device& device, const DeviceFacts& facts,
                          const ProgramSource& source, const ProgramCache& cache);

}  // namespace fastid
