/// \file
/// A worker of the OpenCL engine: it has a command queue and a tile's memory on host and device, and runs the
/// kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/worker/worker_memory.hpp"

namespace fastid::opencl {

/// What all workers of a device share. `name` is for messages.
struct OpenClContext {
  std::string name;
  cl::Device device;
  cl::Context context;
  bool unified_memory = false;
};

struct WorkerSizes {
  std::size_t tile_blocks = 1;
  std::size_t found_pairs = 1;  ///< pairs that its buffer holds
  std::size_t pairs = 1;        ///< most pairs that one run of the kernel may compare
};

/// What makes a problem's kernels for a worker's memory.
struct KernelMakers {
  ComparerMaker compare;  ///< of the queries without weights, and of all blocks; none: chains are computed
  PairKernelMaker own;    ///< by the problem's own count; none: it has none
};

/// The memory that a worker of these sizes takes.
MemorySizes memory_sizes(const engine::Problem& problem, const WorkerSizes& sizes);

/// \param problem  must outlive the worker
/// \param memory  of these sizes
/// \param warm_up  run each kernel once: for the first of the workers that run the same kernels
/// \throws cl::Error, Failure (sizes)
std::unique_ptr<engine::Worker> make_opencl_worker(const OpenClContext& context,
                                                   const engine::Problem& problem, const WorkerSizes& sizes,
                                                   std::shared_ptr<WorkerMemory> memory,
                                                   const KernelMakers& makers, bool warm_up);

}  // namespace fastid::opencl
