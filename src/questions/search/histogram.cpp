#include "questions/search/histogram.hpp"

#include <algorithm>
#include <utility>

namespace fastid::search {
namespace {

using stats::Relation;

template <class Number>
std::optional<match::CentreAndSpread> lies(std::span<const Number> at_count) {
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
  return match::CentreAndSpread{quantile(0.5), (quantile(kAbove) - quantile(kBelow)) / 2};
}

void add_marks(const stats::QueryEvaluator& figures, match::QueryHistogram& histogram) {
  for (const auto& [name, relation] : {std::pair{"same person", Relation::kSame},
                                       {"parent or child", Relation::kParentChild},
                                       {"full sibling", Relation::kSibling},
                                       {"half-sibling", Relation::kHalfSibling},
                                       {"unrelated", Relation::kUnrelated}}) {
    const stats::Expected mark = figures.expected_mismatches(figures.worst_population(), relation);
    histogram.marks.push_back({name, mark.mean, mark.sd});
  }
  std::ranges::stable_sort(histogram.marks, {}, &match::RelationMark::mean);
}

}  // namespace

std::optional<match::CentreAndSpread> centre_and_spread(std::span<const std::uint64_t> at_count) {
  return lies(at_count);
}

void explain_histogram(const stats::QueryEvaluator& figures, engine::Comparison comparison,
                       std::uint64_t n_profiles, match::QueryHistogram& histogram) {
  histogram.expected = figures.expected_histogram(figures.worst_population());
  const double share = static_cast<double>(histogram.n_profiles) / static_cast<double>(n_profiles);
  for (double& expected : histogram.expected) expected *= share;
  histogram.own = centre_and_spread(histogram.profiles);
  histogram.model = lies<double>(histogram.expected);
  if (comparison == engine::Comparison::kIdentity) add_marks(figures, histogram);
}

}  // namespace fastid::search
