/// \file
/// Silences notes and warnings of a part of the program.
#pragma once

namespace fastid::log {

/// While such an object exists, errors alone reach standard error, whatever set_level() says meanwhile.
class OnlyErrors {
 public:
  OnlyErrors();
  ~OnlyErrors();
  OnlyErrors(const OnlyErrors&) = delete;
  OnlyErrors& operator=(const OnlyErrors&) = delete;
};

}  // namespace fastid::log
