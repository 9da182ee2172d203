#include "opencl/memory/pinned_memory.hpp"

#include <utility>

namespace fastid {

PinnedMemory::PinnedMemory(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
    : queue_(queue),
      words_(std::move(words)),
      pinned_(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes(), words_.data()),
      mapped_(static_cast<Word*>(
          queue.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes()))) {}

// All transfers to and from this memory have been waited for. A device that fails here does not use it any
// more, so errors are ignored.
PinnedMemory::~PinnedMemory() {
  try {
    queue_.enqueueUnmapMemObject(pinned_, mapped_);
  } catch (const cl::Error&) {
    // ignored, as said above
  }
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    // ignored, as said above
  }
}

}  // namespace fastid
