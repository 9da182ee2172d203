#include "opencl/lane_buffers.hpp"

#include <functional>

#include "base/checked.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

// Touched, so that a lack of memory shows now.
cl::Buffer touched_buffer(const cl::Context& context, const cl::CommandQueue& queue, std::size_t bytes) {
  const cl::Buffer made = make_buffer(context, CL_MEM_READ_WRITE, bytes);
  queue.enqueueFillBuffer(made, cl_uint{0}, 0, bytes);
  return made;
}

}  // namespace

std::shared_ptr<LaneBufferPool> make_lane_buffer_pool(const cl::Context& context, const cl::Device& device) {
  return std::make_shared<LaneBufferPool>(
      [=](const LaneBufferSizes& sizes, const std::function<bool()>& wanted) -> std::unique_ptr<LaneBuffers> {
        if (!wanted()) return nullptr;
        const cl::CommandQueue queue(context, device);
        const std::size_t pair_bytes =
            checked_mul(checked_add<std::size_t>(sizes.candidates, 1), sizeof(Candidate));
        auto made = std::make_unique<LaneBuffers>();
        for (DevicePairs* pairs : {&made->found, &made->left})
          *pairs = {touched_buffer(context, queue, pair_bytes), narrow<cl_uint>(sizes.candidates)};
        made->weights = touched_buffer(context, queue, checked_mul(sizes.profiles, sizeof(Word)));
        queue.finish();
        return made;
      });
}

}  // namespace fastid
