/// \file
/// The columns of a result, stated once: tsv's header, json's keys and the table's headings all come from
/// here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

/// A cell: a name, a whole number, a figure, or nothing (NA).
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

struct Column {
  std::string name;     ///< in tsv and json
  std::string heading;  ///< in the table, shorter
  Cell (*cell)(const QueryMatches& query, const MatchRow& row);
};

/// search: query rank profile mismatches compared mismatch_rate log10_lr expected_false row
/// mixture: mixture rank profile excluded minor_alleles compared log10_lr p_rmne expected_false row
///
/// With --reverse `mixture` and `profile` still name what they say: the stored mixture, and the person asked
/// for.
const std::vector<Column>& columns(Comparison comparison);

/// A cell as text: rates with six decimals, NA for nothing.
std::string text_of(const Cell& cell);

}  // namespace fastid::report
