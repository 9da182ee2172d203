/// \file
/// What a lane has for its device besides its tile's planes and what its queries are packed to.
#pragma once

#include <cstddef>
#include <memory>

#include "opencl/device/cl_api.hpp"
#include "opencl/memory/lane_pool.hpp"
#include "opencl/worker/device_bars.hpp"
#include "opencl/worker/lane_queue.hpp"

namespace fastid {

struct LaneBufferSizes {
  std::size_t candidates = 1;  ///< that a buffer of pairs holds
  std::size_t profiles = 1;    ///< of a tile

  friend bool operator==(const LaneBufferSizes&, const LaneBufferSizes&) = default;
};

/// `found`: the pairs that passed. `left`: those of them that pass bars which were closed since.
struct LaneBuffers {
  cl::CommandQueue queue;  ///< that was used: what a driver makes at first use is made
  DevicePairs found, left;
  cl::Buffer weights;                ///< a word for each profile of the tile
  cl::Buffer n_sound;                ///< a word: how many of its blocks have their checksums
  std::unique_ptr<Staging> staging;  ///< of the lane's queue
  bool spoiled = false;              ///< by an error: no lane is to have them again
};

using LaneBufferPool = LanePool<LaneBuffers, LaneBufferSizes>;
std::shared_ptr<LaneBufferPool> make_lane_buffer_pool(const cl::Context& context, const cl::Device& device);

}  // namespace fastid
