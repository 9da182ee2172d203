/// \file
/// Products of vectors of numbers, and of words of bits, on an OpenCL device: kernels/min_plus.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bits/blocks.hpp"
#include "engine/real_matrix.hpp"
#include "engine/similarity.hpp"
#include "opencl/devices.hpp"

namespace fastid::opencl {

/// How a device reads vectors: by way of local memory, or where they lie; kBest: the latter on CPUs.
enum class MinPlusReads : std::uint8_t { kBest, kStaged, kDirect };

/// Holds all vectors on the device. Before it is used, the device must compute what the definition computes
/// of a small matrix. \param selector  as make_opencl_engine() has it \param matrix  is copied to the device
/// \throws DeviceError, also where the device has no double or takes numbers of the matrix for 0
std::unique_ptr<engine::SimilarityEngine> make_opencl_real_similarity(
    const std::string& selector, const engine::RealMatrix& matrix, MinPlusReads reads = MinPlusReads::kBest);

/// The same for bits, by popcounts; make_opencl_bit_similarity() knows where the unit for matrices of bits is
/// faster. \param vectors  without a second plane
std::unique_ptr<engine::SimilarityEngine> make_opencl_word_similarity(
    const OpenClDevice& device, const BlocksView& vectors, MinPlusReads reads = MinPlusReads::kBest);

}  // namespace fastid::opencl
