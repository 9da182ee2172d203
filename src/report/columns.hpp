/// \file
/// The columns of a result, defined once for tsv's header, json's keys and the headings of table and html.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "match/match_table.hpp"
#include "page/figures.hpp"

namespace fastid::report {

/// A share of the compared sites, or alleles, or a kinship coefficient.
struct Rate {
  double value = 0;
};

/// The log10 of a likelihood ratio.
struct Log10Ratio {
  double value = 0;
};

/// A length on the genetic map.
struct Centimorgans {
  double value = 0;
};

/// A probability or an expected number, as its log10.
struct Chance {
  double log10 = 0;
};

/// The content of a cell: a name or a word, a whole number, a figure, or no value (NA).
using Cell = std::variant<std::monostate, std::string, std::uint64_t, Rate, Log10Ratio, Centimorgans, Chance>;

/// Names of columns, in the order of LinkedFigures::log10_lr.
inline constexpr std::array<const char*, 19> kLinkedRatios{"log10_lr_same",
                                                           "log10_lr_parent_child",
                                                           "log10_lr_sibling",
                                                           "log10_lr_three_quarter_sibling",
                                                           "log10_lr_half_sibling",
                                                           "log10_lr_grandparent",
                                                           "log10_lr_avuncular",
                                                           "log10_lr_double_first_cousin",
                                                           "log10_lr_first_cousin",
                                                           "log10_lr_great_grandparent",
                                                           "log10_lr_half_avuncular",
                                                           "log10_lr_grand_avuncular",
                                                           "log10_lr_first_cousin_once_removed",
                                                           "log10_lr_half_first_cousin",
                                                           "log10_lr_great_great_grandparent",
                                                           "log10_lr_great_grand_avuncular",
                                                           "log10_lr_second_cousin",
                                                           "log10_lr_half_first_cousin_once_removed",
                                                           "log10_lr_great_great_grand_avuncular"};

struct Column {
  std::string name;     ///< in tsv and json; empty: not in these
  std::string heading;  ///< in the terminal's table, short; empty: not in it
  std::string title;    ///< in html, in words; empty: not on the page
  bool text = false;    ///< true for a name or a word, which is left-aligned
  Cell (*cell)(const match::QueryMatches& query, const match::MatchRow& row) = nullptr;
  Cell (*beside)(const match::BesideFigures& of) =
      nullptr;          ///< for a column of X, Y and M, in place of `cell`
  bool detail = false;  ///< on the page in a table of its own, since one of all columns is wider than a sheet

  Cell of(const match::QueryMatches& query, const match::MatchRow& row) const {
    if (beside == nullptr) return cell(query, row);
    return row.beside ? beside(*row.beside) : Cell{};
  }
};

/// search: query rank profile mismatches compared mismatch_rate log10_lr log10_lr_sibling suggests
/// chance_matches row mark; after log10_lr_sibling, where a query goes by its likelihoods, expected_lr
/// expected_sd
/// mixture: mixture rank profile not_seen minor_alleles compared log10_lr p_rmne chance_matches row mark
///
/// By alleles `alleles` takes the place of `minor_alleles`. With --reverse, `mixture` is the stored mixture
/// and `profile` the person of the query.
///
/// kin: query rank profile relation kinship ibs0 hethet compared log10_lr_parent_child log10_lr_sibling
/// log10_lr_half_sibling log10_lr_cousin chance_matches row log10_lr log10_lr_same margin mark
/// kin along the map: query rank profile relation degree degree_range margin kinship ibs0 hethet compared
/// log10_lr chance_matches row shared_cm shared_cm_2 segments longest_cm, log10_lr_<relation> of 19
/// relations, mark kin --family: missing rank profile log10_lr relative member kinship ibs0 hethet compared
/// chance_matches row mark
///
/// For a panel with sites of X, Y or M, more columns follow (report/beside_columns.hpp).
std::vector<Column> columns(const match::MatchTable& matches);

/// The columns of X, Y and M that are null in json, since the panel has no such site.
std::vector<std::string> columns_without_sites(const match::MatchTable& matches);

/// The names of all columns that a result of this comparison may have: by alleles or bits, and with the
/// columns of X, Y and M. \param family  for a family's missing member
std::vector<std::string> column_names(engine::Comparison comparison, bool family);

/// Whether any result has a column of this name.
bool is_column(std::string_view name);

/// A cell as text for tsv (docs/output.md), NA where it has no value: rates with six decimals, log10 ratios
/// with four, centimorgans with two, chances with four significant digits.
std::string text_of(const Cell& cell);
/// Appends text_of() to `text`.
void append_text(const Cell& cell, std::string& text);
/// A cell as text for a terminal: likelihood ratios by power_text() with the cap, chances with two
/// significant digits, rates with four decimals.
std::string short_text_of(const Cell& cell, double cap);
/// A cell as escaped html for the page, NA where it has no value.
std::string html_of(const Cell& cell, double cap);

/// A query's rows: the ranked ones, then a family's typed members.
std::vector<const match::MatchRow*> all_rows(const match::QueryMatches& query);

/// The columns of a section, the rank first: those with a heading (table) or a title (page), without the
/// query's name. \param named_by  &Column::heading or &Column::title
std::vector<Column> columns_of_section(const match::MatchTable& matches, std::string Column::*named_by);

}  // namespace fastid::report
