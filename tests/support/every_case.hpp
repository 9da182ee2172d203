/// \file
/// How much of their cases tests take.
#pragma once

#include <cstdlib>

namespace fastid::testing {

/// Whether a test takes each case of a cross of many (FASTID_TEST_ALL, as `scripts/test --all` sets it), and
/// not a part in which each value still comes with several of the others.
inline bool every_case() {
  return std::getenv("FASTID_TEST_ALL") != nullptr;
}

}  // namespace fastid::testing
