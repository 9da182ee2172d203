#include "questions/search/along_map.hpp"

#include <vector>

#include "linked/relations.hpp"
#include "linked/stain_siblings.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {
namespace {

stats::Suggestion unbarred(stats::Suggestion suggests, const BarredRow& barred) {
  return barred.weak ? stats::Suggestion::kInconclusive
                     : stats::unless_by_chance(suggests, *barred.row->log10_chance_matches);
}

template <class Asked>
void suggest_with(const asking::LinkedEvidence& evidence, const Asked& asked, std::span<const BarredRow> rows,
                  std::span<const RowView> stored) {
  std::vector<bool> relatives;
  for (const BarredRow& barred : rows) relatives.push_back(barred.relatives);
  const std::vector<asking::LinkedIdentity> found = evidence.identities(asked, stored, relatives);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    match::MatchRow& row = *rows[i].row;
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

std::string sibling_relations() {
  return std::string(name_of(linked::Relation::kSibling)) + "," +
         std::string(name_of(linked::Relation::kHalfSibling));
}

void suggest_along_map(const asking::LinkedEvidence& evidence, const RowView& asked,
                       std::span<const BarredRow> rows, std::span<const RowView> stored) {
  suggest_with(evidence, asked, rows, stored);
}

void suggest_along_map(const asking::LinkedEvidence& evidence, const SampleLikelihoods& asked,
                       std::span<const BarredRow> rows, std::span<const RowView> stored) {
  suggest_with(evidence, asked, rows, stored);
}

void follow_siblings(const asking::LinkedEvidence& evidence, const stats::Question& question,
                     const stats::QueryEvaluator& figures, const stats::Stain& mixture,
                     std::span<const RowView> people, std::span<stats::HitReport> hits) {
  for (std::size_t p = 0; p < question.stains.size(); ++p) {
    std::vector<stats::HitReport*> reports;
    std::vector<RowView> of_reports;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].lr_population != p) continue;
      reports.push_back(&hits[i]);
      of_reports.push_back(people[i]);
    }
    if (reports.empty()) continue;
    const std::vector<linked::SiblingRatios> ratios = linked::siblings_of_contributor(
        question.stains[p], evidence.sites(p), mixture, figures.query()[p].supports, of_reports);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      auto& log10 = reports[i]->worst.relations.log10;
      log10[static_cast<std::size_t>(stats::Relation::kSibling)] = ratios[i].sibling;
      log10[static_cast<std::size_t>(stats::Relation::kHalfSibling)] = ratios[i].half_sibling;
      stats::judge_contributor(*reports[i], question.n_profiles);
    }
  }
}

}  // namespace fastid::search
