/// \file
/// The commands of fastid.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace fastid::part {
class PartSet;
}

namespace fastid::cli {

// Each adds a command to the one given.
// \param parts  those of a run whose work was shared, which the command goes on with; null: none
void add_search(Command app, const part::PartSet* parts = nullptr);
void add_mixture(Command app, const part::PartSet* parts = nullptr);
void add_kin(Command app, const part::PartSet* parts = nullptr);
void add_pairs(Command app, const part::PartSet* parts = nullptr);
void add_dvi(Command app);
void add_similarity(Command app, const part::PartSet* parts = nullptr);
void add_merge_parts(Command app);
void add_ld(Command app, const part::PartSet* parts = nullptr);
void add_epistasis(Command app, const part::PartSet* parts = nullptr);
void add_call(Command app);
void add_pairhmm(Command app);
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
void add_panel(Command app);
void add_devices(Command app);
void add_tune(Command app);
void add_bench(Command app);
void add_validate(Command app);
void add_audit_log(Command app);

/// The text for --version.
std::string version_text();

}  // namespace fastid::cli
