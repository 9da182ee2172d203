/// \file
/// Linked sites on OpenCL devices: kernels/link_sites.cl and kernels/compare_sites.cl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/linkage.hpp"
#include "opencl/bit_products.hpp"

namespace fastid {

/// Settings for tests, benches and tune.
struct SiteTuning {
  BitProducts products = BitProducts::kBest;
  std::string config_file = {};        ///< a config in place of the one that fits the device; "": none
  std::string config = {};             ///< the same of an embedded one, by its name
  std::string config_text = {};        ///< the same by its text
  std::uint32_t most_found = 1 << 20;  ///< pairs that the device's buffer holds; if more pass, find() runs
                                       ///< the tile again in parts
};

/// Holds all sites on each of some devices, which take tiles as they get done. Before it is used, a device
/// must find what the definition finds in a small cohort. \param selectors  of one or more devices, as
/// make_opencl_engine() has them \throws DeviceError; InputError (a config)
std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::vector<std::string>& selectors,
                                                    const SiteProblem& problem,
                                                    const SiteTuning& tuning = {});

}  // namespace fastid
