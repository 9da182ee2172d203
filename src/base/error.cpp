#include "base/error.hpp"

#include <system_error>

namespace fastid {
namespace {

std::string compose(std::string_view file, std::string_view place, std::string_view problem,
                    std::string_view cure) {
  std::string text(file);
  if (!place.empty()) text.append(", ").append(place);
  text.append(": ").append(problem);
  if (!cure.empty()) text.append("; ").append(cure);
  return text;
}

}  // namespace

InputError::InputError(std::string_view file, std::string_view place, std::string_view problem,
                       std::string_view cure)
    : Error(ExitCode::kInput, compose(file, place, problem, cure)) {}

Interrupted::Interrupted(int signal) : Error(ExitCode::kInterrupted, "interrupted"), signal_(signal) {}

std::string errno_text(int number) {
  return std::generic_category().message(number);
}

}  // namespace fastid
