/// \file
/// One plane of a worker's tile: the host memory that it is read into, and the device memory that kernels
/// read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bits/blocks.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid {

/// One plane of a worker's tile, on the host and on the device: of one thread at a time.
class TilePlane {
 public:
  virtual ~TilePlane() = default;
  virtual Word* host() = 0;
  virtual const cl::Buffer& device() const = 0;

  /// The device will find the first `bytes` that lie in the host's memory; the host leaves it alone until
  /// take_back(). Appends the events of transfers. Returns the bytes that are moved.
  virtual std::uint64_t send(const cl::CommandQueue& queue, std::size_t bytes,
                             std::vector<cl::Event>& transfers) = 0;
  /// What was queued so far is the device's last use of the tile.
  virtual void take_back(const cl::CommandQueue& queue) = 0;
};

/// Pinned host memory beside device memory, or, where the device works in the host's memory, one for both.
/// \param words  the host's; all zero, as the device's is, and touched \throws cl::Error
std::unique_ptr<TilePlane> make_tile_plane(const cl::Context& context, const cl::CommandQueue& queue,
                                           WordBuffer words, bool unified);

}  // namespace fastid
