/// \file
/// A part of the program whose notes and warnings are no news.
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
