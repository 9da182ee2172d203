/// \file
/// The published recommendations, with the tests that answer them.
#pragma once

#include <span>

#include "report/validation.hpp"

namespace fastid::validate {

std::span<const report::Recommendation> recommendations();

}  // namespace fastid::validate
