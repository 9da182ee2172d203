/// \file
/// The texts of --help and -h: two columns, wrapped to a width of 80, so that it fits any terminal.
#pragma once

#include <string>

#include "cli/command_tree.hpp"

namespace fastid::cli {

/// What a command is for, its usage, arguments, options by their groups, commands, and examples.
std::string help_of(const CommandText& command);

/// The same on one screen of 24 lines: the options that most users need, and two examples.
std::string brief_help_of(const CommandText& command);

}  // namespace fastid::cli
