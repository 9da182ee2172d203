/// \file
/// What a lane has on the device besides its tile's planes and what its queries are packed to.
#pragma once

#include <cstddef>
#include <memory>

#include "opencl/cl_api.hpp"
#include "opencl/device_bars.hpp"
#include "opencl/lane_pool.hpp"

namespace fastid {

struct LaneBufferSizes {
  std::size_t candidates = 1;  ///< that a buffer of pairs holds
  std::size_t profiles = 1;    ///< of a tile

  friend bool operator==(const LaneBufferSizes&, const LaneBufferSizes&) = default;
};

/// `found`: the pairs that passed. `left`: those of them that pass bars which were closed since.
struct LaneBuffers {
  DevicePairs found, left;
  cl::Buffer weights;  ///< a word for each profile of the tile
};

using LaneBufferPool = LanePool<LaneBuffers, LaneBufferSizes>;
std::shared_ptr<LaneBufferPool> make_lane_buffer_pool(const cl::Context& context, const cl::Device& device);

}  // namespace fastid
