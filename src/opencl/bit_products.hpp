/// \file
/// By which kernel an OpenCL device multiplies the bits of sites, or of vectors.
#pragma once

#include <cstdint>

namespace fastid::opencl {

/// Matrix products where the device has an instruction for them and passes their proof, else popcounts;
/// popcounts; or matrix products in OpenCL C, which are slow and serve tests.
enum class BitProducts : std::uint8_t { kBest, kPopcounts, kPortableMatrix };

}  // namespace fastid::opencl
