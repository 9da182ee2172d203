/// \file
/// Linked sites on an OpenCL device: kernels/ld_matrix.cl and kernels/ld.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/ld.hpp"
#include "opencl/bit_products.hpp"

namespace fastid::opencl {

/// Settings for tests, benches and tune.
struct LdTuning {
  BitProducts products = BitProducts::kBest;
  std::string config_file = {};        ///< a config in place of the one that fits the device; "": none
  std::string config = {};             ///< the same of an embedded one, by its name
  std::string config_text = {};        ///< the same by its text
  std::uint32_t most_found = 1 << 20;  ///< pairs that the device's buffer holds; if more pass, find() runs
                                       ///< the tile again in parts
};

/// Holds all sites on the device. Before it is used, the device must find what the definition finds in a
/// small cohort. \param selector  as make_opencl_engine() has it \throws DeviceError; InputError (a config)
std::unique_ptr<engine::LdEngine> make_opencl_ld_engine(const std::string& selector,
                                                        const engine::LdProblem& problem,
                                                        const LdTuning& tuning = {});

}  // namespace fastid::opencl
