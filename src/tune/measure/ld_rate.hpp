/// \file
/// How fast a config finds linked sites by ld.cl.
#pragma once

#include <cstdint>
#include <string>

#include "model/config.hpp"
#include "tune/measure/timing.hpp"

namespace fastid::tune {

struct LdShape {
  std::uint32_t sites = 4096, people = 2504;  ///< everybody called
};

/// The time of all pairs of random sites, from sites on the device to the linked pairs in memory. Before
/// that, the device must find the same as the definition in a small cohort. \param selector  as in --device
/// opencl:SELECTOR \throws DeviceError, Interrupted
Timing ld_timing(const std::string& selector, const model::KernelConfig& config, const LdShape& shape,
                 const Repeats& repeats);

/// Bits of the products of planes in all pairs of a shape.
double ld_bits(const LdShape& shape);

}  // namespace fastid::tune
