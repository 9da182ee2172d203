/// \file
/// --shard, and how what a shard was asked is kept in its part: as the arguments of its command, with which
/// `fastid merge` asks the same again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bits/shard.hpp"
#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "part/part_file.hpp"

namespace fastid::cli {

/// Adds --shard. \param command  whose options it is among
void add_shard(Command command, std::optional<Shard>& shard);

/// The options of a command that were given: on the command line, by variables or the user's config.
/// "--top=20",
/// "--keep-going"; no positionals.
std::vector<std::string> given_options(Command command);

/// The head of a part: the options of the command that say what is found.
/// \throws UsageError: one of them says how results are printed, which only a merge does
part::Head head_of(Command command, const Shard& shard, std::vector<std::string> databases);

/// What a part is written as, for check_files(). \throws UsageError where no file is named
WrittenFile part_file(const std::string& output);

/// The names of options that say what is found, of a command, and not how it is printed: those that a part
/// has.
/// "--top"
std::vector<std::string> asking_options(Command command);

}  // namespace fastid::cli
