#include "opencl/memory/lane_buffers.hpp"

#include <algorithm>
#include <functional>

#include "base/checked.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

// Touched, so that a lack of memory shows now.
cl::Buffer touched_buffer(const cl::Context& context, const cl::CommandQueue& queue, std::size_t bytes) {
  cl::Buffer made = make_buffer(context, CL_MEM_READ_WRITE, bytes);
  queue.enqueueFillBuffer(made, cl_uint{0}, 0, bytes);
  return made;
}

// For what a tile has sent and brought as a rule: bars; candidates, which grow with the queries as bars do.
// What is larger goes otherwise.
std::unique_ptr<Staging> make_staging(const cl::Context& context, const cl::CommandQueue& queue,
                                      std::size_t pair_bytes) {
  constexpr std::size_t kMost = (std::size_t{1} << 20) / sizeof(Word), kFetchedShare = 16;
  const std::size_t words = std::min(kMost, pair_bytes / sizeof(Word));
  return std::unique_ptr<Staging>(new Staging{
      {context, queue, WordBuffer(words)}, {context, queue, WordBuffer(words)}, words / kFetchedShare + 1});
}

}  // namespace

std::shared_ptr<LaneBufferPool> make_lane_buffer_pool(const cl::Context& context, const cl::Device& device) {
  return std::make_shared<LaneBufferPool>(
      [=](const LaneBufferSizes& sizes, const std::function<bool()>& wanted) -> std::unique_ptr<LaneBuffers> {
        if (!wanted()) return nullptr;
        auto made = std::make_unique<LaneBuffers>();
        made->queue = cl::CommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE);
        const cl::CommandQueue& queue = made->queue;
        const std::size_t pair_bytes =
            checked_mul(checked_add<std::size_t>(sizes.candidates, 1), sizeof(Candidate));
        for (DevicePairs* pairs : {&made->found, &made->left})
          *pairs = {touched_buffer(context, queue, pair_bytes), narrow<cl_uint>(sizes.candidates)};
        made->weights = touched_buffer(context, queue, checked_mul(sizes.profiles, sizeof(Word)));
        made->n_sound = touched_buffer(context, queue, sizeof(Word));
        made->staging = make_staging(context, queue, pair_bytes);
        Word* const word = made->staging->reads.data();
        queue.enqueueWriteBuffer(made->weights, CL_TRUE, 0, sizeof *word, word);
        queue.enqueueReadBuffer(made->weights, CL_TRUE, 0, sizeof *word, word);
        return made;
      });
}

}  // namespace fastid
