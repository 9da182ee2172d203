/// \file
/// A lane of the OpenCL engine: a command queue, a tile's memory on both sides, and the kernel's runs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/cl_api.hpp"
#include "opencl/comparer.hpp"
#include "opencl/plane_pool.hpp"

namespace fastid {

/// What lanes share. `name` is for messages.
struct OpenClContext {
  std::string name;
  cl::Device device;
  cl::Context context;
  bool unified_memory = false;
};

struct LaneSizes {
  std::size_t tile_blocks = 1;
  std::size_t candidates = 1;   ///< that its buffer holds
  std::size_t pairs = 1;        ///< that one run of the kernel can count
  std::size_t kept_blocks = 1;  ///< that memory is taken for at once, for tiles that are kept
};

/// A lane's tile: one plane, or two where the problem has a called plane, else null.
struct TilePlanes {
  std::shared_ptr<TilePlane> bits, called;
};

/// Room for a tile of so many blocks. \throws cl::Error, Failure
TilePlanes take_planes(PlanePool& pool, const Problem& problem, std::size_t tile_blocks);
/// The words of each of them.
std::size_t plane_words(const Problem& problem, std::size_t tile_blocks);

/// Packs a problem's queries for what compares them. Lives as long as a lane: called for each Lane::ask().
/// \throws cl::Error, DeviceError
using QueryPacker = std::function<ComparerMaker(const Problem&)>;

/// \param tile  of sizes.tile_blocks
/// \param packed  of `problem`, by `pack`
/// \throws cl::Error, Failure (sizes)
std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const Problem& problem,
                                       const LaneSizes& sizes, TilePlanes tile, const ComparerMaker& packed,
                                       QueryPacker pack);

}  // namespace fastid
