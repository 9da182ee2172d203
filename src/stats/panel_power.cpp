#include "stats/panel_power.hpp"

#include <cmath>
#include <vector>

#include "stats/mixture.hpp"

namespace fastid::stats {
namespace {

/// The events that two random people differ, one for each site.
std::vector<Event> mismatch_of_strangers(const PopulationModel& model) {
  std::vector<Event> events;
  for (const double q : model.minor_freq()) {
    const JointGenotypes bits = joint_shown(q, model.parameters(), Relation::kUnrelated, Encoding::kMinor);
    events.push_back({2 * bits[0][1], bits[0][0] + bits[1][1]});
  }
  return events;
}

/// log10 P(a mixture of n others shows all minor alleles of a random person), that is, P(the person is the
/// only carrier at no site).
double log10_all_seen(const PopulationModel& model, unsigned n) {
  const double theta = model.parameters().theta;
  double sum = 0;
  for (const double q : model.minor_freq()) {
    const double none = sequence_probability(q, theta, {}, {0, 2 * n}),
                 carries = next_minor(q, theta, {0, 2 * n}) +
                           next_major(q, theta, {0, 2 * n}) * next_minor(q, theta, {0, 2 * n + 1});
    sum += std::log1p(-none * carries) / std::log(10.0);
  }
  return sum;
}

}  // namespace

double site_power(double q, const Parameters& parameters) {
  if (q <= 0 || q >= 1) return 0;
  const JointGenotypes seen = joint_shown(q, parameters, Relation::kSame, Encoding::kAlleles);
  const GenotypeRatios ratios = genotype_ratios(q, parameters.theta, parameters.error_rate);
  double mean = 0;
  for (std::size_t x = 0; x < kGenotypes; ++x)
    for (std::size_t y = 0; y < kGenotypes; ++y) mean += seen[x][y] * ratios[x][y][Relation::kSame];
  return mean;
}

PanelPower panel_power(const PopulationModel& model, std::uint64_t n_profiles, double max_expected) {
  const double log10_profiles = std::log10(static_cast<double>(n_profiles));
  const PoissonBinomial mismatches(mismatch_of_strangers(model));
  PanelPower power;
  power.log10_match_probability = mismatches.log10_cdf(0);
  power.log10_expected_at_0 = log10_profiles + power.log10_match_probability;
  power.mismatch_limit = mismatches.largest_within(std::log10(max_expected) - log10_profiles);
  power.same = expected_mismatches(model, Relation::kSame);
  power.parent_child = expected_mismatches(model, Relation::kParentChild);
  power.siblings = expected_mismatches(model, Relation::kSibling);
  power.unrelated = expected_mismatches(model, Relation::kUnrelated);
  for (unsigned n = 1; n <= kMostContributors; ++n) power.log10_all_shown[n - 1] = log10_all_seen(model, n);
  while (power.max_contributors < kMostContributors &&
         log10_profiles + power.log10_all_shown[power.max_contributors] <= 0)
    ++power.max_contributors;
  return power;
}

}  // namespace fastid::stats
