/// \file
/// The errors that fastid raises. Each kind maps to one exit code; only main does this.
///
/// A message names the file, the place in it, what is wrong, and the cure, in one or two lines:
///
///   case.vcf.gz, line 12: genotype '0/7' names an allele that the record does not have; re-create the file
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fastid {

/// Exit codes of the program. They must not change, since scripts rely on them.
enum class ExitCode : int {
  kDone = 0,
  kFailure = 1,       ///< a write failed, a resource ran out, or fastid has a defect
  kUsage = 2,         ///< the command line is wrong
  kInput = 3,         ///< an input was rejected
  kDevice = 4,        ///< a device is missing or failed
  kNoMatch = 5,       ///< nothing matched, or a cohort is not as expected: only with --fail-if-...
  kInterrupted = 130  ///< SIGINT (SIGTERM ends with 143)
};

/// Base of all errors that fastid raises on purpose: what() is the whole message for the user.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Exit 1: writing failed, or a limit of the system was reached.
class Failure : public Error {
 public:
  explicit Failure(const std::string& message) : Error(ExitCode::kFailure, message) {}
};

/// Exit 2: the command line is wrong.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

/// Exit 3: an input is unreadable, malformed, corrupt, or of the wrong panel or build.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kInput, message) {}

  /// "FILE, PLACE: PROBLEM; CURE". An empty `place` or `cure` is left out with its punctuation.
  InputError(std::string_view file, std::string_view place, std::string_view problem, std::string_view cure);
};

/// Exit 4: there is no such device, or it failed.
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message) : Error(ExitCode::kDevice, message) {}
};

/// Exit 4: the device has too little memory for the request; a smaller request may succeed.
class DeviceMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The end of each message about a device that was found to be wrong.
inline constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

/// Exit 4: a device gave an answer that is wrong. "PROBLEM; " and kDistrust.
class WrongAnswer : public DeviceError {
 public:
  explicit WrongAnswer(const std::string& problem);
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::string problem_;
};

/// Raised at a safe point after a signal asked the program to stop.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// Exit 0: the reader of our output has closed the pipe. Ends the program without a message.
class ReaderGone : public Error {
 public:
  ReaderGone() : Error(ExitCode::kDone, "the reader of the output is gone") {}
};

/// "strerror(number)" for messages, thread-safe.
std::string errno_text(int number);
/// errno_text() for a file that cannot be written, with the cure where there is one.
std::string cannot_write_text(int number);

}  // namespace fastid
