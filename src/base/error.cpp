#include "base/error.hpp"

#include <cerrno>
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

WrongAnswer::WrongAnswer(const std::string& problem)
    : DeviceError(std::string(problem).append("; ").append(kDistrust)), problem_(problem) {}

Interrupted::Interrupted(int signal) : Error(ExitCode::kInterrupted, "interrupted"), signal_(signal) {}

std::string errno_text(int number) {
  return std::generic_category().message(number);
}

std::string cannot_write_text(int number) {
  const std::string text = errno_text(number);
  if (number == EACCES || number == EPERM || number == EROFS)
    return text + "; name a file in a folder that you may write to";
  return number == ENOENT ? text + "; make its folder first, or name another one" : text;
}

}  // namespace fastid
