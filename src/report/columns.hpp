/// \file
/// The columns of a result, stated once: tsv's header, json's keys and the headings of table and html all
/// come from here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "match/match_table.hpp"
#include "report/page/figures.hpp"

namespace fastid::report {

/// A share of the compared sites.
struct Rate {
  double value = 0;
};

/// A likelihood ratio's log10.
struct Log10Ratio {
  double value = 0;
};

/// A probability or an expected number, by its log10.
struct Chance {
  double log10 = 0;
};

/// A cell: a name or a word, a whole number, a figure, or nothing (NA).
using Cell = std::variant<std::monostate, std::string, std::uint64_t, Rate, Log10Ratio, Chance>;

struct Column {
  std::string name;     ///< in tsv and json
  std::string heading;  ///< in the table, short; empty: not there
  std::string title;    ///< in html, in words; empty: not there
  bool text = false;    ///< a name or a word: begins at its column's left
  Cell (*cell)(const QueryMatches& query, const MatchRow& row);
};

/// search: query rank profile mismatches compared mismatch_rate log10_lr log10_lr_sibling suggests
/// chance_matches row
/// mixture: mixture rank profile not_seen minor_alleles compared log10_lr p_rmne chance_matches row
///
/// With --reverse `mixture` and `profile` still name what they say: the stored mixture, and the person asked
/// for.
const std::vector<Column>& columns(Comparison comparison);

/// A cell as tsv has it, NA for nothing (docs/output.md): rates with six decimals, log10 ratios with four,
/// chances with four significant digits.
std::string text_of(const Cell& cell);
/// A cell as a person at a terminal wants it: likelihood ratios as power_text() with the cap, chances with
/// two significant digits.
std::string short_text_of(const Cell& cell, double cap);
/// A cell as the page has it, escaped: NA for nothing.
std::string html_of(const Cell& cell, double cap);

/// What a section has, the rank first: columns with a heading (table) or a title (page), but for the name of
/// the query. \param named_by  &Column::heading or &Column::title
std::vector<Column> columns_of_section(Comparison comparison, std::string Column::*named_by);

}  // namespace fastid::report
