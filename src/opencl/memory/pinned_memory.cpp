#include "opencl/memory/pinned_memory.hpp"

#include <utility>

namespace fastid {

PinnedMemory::PinnedMemory(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
    : queue_(queue),
      words_(std::move(words)),
      pinned_(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes(), words_.data()),
      mapped_(static_cast<Word*>(
          queue.enqueueMapBuffer(pinned_, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes()))) {}

// Transfers from and to it were waited for; a device that fails here uses it no more.
PinnedMemory::~PinnedMemory() {
  try {
    queue_.enqueueUnmapMemObject(pinned_, mapped_);
  } catch (const cl::Error&) {
    // as said
  }
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    // as said
  }
}

}  // namespace fastid
