/// \file
/// The engines of an OpenCL device for questions that count what they hold in memory: linked sites,
/// epistasis, and products of vectors. Each holds all that it is asked about on the device, and before it is
/// used, the device must compute what the definition computes of a small problem. Selectors are as
/// make_opencl_engine() has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/epistasis.hpp"
#include "engine/ld.hpp"
#include "engine/similarity.hpp"
#include "engine/vector_blocks.hpp"

namespace fastid::opencl {

/// By which kernel a device multiplies the bits of sites, or of vectors: matrix products where the device has
/// an instruction for them and passes their proof, else popcounts; popcounts; or matrix products in OpenCL C,
/// which are slow and serve tests.
enum class BitProducts : std::uint8_t { kBest, kPopcounts, kPortableMatrix };

/// Settings for tests, benches and tune.
struct LdTuning {
  BitProducts products = BitProducts::kBest;
  std::string config_file = {};        ///< a config in place of the one that fits the device; "": none
  std::string config = {};             ///< the same of an embedded one, by its name
  std::string config_text = {};        ///< the same by its text
  std::uint32_t most_found = 1 << 20;  ///< pairs that the device's buffer holds; if more pass, find() runs
                                       ///< the tile again in parts
};

/// Linked sites, by ld_matrix.cl or ld.cl. \throws DeviceError; InputError (a config)
std::unique_ptr<engine::LdEngine> make_opencl_ld_engine(const std::string& selector,
                                                        const engine::LdProblem& problem,
                                                        const LdTuning& tuning = {});

/// Epistasis, by epistasis_matrix.cl or epistasis.cl. \param most_found  combinations that the device's
/// buffer holds, at least as many as there are sites; if more pass, find() runs the tile again in parts
/// \param memory  the most bytes of sites on the device: where they take more, where the device has less, and
/// where there are more people than kMostPeopleInFloat, one stretch of people is counted after the other
/// \throws DeviceError
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

/// How min_plus.cl reads vectors: by way of local memory, or where they lie; kBest: the latter on CPUs.
enum class MinPlusReads : std::uint8_t { kBest, kStaged, kDirect };

/// Products of vectors of numbers, by min_plus.cl; of bits by bit_products.cl, or by popcounts in
/// min_plus.cl. \param vectors  are copied to the device \throws DeviceError, also where the device has no
/// double or takes numbers of the vectors for 0
std::unique_ptr<engine::SimilarityEngine> make_opencl_similarity(const std::string& selector,
                                                                 const engine::VectorBlocks& vectors,
                                                                 BitProducts products = BitProducts::kBest,
                                                                 MinPlusReads reads = MinPlusReads::kBest);

}  // namespace fastid::opencl
