/// \file
/// The time that a process takes from its start to its end.
#pragma once

#include <string>
#include <vector>

namespace fastid::bench {

/// Runs `arguments` (the first is the program's path) without output and returns the seconds that it took.
/// \throws Failure where the program cannot be started or does not end with 0.
double process_seconds(const std::vector<std::string>& arguments);

}  // namespace fastid::bench
