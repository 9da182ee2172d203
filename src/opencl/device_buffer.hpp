/// \file
/// Buffers on a device, and canaries around them for tests that check that no kernel writes where it must
/// not.
#pragma once

#include <cstddef>
#include <vector>

#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// A buffer as cl::Buffer's constructor makes it, with canaries around it while this thread has a
/// BufferGuard. \param host  what is copied into the buffer; null: nothing
cl::Buffer make_buffer(const cl::Context& context, cl_mem_flags flags, std::size_t bytes,
                       const void* host = nullptr);

/// Writes bytes of memory that is not pinned to the start of a buffer. NVIDIA's driver lets no other thread
/// call it while it copies such memory, whichever device that works for; between pieces others get in.
/// \throws cl::Error
void write_in_pieces(const cl::CommandQueue& queue, const cl::Buffer& to, std::size_t bytes,
                     const void* from);

/// A copy of items, possibly none, that kernels only read.
template <class Item>
cl::Buffer make_copy(const cl::Context& context, const std::vector<Item>& items) {
  if (items.empty()) return make_buffer(context, CL_MEM_READ_ONLY, sizeof(Item));
  return make_buffer(context, CL_MEM_READ_ONLY, items.size() * sizeof(Item), items.data());
}

/// A buffer that grows to what is asked of it, by a quarter at least, since the next time often asks for a
/// little more. What was in it is lost then.
class GrowingBuffer {
 public:
  cl::Buffer& reserve(const cl::Context& context, std::size_t bytes);
  /// The same with a copy of items in it.
  template <class Item>
  cl::Buffer& put(const cl::Context& context, const cl::CommandQueue& queue, const std::vector<Item>& items) {
    const std::size_t bytes = items.size() * sizeof(Item);
    write_in_pieces(queue, reserve(context, bytes), bytes, items.data());
    return buffer_;
  }
  const cl::Buffer& buffer() const { return buffer_; }

 private:
  cl::Buffer buffer_;
  std::size_t bytes_ = 0;
};

/// While it exists, each buffer that its thread makes has canaries before and behind it. A thread may have
/// only one at a time.
class BufferGuard {
 public:
  BufferGuard();
  ~BufferGuard();
  BufferGuard(const BufferGuard&) = delete;
  BufferGuard& operator=(const BufferGuard&) = delete;

  /// True while every canary is unchanged. Nothing that uses the buffers may be running. \throws cl::Error
  bool whole() const;
  /// Buffers made so far.
  std::size_t buffers() const { return guarded_.size(); }

 private:
  friend cl::Buffer make_buffer(const cl::Context&, cl_mem_flags, std::size_t, const void*);
  cl::Buffer guard(const cl::Context& context, cl_mem_flags flags, std::size_t bytes, const void* host);

  struct Guarded {
    cl::CommandQueue queue;
    cl::Buffer around;          ///< canaries, the buffer, canaries
    std::size_t first, second;  ///< where the buffer begins, and where it ends
  };
  std::vector<Guarded> guarded_;
};

}  // namespace fastid::opencl
