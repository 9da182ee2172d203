/// \file
/// Epistasis on an OpenCL device: kernels/epistasis.cl and epistasis_matrix.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/epistasis.hpp"
#include "opencl/bit_products.hpp"

namespace fastid::opencl {

/// Holds all people on the device, if it can. Before it is used, the device must find what the definition
/// finds in a small cohort. \param selector  as make_opencl_engine() has it \param most_found  combinations
/// that the device's buffer holds, at least as many as there are sites; if more pass, find() runs the tile
/// again in parts \param memory  the most bytes of sites on the device: where they take more, where the
/// device has less, and where there are more people than kMostPeopleInFloat, one stretch of people is counted
/// after the other \throws DeviceError
std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis(const std::string& selector,
                                                               const engine::EpistasisProblem& problem,
                                                               BitProducts products = BitProducts::kBest,
                                                               std::uint32_t most_found = 1 << 16,
                                                               std::uint64_t memory = UINT64_MAX);

/// The same by stretches of people alone. \param memory  the most bytes that it may take on the device; it
/// takes less where the device lacks memory \throws DeviceError, also where the device has no double
/// precision
std::unique_ptr<engine::EpistasisEngine> make_opencl_epistasis_by_stretches(
    const std::string& selector, const engine::EpistasisProblem& problem, BitProducts products,
    std::uint32_t most_found, std::uint64_t memory);

}  // namespace fastid::opencl
