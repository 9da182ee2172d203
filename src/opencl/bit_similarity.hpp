/// \file
/// Products of vectors of bits on an OpenCL device: kernels/bit_products.cl, or kernels/min_plus.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bits/blocks.hpp"
#include "engine/similarity.hpp"
#include "opencl/bit_products.hpp"

namespace fastid::opencl {

/// Holds all vectors on the device. Before it is used, the device must count what the definition counts of a
/// few vectors. \param vectors  without a second plane \param selector  as make_opencl_engine() has it
/// \throws DeviceError
std::unique_ptr<engine::SimilarityEngine> make_opencl_bit_similarity(
    const std::string& selector, const BlocksView& vectors, BitProducts products = BitProducts::kBest);

}  // namespace fastid::opencl
