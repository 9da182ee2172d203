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

/// A cell: a name, a whole number, a figure, or nothing (NA).
using Cell = std::variant<std::monostate, std::string, std::uint64_t, Rate, Log10Ratio, Chance>;

struct Column {
  std::string name;     ///< in tsv and json
  std::string heading;  ///< in the table, short
  std::string title;    ///< in html, in words
  Cell (*cell)(const QueryMatches& query, const MatchRow& row);
};

/// search: query rank profile mismatches compared mismatch_rate log10_lr expected_false row
/// mixture: mixture rank profile excluded minor_alleles compared log10_lr p_rmne expected_false row
///
/// With --reverse `mixture` and `profile` still name what they say: the stored mixture, and the person asked
/// for.
const std::vector<Column>& columns(Comparison comparison);

/// The columns but that of the query's name, which headings of sections say.
std::vector<Column> columns_of_section(Comparison comparison);
/// True for a column of names.
bool is_name(const Column& column);

/// How many digits figures have: those of tsv, or fewer, for a person's eye.
enum class Digits { kAll, kFew };

/// A cell as text, NA for nothing (docs/output.md): rates with six decimals, log10 ratios with four, chances
/// with four significant digits; kFew: six, two, two.
std::string text_of(const Cell& cell, Digits digits = Digits::kAll);

/// 10^log10_value with `digits` significant digits as C's %g prints them, however small it is; "0" for
/// -infinity alone.
std::string chance_text(double log10_value, int digits);
/// `value` to nine significant digits, as json has figures: what is promised of evidence, so that a
/// mathematics library that differs in the last bits gives the same text.
double rounded(double value);
/// `value` with `decimals`; "-inf" where it is that.
std::string ratio_text(double value, int decimals);

}  // namespace fastid::report
