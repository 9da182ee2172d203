/// \file
/// Relatives who share stretches of chromosomes, weighed as `fastid kin` does by default.
#pragma once

#include "validate/internal/setting.hpp"

namespace fastid::validate {

/// Adds its checks and a table to the result. Nothing where no autosomal site has a position.
void test_relatives_along_map(const Setting& setting, report::Result& result);

}  // namespace fastid::validate
