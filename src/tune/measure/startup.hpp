/// \file
/// How long OpenCL takes to start on a device, for a process that has not touched it.
#pragma once

#include <optional>
#include <string>

namespace fastid::tune {

/// From nothing to a queue that has run something: the median of some child processes, each of which wakes
/// the drivers anew. To be called before this process touches OpenCL. Nothing where a child fails; the caller
/// will meet the reason itself. \throws Interrupted
std::optional<double> startup_seconds(const std::string& selector);

}  // namespace fastid::tune
