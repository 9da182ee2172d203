/// \file
/// A command that another one runs.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace fastid::cli {

/// Has no option take its value from the environment or the user's config: what is given is in force.
void without_usual_values(Command command);

/// Runs the command that the first argument names. \throws UsageError: the arguments are wrong; what the
/// command throws
ExitCode run_inner(CommandLine& line, const std::vector<std::string>& arguments);

}  // namespace fastid::cli
