/// \file
/// Linked sites on an OpenCL device: kernels/link_sites.cl.
#pragma once

#include <memory>
#include <string>

#include "engine/linkage.hpp"

namespace fastid {

/// Holds all sites on the device. Before it is used, the device must find what the definition finds in a
/// small cohort. \param selector  as make_opencl_engine() has it \param most_found  pairs that the device's
/// buffer holds; if more pass, find() runs the tile again in parts \throws DeviceError
std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::string& selector, const SiteProblem& problem,
                                                    std::uint32_t most_found = 1 << 20);

}  // namespace fastid
