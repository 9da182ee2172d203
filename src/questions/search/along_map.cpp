#include "questions/search/along_map.hpp"

#include <vector>

#include "linked/relations.hpp"
#include "stats/evidence.hpp"

namespace fastid {
namespace {

stats::Suggestion unbarred(stats::Suggestion suggests, const BarredRow& barred) {
  return barred.weak ? stats::Suggestion::kInconclusive
                     : stats::unless_by_chance(suggests, *barred.row->log10_chance_matches);
}

template <class Asked>
void suggest_with(const LinkedEvidence& evidence, const Asked& asked, std::span<const BarredRow> rows,
                  std::span<const RowView> stored) {
  std::vector<bool> relatives;
  for (const BarredRow& barred : rows) relatives.push_back(barred.relatives);
  const std::vector<LinkedIdentity> found = evidence.identities(asked, stored, relatives);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    MatchRow& row = *rows[i].row;
    const stats::Suggestion suggests = unbarred(found[i].suggests, rows[i]);
    row.log10_lr_sibling = found[i].log10_lr_sibling;
    row.suggests = name_of(suggests);
    row.relative =
        suggests == stats::Suggestion::kFirstDegree || suggests == stats::Suggestion::kSecondDegree;
  }
}

}  // namespace

std::string near_relations() {
  std::string names;
  for (const linked::Relation relation : linked::all_relations())
    if (degree_of(relation) <= linked::Degree::kThird)
      names += (names.empty() ? "" : ",") + std::string(name_of(relation));
  return names;
}

void suggest_along_map(const LinkedEvidence& evidence, const RowView& asked, std::span<const BarredRow> rows,
                       std::span<const RowView> stored) {
  suggest_with(evidence, asked, rows, stored);
}

void suggest_along_map(const LinkedEvidence& evidence, const SampleLikelihoods& asked,
                       std::span<const BarredRow> rows, std::span<const RowView> stored) {
  suggest_with(evidence, asked, rows, stored);
}

}  // namespace fastid
