#include "stats/mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// Log likelihood lost at the ends of a 95 % interval: half of chi-squared's 0.95 quantile at one degree of
/// freedom.
constexpr double kInterval = 1.920729410347062;

/// P(a mixture is read as 1 at a site), and as 0, which 1 - one would lose where it is small.
struct Reads {
  double one = 0, zero = 0;

  Reads(const Carriers& among, double error_rate)
      : one(among.some * (1 - error_rate) + among.none * error_rate),
        zero(among.none * (1 - error_rate) + among.some * error_rate) {}
};

using Likelihoods = std::array<double, kMostContributors>;  ///< [n - 1], natural logarithms

/// One person more at a time: sums and products of positive numbers alone, so nothing cancels.
Likelihoods likelihoods_of(const PopulationModel& model, const RowView& mixture) {
  Likelihoods sums{};
  for_each_called(mixture, [&](std::size_t site, bool minor) {
    Carriers among{1, 0};
    for (double& sum : sums) {
      among.some += among.none * model.carrier()[site];
      among.none *= model.non_carrier()[site];
      const Reads reads(among, model.parameters().error_rate);
      sum += std::log(minor ? reads.one : reads.zero);
    }
  });
  return sums;
}

}  // namespace

void check_contributors(unsigned contributors) {
  if (contributors >= 1 && contributors <= kMostContributors) return;
  throw UsageError(
      fmt::format("--contributors is {}; give a number from 1 to {}", contributors, kMostContributors));
}

MixtureModel::MixtureModel(const PopulationModel& model, unsigned contributors)
    : contributors_(contributors) {
  check_contributors(contributors);
  ratios_.reserve(model.n_sites());
  for (const double q : model.minor_freq())
    ratios_.push_back(
        mixture_ratios(q, model.parameters().theta, contributors, model.parameters().error_rate));
}

double MixtureModel::log10_ratio(const RowView& mixture, const RowView& person) const {
  double sum = 0;
  for_each_compared(mixture, person, [&](std::size_t site, bool m, bool r) {
    const MixtureRatios& at = ratios_[site];
    sum += m ? (r ? at.m1r1 : at.m1r0) : (r ? at.m0r1 : at.m0r0);
  });
  return sum;
}

std::vector<Event> exclusion_events(const PopulationModel& model, const RowView& mixture,
                                    std::span<const Word> compared) {
  std::vector<Event> events;
  for_each_compared(mixture, {mixture.bits, compared}, [&](std::size_t site, bool minor, bool) {
    if (!minor) events.push_back({model.carrier()[site], model.non_carrier()[site]});
  });
  return events;
}

double log10_p_rmne_0(const PopulationModel& model, const RowView& mixture) {
  double sum = 0;
  for_each_called(mixture, [&](std::size_t site, bool minor) {
    if (!minor) sum += std::log10(model.non_carrier()[site]);
  });
  return sum;
}

bool is_saturated(const PopulationModel& model, const RowView& mixture, std::uint64_t n_profiles) {
  return std::log10(static_cast<double>(n_profiles)) + log10_p_rmne_0(model, mixture) > 0;
}

double saturation(const RowView& mixture) {
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : static_cast<double>(count_set(mixture.bits)) / called;
}

double expected_saturation(const PopulationModel& model, const RowView& mixture, unsigned n) {
  double sum = 0;
  for_each_called(mixture, [&](std::size_t site, bool) {
    const auto [theta, error_rate] = model.parameters();
    sum += Reads(carriers_among(model.minor_freq()[site], theta, n), error_rate).one;
  });
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : sum / called;
}

ContributorEstimate estimate_contributors(const PopulationModel& model, const RowView& mixture) {
  if (count_set(mixture.called) == 0) return {1, 1, kMostContributors, false};
  const Likelihoods likelihoods = likelihoods_of(model, mixture);
  const auto best = std::ranges::max_element(likelihoods);
  const auto likely = [&](double likelihood) { return likelihood >= *best - kInterval; };
  const auto number_of = [&](auto at) { return static_cast<unsigned>(at - likelihoods.begin()) + 1; };
  const auto low = std::ranges::find_if(likelihoods, likely);
  const auto past_high = std::find_if(likelihoods.rbegin(), likelihoods.rend(), likely).base();
  return {number_of(best), number_of(low), number_of(past_high) - 1, true};
}

}  // namespace fastid::stats
