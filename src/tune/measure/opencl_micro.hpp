/// \file
/// Microbenchmarks on an OpenCL device: kernels/bench_micro.cl.
#pragma once

#include <memory>

#include "opencl/devices.hpp"
#include "tune/measure/micro.hpp"

namespace fastid::tune {

/// \throws DeviceError where a kernel does not build or the device fails
std::unique_ptr<MicroDevice> make_opencl_micro(const opencl::OpenClDevice& device);

}  // namespace fastid::tune
