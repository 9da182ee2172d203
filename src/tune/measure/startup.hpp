/// \file
/// How long OpenCL takes to start on a device, in a process that has not used it before.
#pragma once

#include <optional>
#include <string>

namespace fastid::tune {

/// Seconds until a queue has run a command: the median over some child processes, each of which loads the
/// drivers anew. It must be called before this process uses OpenCL. No value where a child fails; the caller
/// will get the error itself. \throws Interrupted
std::optional<double> startup_seconds(const std::string& selector);

}  // namespace fastid::tune
