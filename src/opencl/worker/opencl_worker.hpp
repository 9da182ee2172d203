/// \file
/// A worker of the OpenCL engine: it has a command queue and a tile's memory on host and device, and runs the
/// kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "engine/engine.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/worker/worker_memory.hpp"

namespace fastid::opencl {

/// What all workers of a device share.
struct OpenClContext {
  OpenClDevice on;
  cl::Context context;
  bool unified_memory = false;  ///< the device works in the host's memory
};

/// \param groups  all queries; must outlive the worker
/// \param most_pairs  that a kernel may compare at once
/// \param memory  for tiles of so many blocks
/// \param warm_up  run each kernel once: for the first of the workers that run the same kernels
/// \throws cl::Error
std::unique_ptr<engine::Worker> make_opencl_worker(const OpenClContext& context,
                                                   std::span<const QueryGroup> groups,
                                                   std::size_t tile_blocks, std::size_t most_pairs,
                                                   std::shared_ptr<WorkerMemory> memory, bool warm_up);

}  // namespace fastid::opencl
