/// \file
/// What an action that must be refused says.
#pragma once

#include <string>

#include "base/error.hpp"

namespace fastid::testing {

/// The message of the InputError that `action` ends with, or "accepted".
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace fastid::testing
