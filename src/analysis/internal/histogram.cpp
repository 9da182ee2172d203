#include "analysis/internal/histogram.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace fastid {
namespace {

using stats::Relation;

/// The median, and half the distance between the quantiles that correspond to one standard deviation below
/// and above the mean of a normal distribution. The few relatives in a database hardly change either.
/// Profiles are taken to be spread evenly within each count.
template <class Number>
std::optional<CentreAndSpread> centre_and_spread(std::span<const Number> at_count) {
  constexpr double kBelow = 0.158655253931457, kAbove = 1 - kBelow;
  double all = 0;
  for (const Number number : at_count) all += static_cast<double>(number);
  if (all == 0) return std::nullopt;
  const auto quantile = [&](double share) {
    double below = 0;
    for (std::size_t count = 0; count < at_count.size(); ++count) {
      const auto here = static_cast<double>(at_count[count]);
      if (here > 0 && below + here >= share * all)
        return static_cast<double>(count) - 0.5 + (share * all - below) / here;
      below += here;
    }
    return static_cast<double>(at_count.size()) - 0.5;
  };
  return CentreAndSpread{quantile(0.5), (quantile(kAbove) - quantile(kBelow)) / 2};
}

/// The numbers of chance matches at the rows' counts, by the model's spread and by the database's own.
void add_chance_matches(const stats::QueryEvaluator& figures, std::span<const MatchRow> rows,
                        QueryHistogram& histogram) {
  if (!histogram.own || !histogram.model || !(histogram.own->spread > 0)) return;
  std::set<std::uint32_t> counts;
  for (const MatchRow& row : rows) counts.insert(row.counts.count);
  const std::size_t population = figures.worst_population();
  for (const std::uint32_t count : counts) {
    const double stretched = histogram.model->centre + (count - histogram.own->centre) *
                                                           histogram.model->spread / histogram.own->spread;
    histogram.chance_matches.push_back({count, figures.log10_expected_at_most(population, count),
                                        figures.log10_expected_at_most(population, stretched)});
  }
}

void add_marks(const stats::QueryEvaluator& figures, QueryHistogram& histogram) {
  for (const auto& [name, relation] : {std::pair{"same person", Relation::kSame},
                                       {"parent or child", Relation::kParentChild},
                                       {"full sibling", Relation::kSibling},
                                       {"half-sibling", Relation::kHalfSibling},
                                       {"unrelated", Relation::kUnrelated}}) {
    const stats::Expected mark = figures.expected_mismatches(figures.worst_population(), relation);
    histogram.marks.push_back({name, mark.mean, mark.sd});
  }
  std::ranges::stable_sort(histogram.marks, {}, &RelationMark::mean);
}

}  // namespace

void explain_histogram(const stats::QueryEvaluator& figures, Comparison comparison, std::uint64_t n_profiles,
                       std::span<const MatchRow> listed, QueryHistogram& histogram) {
  histogram.expected = figures.expected_histogram(figures.worst_population());
  const double share = static_cast<double>(histogram.n_profiles) / static_cast<double>(n_profiles);
  for (double& expected : histogram.expected) expected *= share;
  histogram.own = centre_and_spread<std::uint64_t>(histogram.profiles);
  histogram.model = centre_and_spread<double>(histogram.expected);
  if (comparison == Comparison::kIdentity) add_marks(figures, histogram);
  add_chance_matches(figures, listed, histogram);
}

}  // namespace fastid
