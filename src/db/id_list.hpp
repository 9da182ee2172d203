/// \file
/// Files that list ids of profiles, one on each line.
#pragma once

#include <string>
#include <vector>

namespace fastid::db {

/// The ids of a file ("-" is standard input), in its order, each once. Empty lines are skipped. An id is the
/// whole line without blanks at its ends. \throws InputError where it cannot be read, or lists nobody
std::vector<std::string> read_id_list(const std::string& path);

}  // namespace fastid::db
