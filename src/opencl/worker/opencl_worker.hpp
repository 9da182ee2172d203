/// \file
/// A worker of the OpenCL engine: a command queue, a tile's memory on both sides, and the kernel's runs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/memory/worker_memory.hpp"

namespace fastid {

/// What workers share. `name` is for messages.
struct OpenClContext {
  std::string name;
  cl::Device device;
  cl::Context context;
  bool unified_memory = false;
};

struct WorkerSizes {
  std::size_t tile_blocks = 1;
  std::size_t found_pairs = 1;  ///< that its buffer holds
  std::size_t pairs = 1;        ///< that one run of the kernel can count
};

/// The memory that a worker of these sizes takes.
MemorySizes memory_sizes(const Problem& problem, const WorkerSizes& sizes);

/// \param problem  outlives the worker \param memory  of these sizes
/// \param maker  of the problem's comparers
/// \param warm_up  the first of workers that run the same kernels: it runs each once
/// \throws cl::Error, Failure (sizes)
std::unique_ptr<Worker> make_opencl_worker(const OpenClContext& context, const Problem& problem,
                                           const WorkerSizes& sizes, std::shared_ptr<WorkerMemory> memory,
                                           const ComparerMaker& maker, bool warm_up);

}  // namespace fastid
