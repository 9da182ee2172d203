/// \file
/// A lane of the OpenCL engine: a command queue, a tile's memory on both sides, and the kernel's run.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/cl_api.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {

/// What lanes share. `name` is for messages.
struct OpenClContext {
  std::string name;
  cl::Device device;
  cl::Context context;
};

/// \param program  compare_ref.cl built for the problem
/// \throws cl::Error, Failure (sizes)
std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const cl::Program& program,
                                       const Problem& problem, std::size_t tile_blocks,
                                       const OpenClTuning& tuning);

}  // namespace fastid
