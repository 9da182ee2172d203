/// \file
/// Which test answers which published recommendation.
#pragma once

#include <span>

#include "report/validation.hpp"

namespace fastid::validate {

std::span<const report::Recommendation> recommendations();

}  // namespace fastid::validate
