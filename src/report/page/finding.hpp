/// \file
/// What a search found for one query, before any figure is read: a profile that stands apart, several,
/// perhaps a relative, nobody. One rule for the page's opening, its contents and its tables.
///
/// A listed profile
///   stands apart   where the results are more probable under the first proposition than under the second
///                  (log10_lr, as printed, above 0), chance does not explain it (fewer than
///                  stats::kExplainedByChance chance matches), and it is no `relative`
///   is a relative, perhaps, where MatchRow::relative says so
///   else is a stranger: chance brings such profiles, or the results speak against it.
/// Without allele frequencies none of it is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "match/match_table.hpp"
#include "report/report.hpp"

namespace fastid::report {

enum class Standing { kApart, kRelative, kStranger, kNotWeighed };
Standing standing_of(const MatchRow& row);

enum class FindingKind {
  kOneApart,
  kSeveralApart,  ///< two samples of one person, twins; of a mixture just its contributors
  kRelative,      ///< none stands apart, but a relative is listed, perhaps
  kNobody,        ///< of those listed, or none is
  kNotWeighed
};
/// In the order in which the contents of a page have them.
inline constexpr FindingKind kFindings[] = {FindingKind::kOneApart, FindingKind::kSeveralApart,
                                            FindingKind::kRelative, FindingKind::kNobody,
                                            FindingKind::kNotWeighed};

/// Places are in QueryMatches::rows, in their order.
struct Finding {
  FindingKind kind = FindingKind::kNobody;
  std::vector<std::size_t> apart, relatives;
  std::optional<std::size_t> next;  ///< the first that is neither
  bool tie = false;                 ///< kSeveralApart: nothing but their places tells them apart
};

Finding finding_of(const MatchTable& matches, const QueryMatches& query);

/// A group of the contents: "One profile stands apart".
std::string heading(Comparison comparison, FindingKind kind);

/// Html. The headline is a clause without a full stop ("P07 stands apart: 2 of 244 sites differ; the next has
/// 97"); the detail is whole sentences, with the propositions beside each likelihood ratio.
struct FindingText {
  std::string headline, detail;
};
FindingText finding_text(const MatchTable& matches, const QueryMatches& query, const Options& options);

}  // namespace fastid::report
