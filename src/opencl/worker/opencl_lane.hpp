/// \file
/// A lane of the OpenCL engine: a command queue, a tile's memory on both sides, and the kernel's runs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/memory/lane_buffers.hpp"
#include "opencl/memory/plane_pool.hpp"
#include "opencl/worker/pass_tallies.hpp"

namespace fastid {

/// What lanes share. `name` is for messages.
struct OpenClContext {
  std::string name;
  cl::Device device;
  cl::Context context;
  bool unified_memory = false;
  std::shared_ptr<PassTallies> tallies;  ///< that all of them add to
};

struct LaneSizes {
  std::size_t tile_blocks = 1;
  std::size_t candidates = 1;   ///< that its buffer holds
  std::size_t pairs = 1;        ///< that one run of the kernel can count
  std::size_t kept_blocks = 1;  ///< that memory is taken for at once, for tiles that are kept
};

/// No called plane: null.
struct LaneMemory {
  std::shared_ptr<TilePlane> bits, called;
  std::shared_ptr<LaneBuffers> buffers;
};

/// What an engine keeps of it.
class LanePools {
 public:
  /// \param threads  of the host
  LanePools(const OpenClContext& context, std::size_t threads);

  /// Begins to make what so many lanes will take. Called by one thread at a time.
  void prepare(const Problem& problem, const LaneSizes& sizes, std::size_t lanes);
  /// \throws cl::Error, Failure
  LaneMemory take(const Problem& problem, const LaneSizes& sizes);
  /// Frees what no lane has.
  void drop_free();

 private:
  std::shared_ptr<PlanePool> planes_;
  std::shared_ptr<LaneBufferPool> buffers_;
};

/// Packs a problem's queries for what compares them. Lives as long as a lane: called for each Lane::ask().
/// \throws cl::Error, DeviceError
using QueryPacker = std::function<ComparerMaker(const Problem&)>;

/// \param memory  of these sizes
/// \param packed  of `problem`, by `pack`
/// \param warm_up  the first of lanes that run the same kernels: it runs each once
/// \throws cl::Error, Failure (sizes)
std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const Problem& problem,
                                       const LaneSizes& sizes, LaneMemory memory, ComparerMaker packed,
                                       QueryPacker pack, bool warm_up);

}  // namespace fastid
