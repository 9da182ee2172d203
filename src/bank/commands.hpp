/// \file
/// The commands on databases and panels.
#pragma once

#include "cli/options.hpp"

namespace fastid::bank {

void add_panel(cli::Command app);
void add_db(cli::Command app);
void add_build(cli::Command db);  // a command of `db`, like the next ones
void add_convert(cli::Command db);
void add_append(cli::Command db);
void add_replace(cli::Command db);
void add_remove(cli::Command db);
void add_compact(cli::Command db);
void add_merge(cli::Command db);
void add_list(cli::Command db);
void add_tag(cli::Command db);
void add_policy(cli::Command db);
void add_info(cli::Command db);
void add_verify(cli::Command db);
void add_simulate(cli::Command db);

}  // namespace fastid::bank
