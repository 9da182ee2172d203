#include "opencl/lane_buffers.hpp"

#include <algorithm>
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

// For what a tile has sent and brought as a rule; what is larger goes otherwise.
std::unique_ptr<Staging> make_staging(const cl::Context& context, const cl::CommandQueue& queue,
                                      const LaneBufferSizes& sizes) {
  constexpr std::size_t kMost = (std::size_t{1} << 20) / sizeof(Word);
  constexpr std::size_t kMoreRows = 256;  // of bars, than there are queries
  const std::size_t pairs =
      std::min(kMost, checked_mul(sizes.candidates + 1, sizeof(Candidate) / sizeof(Word)));
  const std::size_t bars = std::min(kMost, checked_mul<std::size_t>(sizes.queries + kMoreRows, kBarLines));
  const std::size_t checksums =
      std::min(kMost, sizes.profiles / kLanes * (sizeof(std::uint64_t) / sizeof(Word)));
  return std::unique_ptr<Staging>(
      new Staging{{context, queue, WordBuffer(pairs + 1)}, {context, queue, WordBuffer(bars + checksums)}});
}

}  // namespace

std::shared_ptr<LaneBufferPool> make_lane_buffer_pool(const cl::Context& context, const cl::Device& device) {
  return std::make_shared<LaneBufferPool>(
      [=](const LaneBufferSizes& sizes, const std::function<bool()>& wanted) -> std::unique_ptr<LaneBuffers> {
        if (!wanted()) return nullptr;
        auto made = std::make_unique<LaneBuffers>();
        const cl::CommandQueue& queue = made->queue = {context, device, CL_QUEUE_PROFILING_ENABLE};
        const std::size_t pair_bytes =
            checked_mul(checked_add<std::size_t>(sizes.candidates, 1), sizeof(Candidate));
        for (DevicePairs* pairs : {&made->found, &made->left})
          *pairs = {touched_buffer(context, queue, pair_bytes), narrow<cl_uint>(sizes.candidates)};
        made->weights = touched_buffer(context, queue, checked_mul(sizes.profiles, sizeof(Word)));
        made->checksums =
            touched_buffer(context, queue, checked_mul(sizes.profiles / kLanes, sizeof(std::uint64_t)));
        made->n_sound = touched_buffer(context, queue, sizeof(Word));
        made->staging = make_staging(context, queue, sizes);
        Word* const word = made->staging->reads.data();
        queue.enqueueWriteBuffer(made->weights, CL_TRUE, 0, sizeof *word, word);
        queue.enqueueReadBuffer(made->weights, CL_TRUE, 0, sizeof *word, word);
        return made;
      });
}

}  // namespace fastid
