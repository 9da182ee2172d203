/// \file
/// Host memory that a device reads and writes by direct transfer.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid {

/// The memory is mapped while this object exists. fastid allocates it itself, in large pages where the system
/// has them: an H200's driver pins that in a fraction of the time that it takes to allocate pinned memory of
/// its own, and transfers are as fast.
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

}  // namespace fastid
