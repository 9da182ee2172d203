#include "asking/listing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "stats/log_number.hpp"

namespace fastid::asking {
namespace {

bool same_class(const match::PairWeights& weights, const match::MatchRow& a, const match::MatchRow& b) {
  return match::ties(weights, {a.row, 0, a.counts}, {b.row, 0, b.counts});
}

/// Whether a mixture's row has a mark: a relative of a contributor may have a lower ratio than any stranger.
bool is_marked(const match::MatchRow& row) {
  return row.contributor && (row.contributor->apart || row.relative);
}

/// Sorts the rows of a shortlist by their likelihood ratio as it is printed, of mixtures those with a mark
/// first.
void sort_by_evidence(std::vector<match::MatchRow>& rows) {
  std::vector<std::pair<std::pair<bool, double>, std::size_t>> places;
  for (const match::MatchRow& row : rows)
    places.emplace_back(std::pair(is_marked(row), stats::as_printed(*row.log10_lr)), places.size());
  std::ranges::stable_sort(places, std::ranges::greater{}, [](const auto& place) { return place.first; });
  std::vector<match::MatchRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [ratio, place] : places) sorted.push_back(std::move(rows[place]));
  rows = std::move(sorted);
}

bool same_evidence(const match::MatchRow& a, const match::MatchRow& b) {
  return is_marked(a) == is_marked(b) && stats::as_printed(*a.log10_lr) == stats::as_printed(*b.log10_lr);
}

}  // namespace

std::uint64_t shortlisted(std::uint64_t top) {
  constexpr std::uint64_t kTimes = 2, kLeast = 20;
  return top > match::KeepRule::kAll / kTimes ? match::KeepRule::kAll : std::max(kLeast, kTimes * top);
}

void list_rows(const ListingRule& rule, match::QueryMatches& query) {
  const match::PairWeights& weights = query.weights;
  std::vector<match::MatchRow>& rows = query.rows;
  if (rows.empty()) return;
  const auto worst_kept = std::prev(rows.end());
  const match::MatchRow last_kept = {.row = worst_kept->row,
                                     .counts = worst_kept->counts,
                                     .log10_lr = worst_kept->log10_lr,
                                     .relative = worst_kept->relative,
                                     .contributor = worst_kept->contributor};
  query.more_may_match = rule.by_evidence && !rule.max_chance_matches && rows.size() >= rule.shortlist &&
                         *last_kept.log10_lr > rule.speaks_above;

  if (rule.max_chance_matches)
    std::erase_if(rows, [most = std::log10(*rule.max_chance_matches)](const match::MatchRow& row) {
      return *row.log10_chance_matches > most;
    });
  if (rule.least_log10_lr)
    std::erase_if(rows, [&](const match::MatchRow& row) { return *row.log10_lr < *rule.least_log10_lr; });
  if (rule.by_evidence) sort_by_evidence(rows);
  const std::size_t listed = static_cast<std::size_t>(std::min<std::uint64_t>(rows.size(), rule.top));
  const auto ties_with_last = [&](const match::MatchRow& row) {
    const match::MatchRow& last = rows[listed - 1];
    return same_class(weights, row, last) && (!rule.by_evidence || same_evidence(row, last));
  };
  if (listed == 0 || !ties_with_last(last_kept)) query.ties_cut = 0;
  for (const match::MatchRow& row : std::span(rows).subspan(listed)) query.ties_cut += ties_with_last(row);
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(listed), rows.end());
  for (std::size_t i = 0; i < listed; ++i) rows[i].rank = i + 1;
}

}  // namespace fastid::asking
