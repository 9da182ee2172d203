/// \file
/// The limits of a problem's queries on a device, for kernels of counts that a problem has of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/memory/worker_queue.hpp"

namespace fastid::opencl {

class QueryLimits {
 public:
  QueryLimits(const cl::Context& context, std::size_t n_queries)
      : buffer_(make_buffer(context, CL_MEM_READ_ONLY, n_queries * sizeof(cl_uint))) {}

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends limit_of() each threshold, unless the device has these. \param denominator, most  as limit_of()
  /// has them
  void set(WorkerQueue& queue, std::span<const engine::Threshold> thresholds, std::uint32_t denominator,
           std::uint32_t most) {
    std::vector<cl_uint> limits;
    for (const engine::Threshold& threshold : thresholds)
      limits.push_back(engine::limit_of(threshold, denominator, most));
    if (limits == sent_) return;
    sent_ = std::move(limits);
    queue.write(buffer_, sent_.size() * sizeof(cl_uint), sent_.data());
  }

 private:
  cl::Buffer buffer_;
  std::vector<cl_uint> sent_;
};

/// Work-items of a group: the most that the device takes for the kernel, up to `most`.
inline std::size_t group_items(const cl::Kernel& kernel, const cl::Context& context, std::size_t most) {
  return std::min(most, kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(
                            context.getInfo<CL_CONTEXT_DEVICES>().front()));
}

}  // namespace fastid::opencl
