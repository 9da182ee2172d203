#include "report/validation.hpp"

#include <algorithm>

namespace fastid::report {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kNotRun:
      break;
  }
  return "not run";
}

std::size_t Result::failed_checks() const {
  return static_cast<std::size_t>(std::ranges::count(checks, false, &Check::met));
}

bool Validation::passed() const {
  return std::ranges::none_of(results,
                              [](const Result& result) { return result.outcome == Outcome::kFailed; }) &&
         std::ranges::any_of(results,
                             [](const Result& result) { return result.outcome == Outcome::kPassed; });
}

}  // namespace fastid::report
