/// \file
/// Products of minima on an OpenCL device: kernels/min_plus.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/real_matrix.hpp"
#include "engine/similarity.hpp"

namespace fastid {

/// How a device reads vectors: by way of local memory, or where they lie; kBest: the latter on CPUs.
enum class MinPlusReads : std::uint8_t { kBest, kStaged, kDirect };

/// Holds all vectors on the device. Before it is used, the device must compute what the definition computes
/// of a small matrix. \param selector  as make_opencl_engine() has it \param matrix  must outlive the engine
/// \throws DeviceError, also where the device has no double or takes numbers of the matrix for 0
std::unique_ptr<SimilarityEngine> make_opencl_real_similarity(const std::string& selector,
                                                              const RealMatrix& matrix,
                                                              MinPlusReads reads = MinPlusReads::kBest);

}  // namespace fastid
