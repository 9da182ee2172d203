#include "opencl/memory/host_memory.hpp"

#include <utility>

#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr cl_map_flags kReadAndWrite = CL_MAP_READ | CL_MAP_WRITE;

// Pinned host memory, whose contents are transferred to memory of the device.
class PinnedPlane final : public TilePlane {
 public:
  PinnedPlane(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
      : host_(context, queue, std::move(words)),
        device_(make_buffer(context, CL_MEM_READ_WRITE, host_.bytes())) {
    // Drivers allocate at first use. A lack of memory must show here, where a smaller tile can still be
    // tried.
    queue.enqueueFillBuffer(device_, cl_uint{0}, 0, host_.bytes());
    queue.finish();
  }

  Word* host() override { return host_.data(); }
  const cl::Buffer& device() const override { return device_; }

  std::uint64_t send(const cl::CommandQueue& queue, std::size_t bytes,
                     std::vector<cl::Event>& transfers) override {
    if (bytes > 0)
      queue.enqueueWriteBuffer(device_, CL_FALSE, 0, bytes, host_.data(), nullptr, &transfers.emplace_back());
    return bytes;
  }
  void return_to_host(const cl::CommandQueue&) override {}

 private:
  PinnedMemory host_;
  cl::Buffer device_;
};

// Host memory that the device reads where it is. Mapping and unmapping pass it between host and device.
class SharedPlane final : public TilePlane {
 public:
  SharedPlane(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words)
      : queue_(queue),
        words_(std::move(words)),
        device_(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, words_.size() * sizeof(Word),
                words_.data()) {
    return_to_host(queue_);
    queue_.finish();
  }
  ~SharedPlane() override {
    try {
      if (mapped_ != nullptr) queue_.enqueueUnmapMemObject(device_, mapped_);
      queue_.finish();
    } catch (const cl::Error&) {
      // The device has failed and does not read the memory any more.
    }
  }
  SharedPlane(const SharedPlane&) = delete;
  SharedPlane& operator=(const SharedPlane&) = delete;

  Word* host() override { return words_.data(); }
  const cl::Buffer& device() const override { return device_; }

  std::uint64_t send(const cl::CommandQueue& queue, std::size_t, std::vector<cl::Event>&) override {
    if (mapped_ != nullptr) queue.enqueueUnmapMemObject(device_, mapped_);
    mapped_ = nullptr;
    return 0;
  }
  void return_to_host(const cl::CommandQueue& queue) override {
    mapped_ = queue.enqueueMapBuffer(device_, CL_FALSE, kReadAndWrite, 0, words_.size() * sizeof(Word));
  }

 private:
  cl::CommandQueue queue_;
  WordBuffer words_;
  cl::Buffer device_;
  void* mapped_ = nullptr;  // the host's address; null while the device has it
};

}  // namespace

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

std::unique_ptr<TilePlane> make_tile_plane(const cl::Context& context, const cl::CommandQueue& queue,
                                           WordBuffer words, bool unified) {
  if (unified) return std::make_unique<SharedPlane>(context, queue, std::move(words));
  return std::make_unique<PinnedPlane>(context, queue, std::move(words));
}

}  // namespace fastid::opencl
