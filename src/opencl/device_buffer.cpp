#include "opencl/device_buffer.hpp"

#include <algorithm>

namespace fastid::opencl {
namespace {

thread_local BufferGuard* g_guard = nullptr;

constexpr std::size_t kCanaries = 1024;  // bytes of canaries behind a buffer
constexpr unsigned char kCanary = 0xA5;

// Of what is copied to a device from memory that is not pinned.
constexpr std::size_t kPiece = std::size_t{1} << 20;

// Sub-buffers begin at multiples of this many bytes.
std::size_t alignment_of(const cl::Device& device) {
  return std::max<std::size_t>(kCanaries, device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8);
}

bool all_canaries(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t first, std::size_t n) {
  std::vector<unsigned char> found(n);
  queue.enqueueReadBuffer(buffer, CL_TRUE, first, n, found.data());
  return std::ranges::all_of(found, [](unsigned char c) { return c == kCanary; });
}

}  // namespace

cl::Buffer make_buffer(const cl::Context& context, cl_mem_flags flags, std::size_t bytes, const void* host) {
  if (g_guard != nullptr) return g_guard->guard(context, flags, bytes, host);
  if (host == nullptr) return {context, flags, bytes};
  if (bytes <= kPiece)
    return {context, flags | CL_MEM_COPY_HOST_PTR, bytes, const_cast<void*>(host)};  // which is only read
  cl::Buffer made(context, flags, bytes);
  write_in_pieces(cl::CommandQueue(context, context.getInfo<CL_CONTEXT_DEVICES>().front()), made, bytes,
                  host);
  return made;
}

void write_in_pieces(const cl::CommandQueue& queue, const cl::Buffer& to, std::size_t bytes,
                     const void* from) {
  for (std::size_t at = 0; at < bytes; at += kPiece)
    queue.enqueueWriteBuffer(to, CL_TRUE, at, std::min(kPiece, bytes - at),
                             static_cast<const char*>(from) + at);
}

cl::Buffer& GrowingBuffer::reserve(const cl::Context& context, std::size_t bytes) {
  if (bytes > bytes_) {
    bytes = std::max(bytes, bytes_ + bytes_ / 4);
    bytes_ = 0;
    buffer_ = cl::Buffer();  // given back before the next is asked for
    buffer_ = make_buffer(context, CL_MEM_READ_WRITE, bytes);
    bytes_ = bytes;
  }
  return buffer_;
}

BufferGuard::BufferGuard() {
  g_guard = this;
}

BufferGuard::~BufferGuard() {
  g_guard = nullptr;
}

cl::Buffer BufferGuard::guard(const cl::Context& context, cl_mem_flags flags, std::size_t bytes,
                              const void* host) {
  const cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  const std::size_t before = alignment_of(device);
  const cl::CommandQueue queue(context, device);
  const cl_mem_flags access = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE;
  const cl_mem_flags around_flags = (flags & ~access) | CL_MEM_READ_WRITE;
  const cl::Buffer around(context, around_flags, before + bytes + kCanaries);
  queue.enqueueFillBuffer(around, kCanary, 0, before + bytes + kCanaries);
  if (host != nullptr) queue.enqueueWriteBuffer(around, CL_TRUE, before, bytes, host);
  queue.finish();
  guarded_.push_back({queue, around, before, before + bytes});
  const cl_buffer_region region{before, bytes};
  cl::Buffer whole = around;
  return whole.createSubBuffer(flags & access, CL_BUFFER_CREATE_TYPE_REGION, &region);
}

bool BufferGuard::whole() const {
  return std::ranges::all_of(guarded_, [](const Guarded& g) {
    return all_canaries(g.queue, g.around, 0, g.first) &&
           all_canaries(g.queue, g.around, g.second, kCanaries);
  });
}

}  // namespace fastid::opencl
