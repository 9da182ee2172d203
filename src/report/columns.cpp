#include "report/columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
namespace {

template <class Figure>
Cell cell_of(const std::optional<double>& value) {
  return value ? Cell{Figure{*value}} : Cell{};
}

Cell query_name(const QueryMatches& query, const MatchRow&) {
  return query.name;
}
Cell stored_name(const QueryMatches&, const MatchRow& row) {
  return row.profile;
}
Cell rank(const QueryMatches&, const MatchRow& row) {
  return row.rank;
}
Cell count(const QueryMatches&, const MatchRow& row) {
  return std::uint64_t{row.counts.count};
}
Cell minor_alleles(const QueryMatches&, const MatchRow& row) {
  return std::uint64_t{row.counts.minor_alleles};
}
Cell compared(const QueryMatches&, const MatchRow& row) {
  return std::uint64_t{row.counts.compared};
}
Cell mismatch_rate(const QueryMatches&, const MatchRow& row) {
  return Rate{static_cast<double>(row.counts.count) /
              row.counts.compared};  // a listed profile has compared >= 1
}
Cell log10_lr(const QueryMatches&, const MatchRow& row) {
  return cell_of<Log10Ratio>(row.log10_lr);
}
Cell p_rmne(const QueryMatches&, const MatchRow& row) {
  return cell_of<Chance>(row.log10_p_rmne);
}
Cell expected_false(const QueryMatches&, const MatchRow& row) {
  return cell_of<Chance>(row.log10_expected_false);
}
Cell place(const QueryMatches&, const MatchRow& row) {
  return row.row;
}

std::vector<Column> mixture_columns(Cell (*mixture)(const QueryMatches&, const MatchRow&),
                                    Cell (*profile)(const QueryMatches&, const MatchRow&)) {
  return {{"mixture", "mixture", "Mixture", mixture},
          {"rank", "rank", "Rank", rank},
          {"profile", "profile", "Profile", profile},
          {"excluded", "excl.", "Excluded minor alleles", count},
          {"minor_alleles", "minor", "Minor alleles", minor_alleles},
          {"compared", "compared", "Compared sites", compared},
          {"log10_lr", "log10 LR", "log10 LR", log10_lr},
          {"p_rmne", "P(RMNE)", "P(RMNE)", p_rmne},
          {"expected_false", "E(false)", "Expected false matches", expected_false},
          {"row", "row", "Row", place}};
}

}  // namespace

const std::vector<Column>& columns(Comparison comparison) {
  static const std::vector<Column> identity = {
      {"query", "query", "Query", query_name},
      {"rank", "rank", "Rank", rank},
      {"profile", "profile", "Profile", stored_name},
      {"mismatches", "mismatches", "Mismatches", count},
      {"compared", "compared", "Compared sites", compared},
      {"mismatch_rate", "rate", "Mismatch rate", mismatch_rate},
      {"log10_lr", "log10 LR", "log10 LR", log10_lr},
      {"expected_false", "E(false)", "Expected false matches", expected_false},
      {"row", "row", "Row", place}};
  static const std::vector<Column> mixture = mixture_columns(query_name, stored_name);
  static const std::vector<Column> reverse = mixture_columns(stored_name, query_name);
  switch (comparison) {
    case Comparison::kIdentity:
      return identity;
    case Comparison::kMixture:
      return mixture;
    case Comparison::kReverseMixture:
      break;
  }
  return reverse;
}

std::vector<Column> columns_of_section(Comparison comparison) {
  std::vector<Column> shown = columns(comparison);
  std::erase_if(shown, [&](const Column& column) { return column.name == asked(comparison); });
  return shown;
}

bool is_name(const Column& column) {
  return column.name == "profile" || column.name == "mixture" || column.name == "query";
}

std::string chance_text(double log10_value, int digits) {
  constexpr double kSmallest = -300;  // below, doubles lose digits, then all
  if (log10_value > kSmallest || std::isinf(log10_value))
    return fmt::format("{:.{}g}", std::pow(10, log10_value), digits);
  std::string text = stats::scientific(log10_value, digits);
  const std::size_t exponent = text.find('e'), last = text.find_last_not_of('0', exponent - 1);
  text.erase(last + 1, exponent - last - 1);  // as %g does
  if (text[last] == '.') text.erase(last, 1);
  return text;
}

double rounded(double value) {
  return parse_number<double>(fmt::format("{:.9g}", value)).value_or(value);
}

std::string ratio_text(double value, int decimals) {
  const double least = 0.5 * std::pow(10, -decimals);
  return fmt::format("{:.{}f}", std::abs(value) < least ? 0.0 : value, decimals);
}

namespace {

std::string text_of(std::monostate, Digits) {
  return "NA";
}
std::string text_of(const std::string& name, Digits) {
  return name;
}
std::string text_of(std::uint64_t number, Digits) {
  return fmt::format("{}", number);
}
std::string text_of(Rate rate, Digits) {
  return fmt::format("{:.6f}", rate.value);
}
std::string text_of(Log10Ratio ratio, Digits digits) {
  return ratio_text(ratio.value, digits == Digits::kAll ? 4 : 2);
}
std::string text_of(Chance chance, Digits digits) {
  return chance_text(chance.log10, digits == Digits::kAll ? 4 : 2);
}

}  // namespace

std::string text_of(const Cell& cell, Digits digits) {
  return std::visit([digits](const auto& value) { return text_of(value, digits); }, cell);
}

}  // namespace fastid::report
