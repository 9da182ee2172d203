/// \file
/// Files that list ids of profiles, one on each line.
#pragma once

#include <string>
#include <vector>

namespace fastid::db {

/// The ids of a file ("-" is standard input), in its order, each once. Empty lines count for nothing, and
/// everything else of a line belongs to the id but for blanks at its ends. \throws InputError where it cannot
/// be read, or lists nobody
std::vector<std::string> read_id_list(const std::string& path);

}  // namespace fastid::db
