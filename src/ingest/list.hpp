/// \file
/// The profiles of a database as a list.
#pragma once

#include <string>

#include "db/row_choice.hpp"

namespace fastid::ingest {

struct ListOptions {
  std::string database;
  std::string output = "-";
  db::RowRule rows = {.expired = true};
  bool json_lines = false;  ///< else tsv
  bool header = true;       ///< of tsv
  bool sex = false;         ///< also what X and Y say of each person's sex
};

/// Writes a line for each profile: its row, its id, the number of its called sites, and its tags, with a
/// column for each key of the database.
///
/// With `sex`, before the tags: sex (male, female, undecided; NA without sites of X and Y, and of mixtures),
/// x_called, x_het (NA where the database does not say which alleles were seen), y_called, stated (the tag
/// `sex`, which then has no column of its own). Warns of people whose X and Y contradict the tag. \throws
/// InputError, Failure, Interrupted
void list_database(const ListOptions& options);

}  // namespace fastid::ingest
