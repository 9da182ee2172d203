#include "report/columns.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace fastid::report {
namespace {

template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell{*value} : Cell{};
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
  return static_cast<double>(row.counts.count) / row.counts.compared;  // a listed profile has compared >= 1
}
Cell log10_lr(const QueryMatches&, const MatchRow& row) {
  return cell_of(row.log10_lr);
}
Cell p_rmne(const QueryMatches&, const MatchRow& row) {
  return cell_of(row.p_rmne);
}
Cell expected_false(const QueryMatches&, const MatchRow& row) {
  return cell_of(row.expected_false);
}
Cell place(const QueryMatches&, const MatchRow& row) {
  return row.row;
}

std::vector<Column> mixture_columns(Cell (*mixture)(const QueryMatches&, const MatchRow&),
                                    Cell (*profile)(const QueryMatches&, const MatchRow&)) {
  return {{"mixture", "mixture", mixture},
          {"rank", "rank", rank},
          {"profile", "profile", profile},
          {"excluded", "excluded", count},
          {"minor_alleles", "minor", minor_alleles},
          {"compared", "compared", compared},
          {"log10_lr", "log10 LR", log10_lr},
          {"p_rmne", "P(RMNE)", p_rmne},
          {"expected_false", "exp. false", expected_false},
          {"row", "row", place}};
}

}  // namespace

const std::vector<Column>& columns(Comparison comparison) {
  static const std::vector<Column> identity = {{"query", "query", query_name},
                                               {"rank", "rank", rank},
                                               {"profile", "profile", stored_name},
                                               {"mismatches", "mismatches", count},
                                               {"compared", "compared", compared},
                                               {"mismatch_rate", "rate", mismatch_rate},
                                               {"log10_lr", "log10 LR", log10_lr},
                                               {"expected_false", "exp. false", expected_false},
                                               {"row", "row", place}};
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

std::string text_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return "NA";
        else if constexpr (std::is_same_v<T, double>)
          return fmt::format("{:.6f}", value);
        else
          return fmt::format("{}", value);
      },
      cell);
}

}  // namespace fastid::report
