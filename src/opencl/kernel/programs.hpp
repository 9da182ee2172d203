/// \file
/// Building programs for a device, out of the cache where it has them.
#pragma once

#include <string>

#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/program_cache.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

/// What a program is built of.
struct ProgramSource {
  std::string text;
  std::string options;
  std::string kernel;  ///< one that it must have
};

/// What a binary depends on, as one name: the source, its options, the device, its driver, its platform.
std::string program_key(const ProgramSource& source, const DeviceFacts& facts);

/// \throws cl::BuildError with the compiler's log, cl::Error
cl::Program build_program(const cl::Context& context, const cl::Device& device, const DeviceFacts& facts,
                          const ProgramSource& source, const ProgramCache& cache);

}  // namespace fastid
