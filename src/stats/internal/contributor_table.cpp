// How many people a mixture has: P(what it shows) for each number of contributors.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stats/internal/minor_copies.hpp"
#include "stats/mixture.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// P(each kind is shown) at one site. \param minors  P(c minor copies) of `copies`
using Kinds = std::array<double, kGenotypes>;

Kinds bits_shown(const Minors& minors, unsigned copies, double drop_out, double drop_in) {
  double lost = 0, seen = 0, all_drop = 1;
  for (unsigned c = 0; c <= copies; ++c) {
    lost += minors[c] * all_drop;
    seen += minors[c] * (1 - all_drop);
    all_drop *= drop_out;
  }
  return {lost * (1 - drop_in), seen + lost * drop_in, 0};
}

/// Given that some allele is shown.
Kinds alleles_shown(const Minors& minors, unsigned copies, double drop_out, double drop_in) {
  std::array<double, 2 * kMostContributors + 1> hidden{};  // of an allele with so many copies
  hidden[0] = 1 - drop_in;
  for (unsigned c = 1; c <= copies; ++c) hidden[c] = hidden[c - 1] * drop_out;
  const double some = 1 - hidden[0] * hidden[copies];
  Kinds shown{};
  for (unsigned c = 0; c <= copies; ++c) {
    const double minor = hidden[c], major = hidden[copies - c], here = minors[c] / some;
    shown[kMajorOnly] += here * minor * (1 - major);
    shown[kMinorOnly] += here * (1 - minor) * major;
    shown[kBothAlleles] += here * (1 - minor) * (1 - major);
  }
  return shown;
}

}  // namespace

ContributorTable::ContributorTable(const PopulationModel& model, const MixtureParameters& parameters,
                                   Encoding by)
    : by_(by), kinds_(kinds_shown(by)), blocks_(model.blocks()) {
  const double theta = model.parameters().theta, drop_out = parameters.drop_out.value_or(kUsualDropOut);
  const auto& shown_of = by == Encoding::kAlleles ? alleles_shown : bits_shown;
  log_.resize(model.n_sites() * kinds_);
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    Minors minors{1};
    ByNumber& shown = shown_.emplace_back();
    for (unsigned copies = 1; copies <= 2 * kMostContributors; ++copies) {
      draw(model.minor_freq()[site], theta, {}, copies - 1, minors);
      if (copies % 2 == 1) continue;
      const unsigned n = copies / 2 - 1;
      const Kinds kinds = shown_of(minors, copies, drop_out, parameters.drop_in);
      shown[n] = kinds[kBothAlleles];  // by bits it is the kind that shows the minor allele
      for (std::size_t kind = 0; kind < kinds_; ++kind) log_[site * kinds_ + kind][n] = std::log(kinds[kind]);
    }
  }
}

ContributorEstimate ContributorTable::estimate(const RowView& mixture) const {
  if (count_set(mixture.called) == 0) return {1, 1, kMostContributors, false};
  ByNumber likelihoods{};
  const SiteWeights weights(blocks_.get(), mixture.called);
  for_each_called(mixture, [&](std::size_t site, bool) {
    const ByNumber& at = log_[site * kinds_ + kind_at(mixture, site, by_)];
    for (std::size_t n = 0; n < kMostContributors; ++n) likelihoods[n] += weights[site] * at[n];
  });
  const auto best = std::ranges::max_element(likelihoods);
  const auto likely = [&](double likelihood) { return likelihood >= *best - kLikelihoodInterval; };
  const auto number_of = [&](auto at) { return static_cast<unsigned>(at - likelihoods.begin()) + 1; };
  const auto low = std::ranges::find_if(likelihoods, likely);
  const auto past_high = std::find_if(likelihoods.rbegin(), likelihoods.rend(), likely).base();
  return {number_of(best), number_of(low), number_of(past_high) - 1, true, *best / std::numbers::ln10};
}

double ContributorTable::expected_saturation(const RowView& mixture, unsigned n) const {
  double sum = 0;
  for_each_called(mixture, [&](std::size_t site, bool) { sum += shown_[site][n - 1]; });
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : sum / called;
}

}  // namespace fastid::stats
