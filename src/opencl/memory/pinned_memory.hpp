/// \file
/// Host memory that a device takes by direct transfer.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid {

/// Mapped while it lives. It is ours, in large pages where the system has them: an H200's driver makes that
/// fit for transfers in a part of the time that it needs for memory of its own, and transfers it as fast.
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
  Word* mapped_ = nullptr;  ///< where the host has it; within words_, as OpenCL 1.2, 5.4.2, promises
};

}  // namespace fastid
