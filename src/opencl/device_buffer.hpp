/// \file
/// Buffers on a device, and canaries around them for who wants to know that no kernel writes where it must
/// not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "opencl/device/cl_api.hpp"

namespace fastid {

/// A buffer as cl::Buffer's constructor makes it; with canaries around it while a BufferGuard lives on this
/// thread. \param host  copied where it is not null
cl::Buffer make_buffer(const cl::Context& context, cl_mem_flags flags, std::size_t bytes,
                       const void* host = nullptr);

/// A copy of words that kernels only read; there may be none.
cl::Buffer make_copy(const cl::Context& context, std::vector<cl_uint> words);

/// While it lives, each buffer that its thread makes lies between two runs of canaries. One at a time a
/// thread.
class BufferGuard {
 public:
  BufferGuard();
  ~BufferGuard();
  BufferGuard(const BufferGuard&) = delete;
  BufferGuard& operator=(const BufferGuard&) = delete;

  /// True while every canary is as it was put. Nothing may be running that uses the buffers. \throws
  /// cl::Error
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

}  // namespace fastid
