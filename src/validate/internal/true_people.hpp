/// \file
/// Checks for samples whose own person is in the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/validation.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {

/// What was found of samples whose people are in the database.
struct TruePeople {
  std::size_t n = 0, first = 0;  ///< samples; samples whose person is listed first
  double sum = 0;                ///< sum of the true persons' log10 ratios
};

/// Checks that the mean ratio is as `expected` (of one sample), and, where that is far above the number of
/// profiles, that the person is listed first. \param what  the samples, for the report
/// \returns how many standard errors the mean lies away
double check_true_people(report::Result& result, const std::string& what, const Sum& expected,
                         const TruePeople& found, std::uint64_t n_profiles);

}  // namespace fastid::validate
