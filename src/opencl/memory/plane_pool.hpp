/// \file
/// The planes of lanes' tiles, which an engine keeps.
#pragma once

#include <cstddef>
#include <memory>

#include "opencl/device/cl_api.hpp"
#include "opencl/memory/lane_pool.hpp"
#include "opencl/memory/tile_plane.hpp"

namespace fastid {

/// By words.
using PlanePool = LanePool<TilePlane, std::size_t>;

/// \param unified  the device works in the host's memory
/// \param threads  that zero a plane's pages
std::shared_ptr<PlanePool> make_plane_pool(const cl::Context& context, const cl::Device& device, bool unified,
                                           std::size_t threads);

}  // namespace fastid
