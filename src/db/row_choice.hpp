/// \file
/// Which profiles of a database a question is asked of: by tags and by ids, and never of profiles that have
/// expired.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bits/row_mask.hpp"
#include "db/database.hpp"

namespace fastid::db {

struct RowRule {
  std::string only;      ///< tag_expression.hpp; "": all
  std::string ids;       ///< a file that lists the ids to choose from; "": all
  std::string exclude;   ///< a file that lists ids to leave out; "": none
  bool expired = false;  ///< include expired profiles, for lists and exports

  bool empty() const { return only.empty() && ids.empty() && exclude.empty(); }
};

/// The chosen rows.
struct ChosenRows {
  std::optional<RowMask> rows;             ///< no value: all rows
  std::uint64_t n = 0;                     ///< how many
  std::uint64_t expired = 0;               ///< number of rows left out only because they have expired
  std::string ids_sha256, exclude_sha256;  ///< of the files' contents; "": none
};

/// Notes how many profiles are searched, if not all of them, and how many have expired.
void say_chosen(const Reader& database, const ChosenRows& chosen);

/// \throws InputError: a key or an id that the database does not have, a file that cannot be read, or nobody
/// is left; UsageError: the expression
ChosenRows choose_rows(const Reader& database, const RowRule& rule);

}  // namespace fastid::db
