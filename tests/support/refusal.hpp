/// \file
/// What an action that must be refused says.
#pragma once

#include <string>

#include "base/error.hpp"

namespace fastid::testing {

/// The message of the error that `action` ends with, or "accepted". Other kinds of error are passed on.
template <class Kind = InputError, class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace fastid::testing
