/// \file
/// The profiles of a database as a list.
#pragma once

#include <string>

#include "db/row_choice.hpp"

namespace fastid {

struct ListOptions {
  std::string database;
  std::string output = "-";
  db::RowRule rows = {.expired = true};
  bool json_lines = false;  ///< else tsv
  bool header = true;       ///< of tsv
};

/// Writes a line for each profile: its row, its id, how many of its sites are called, and its tags, a column
/// for each key of the database. \throws InputError, Failure, Interrupted
void list_database(const ListOptions& options);

}  // namespace fastid
