/// \file
/// The manual page, and completions for shells: texts that `fastid --generate` prints.
#pragma once

#include <string>

#include "cli/command_tree.hpp"

namespace fastid::cli {

/// A page for man(1), section 1, of all commands.
std::string man_page(const CommandText& top);

// Scripts that complete commands, options and their values.
std::string bash_completion(const CommandText& top);
std::string zsh_completion(const CommandText& top);
std::string fish_completion(const CommandText& top);

}  // namespace fastid::cli
