/// \file
/// The user's config file: $XDG_CONFIG_HOME/fastid/config, else ~/.config/fastid/config. Lines such as
///
///   # what is usual here
///   device = cpu
///   laboratory = Institute of Forensics
///
/// stand for options that neither the command line nor the environment gives. A line may name each option
/// that a variable of the environment stands for, but --case, which is of one run alone. Of a name that is
/// there twice the last line counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace fastid::cli {

/// The names that the file may have: those of options of a command and of all below, without their hyphens.
std::vector<std::string> usual_options(Command program);

/// Gives options of `command`, which was parsed, the values of the file.
/// \param usual  usual_options() of the whole program; called if there is a file
/// \throws InputError: the file cannot be read, a line is not of this kind, or its value not of its option
void apply_user_config(Command command, const std::function<std::vector<std::string>()>& usual);

}  // namespace fastid::cli
