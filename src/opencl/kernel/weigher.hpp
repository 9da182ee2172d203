/// \file
/// The host's side of kernels/weigh.cl: pairs of the queries that have weights (engine/weighted_count.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "engine/weighted_count.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid::opencl {

/// Build options of weigh.cl for a problem.
std::string weigh_options(const engine::Problem& problem);

/// Packs the weights. Queries are numbered as WeightedCount::weighted() has them. \throws cl::Error
PairKernelMaker pack_weights(const cl::Context& context, const cl::Program& program,
                             const engine::Problem& problem, const engine::WeightedCount& count);

/// Bytes on the device for the weights.
std::uint64_t weight_bytes(const engine::WeightedCount& count);

}  // namespace fastid::opencl
