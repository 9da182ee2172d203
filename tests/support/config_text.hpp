/// \file
/// A config of the repository with some of its numbers changed.
#pragma once

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded.hpp"

namespace fastid::testing {

/// configs/NAME.h, in which each FASTID_`first` of `changes`, defined there or not, is defined as `second`.
inline std::string config_with(const std::string& name,
                               const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text(embedded_text("configs/" + name + ".h"));
  for (const auto& [number, value] : changes) {
    const std::regex line("(#define FASTID_" + number + ") \\S+");
    if (std::regex_search(text, line))
      text = std::regex_replace(text, line, "$1 " + value);
    else
      text += "#define FASTID_" + number + " " + value + "\n";
  }
  return text;
}

}  // namespace fastid::testing
