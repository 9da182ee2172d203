/// \file
/// The commands that ask no question of their own.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace fastid::cli {

void add_merge_parts(Command app);
void add_devices(Command app);
void add_tune(Command app);
void add_bench(Command app);
void add_validate(Command app);
void add_audit_log(Command app);

/// The text for --version.
std::string version_text();

}  // namespace fastid::cli
