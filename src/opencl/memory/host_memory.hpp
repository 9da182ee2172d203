/// \file
/// Host memory that a device reads, and a plane of a worker's tile: the host memory that it is read into, and
/// the device memory that kernels read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bits/blocks.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {

/// Host memory that a device reads and writes by direct transfer, mapped while this object exists. fastid
/// allocates it itself, in large pages where the system has them: an H200's driver pins that in a fraction of
/// the time that it takes to allocate pinned memory of its own, and transfers are as fast.
class PinnedMemory {
 public:
  /// \param words  at least one \throws cl::Error
  PinnedMemory(const cl::Context& context, const cl::CommandQueue& queue, WordBuffer words);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  Word* data() const { return mapped_; }
  std::size_t bytes() const { return words_.size() * sizeof(Word); }

 private:
  cl::CommandQueue queue_;
  WordBuffer words_;
  cl::Buffer pinned_;
  Word* mapped_ = nullptr;  ///< the host's address, which lies in words_ (OpenCL 1.2, 5.4.2)
};

/// One plane of a worker's tile, on the host and on the device. Used by one thread at a time.
class TilePlane {
 public:
  virtual ~TilePlane() = default;
  virtual Word* host() = 0;
  virtual const cl::Buffer& device() const = 0;

  /// Gives the first `bytes` bytes of the host's memory to the device. The host must not use its memory until
  /// return_to_host(). Appends the events of transfers, and returns the bytes that are transferred.
  virtual std::uint64_t send(const cl::CommandQueue& queue, std::size_t bytes,
                             std::vector<cl::Event>& transfers) = 0;
  /// Lets the host use its memory again, after everything that is queued so far.
  virtual void return_to_host(const cl::CommandQueue& queue) = 0;
};

/// Pinned host memory and memory on the device, or the same memory for both if `unified`: the device works in
/// the host's memory.
/// \param words  the host's memory, all zero (as the device's will be) and touched
/// \throws cl::Error
std::unique_ptr<TilePlane> make_tile_plane(const cl::Context& context, const cl::CommandQueue& queue,
                                           WordBuffer words, bool unified);

}  // namespace fastid::opencl
