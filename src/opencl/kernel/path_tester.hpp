/// \file
/// The host's side of kernels/path_score.cl: pairs whose likeliest paths pass (engine/path_count.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/path_count.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid {

/// Build options of path_score.cl.
std::string path_options();

/// Packs a problem's queries, and what they are tested by, for its kernel. \throws cl::Error
PairKernelMaker pack_paths_for(const cl::Context& context, const cl::Program& program, const Problem& problem,
                               const PathTest& test);

/// Bytes on the device for the queries and for what they are tested by: of all buffers, and of the largest of
/// each kind.
struct PathBytes {
  std::uint64_t all = 0, queries = 0, scores = 0;
};
PathBytes path_bytes(const Problem& problem, const PathTest& test);

}  // namespace fastid
