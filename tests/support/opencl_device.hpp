/// \file
/// The OpenCL device that tests run on.
#pragma once

#include <cstdlib>
#include <string>

namespace fastid::testing {

/// What FASTID_TEST_OPENCL says, a selector of --device opencl:SELECTOR; by default "", the first device.
inline std::string opencl_selector() {
  const char* const named = std::getenv("FASTID_TEST_OPENCL");
  return named == nullptr ? "" : named;
}

}  // namespace fastid::testing
