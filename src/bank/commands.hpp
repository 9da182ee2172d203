/// \file
/// The commands on databases and panels.
#pragma once

#include "cli/options.hpp"

namespace fastid::cli {

void add_panel(Command app);
void add_db(Command app);
void add_build(Command db);  // a command of `db`, like the next ones
void add_convert(Command db);
void add_append(Command db);
void add_replace(Command db);
void add_remove(Command db);
void add_compact(Command db);
void add_merge(Command db);
void add_list(Command db);
void add_tag(Command db);
void add_policy(Command db);
void add_info(Command db);
void add_verify(Command db);
void add_simulate(Command db);

}  // namespace fastid::cli
