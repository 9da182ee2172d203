/// \file
/// A command that another one runs.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace fastid::cli {

/// Keeps the command's options from taking values from the environment or the user's config, so that only the
/// given arguments are in force.
void without_usual_values(Command command);

/// Runs the command that the first argument names. \throws UsageError: the arguments are wrong; what the
/// command throws
ExitCode run_inner(CommandLine& line, const std::vector<std::string>& arguments);

}  // namespace fastid::cli
