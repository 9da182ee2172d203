/// \file
/// Command lines as texts for a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastid {

/// An argument as a shell takes it, in quotes where it needs them.
std::string shell_word(std::string_view argument);

/// The arguments of a text of shell_word()s with blanks between; no value where it is no such text.
std::optional<std::vector<std::string>> shell_arguments(std::string_view text);

}  // namespace fastid
