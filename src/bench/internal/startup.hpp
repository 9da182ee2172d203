/// \file
/// The time of a whole process, from its start to its end.
#pragma once

#include <string>
#include <vector>

namespace fastid::bench {

/// Runs `arguments` (the first is the program's path) with no output and gives the seconds it took.
/// \throws Failure where it cannot be started or does not end with 0.
double process_seconds(const std::vector<std::string>& arguments);

}  // namespace fastid::bench
