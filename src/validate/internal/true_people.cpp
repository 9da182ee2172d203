#include "validate/internal/true_people.hpp"

#include <fmt/format.h>

#include <cmath>

namespace fastid::validate {

double check_true_people(report::Result& result, const std::string& what, const Sum& expected,
                         const TruePeople& found, std::uint64_t n_profiles) {
  const double n = static_cast<double>(found.n), mean = found.sum / n;
  const double away = (mean - expected.mean) / std::sqrt(expected.variance / n);
  result.check("mean log10 LR of the true person: " + what,
               fmt::format("{:.2f}, at most {} standard errors away", expected.mean, kFarthest),
               fmt::format("{:.2f}, {:+.1f} standard errors", mean, away), std::abs(away) <= kFarthest);
  // With ratios this far above the number of profiles, a stranger is listed first for at most one sample in a
  // hundred.
  if (expected.mean - 4 * std::sqrt(expected.variance) > std::log10(static_cast<double>(n_profiles)) + 2)
    result.check("the true person is listed first: " + what,
                 fmt::format("at least {}", least_of(found.n, .99)),
                 fmt::format("{} of {}", found.first, found.n), found.first >= least_of(found.n, .99));
  return away;
}

}  // namespace fastid::validate
