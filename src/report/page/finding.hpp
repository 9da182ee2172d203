/// \file
/// What a search found for one query, in words: a profile that stands apart, several, perhaps a relative,
/// nobody. The page's opening, contents and tables follow the same rule.
///
/// A listed profile
///   stands apart   where the results are more probable under the first proposition than under the second
///                  (log10_lr, as printed, above 0), chance does not explain it (fewer than
///                  stats::kExplainedByChance chance matches), and it is no `relative`
///   is a relative, perhaps, where MatchRow::relative says so
///   else is a stranger: chance brings such profiles, or the results speak against it.
/// Without allele frequencies none of this is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match/match_table.hpp"
#include "report/report.hpp"

namespace fastid::report {

enum class Standing { kApart, kRelative, kStranger, kNotWeighed };
Standing standing_of(const match::MatchRow& row);
/// The word that marks a row: "apart", "relative?"; "" for other rows.
std::string_view word_of(Standing standing);

enum class FindingKind {
  kOneApart,
  kSeveralApart,  ///< two samples of one person, or twins; for a mixture simply its contributors
  kRelative,      ///< none stands apart, but perhaps a relative is listed
  kNobody,        ///< no listed profile stands apart or is a relative
  kNotWeighed
};
/// In the order of the page's contents.
inline constexpr FindingKind kFindings[] = {FindingKind::kOneApart, FindingKind::kSeveralApart,
                                            FindingKind::kRelative, FindingKind::kNobody,
                                            FindingKind::kNotWeighed};

/// The finding for a query. Rows are given by their places in QueryMatches::rows, in order.
struct Finding {
  FindingKind kind = FindingKind::kNobody;
  std::vector<std::size_t> apart, relatives;
  std::optional<std::size_t> next;  ///< the first row that is neither
  bool tie = false;                 ///< kSeveralApart: the rows differ only in their places in the database
};

Finding finding_of(const match::MatchTable& matches, const match::QueryMatches& query);

/// The heading of a group in the contents: "One profile stands apart".
std::string heading(const match::MatchTable& matches, FindingKind kind);

/// Html. The headline is a clause without a full stop ("P07 stands apart: 2 of 244 sites differ; the next has
/// 97"); the detail consists of whole sentences, with the propositions beside each likelihood ratio.
struct FindingText {
  std::string headline, detail;
};
FindingText finding_text(const match::MatchTable& matches, const match::QueryMatches& query,
                         const Options& options);

}  // namespace fastid::report
