/// \file
/// Epistasis on an OpenCL device for any number of people: a stretch of them after the other.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/epistasis.hpp"
#include "opencl/bit_products.hpp"
#include "opencl/devices.hpp"

namespace fastid::opencl {

/// \param memory  the most bytes that it may take on the device; it takes less where the device lacks memory
/// \throws DeviceError, also where the device has no double precision
std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis_by_stretches(
    const OpenClDevice& device, const engine::EpistasisProblem& problem, BitProducts products,
    std::uint32_t most_found, std::uint64_t memory);

}  // namespace fastid::opencl
