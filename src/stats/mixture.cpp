#include "stats/mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "stats/internal/allele_mixture.hpp"
#include "stats/internal/drop_out.hpp"
#include "stats/internal/minor_copies.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// How many of the known people carry the minor allele at a site, and how many are called there without it.
struct Known {
  unsigned carriers = 0, others = 0;
};

Known known_at(std::span<const RowView> known, std::size_t site) {
  Known at;
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  for (const RowView& row : known)
    if (row.called[word] >> shift & 1) ++(row.bits[word] >> shift & 1 ? at.carriers : at.others);
  return at;
}

/// One site of one hypothesis: the minor copies of the people whose bits are known, and of the others.
class SiteCopies {
 public:
  SiteCopies(double q, double theta, Known known, unsigned n, const Ibd& ibd)
      : q_(q), theta_(theta), known_(known), unread_(2 * (n - known.carriers - known.others)), ibd_(ibd) {}

  /// Adds to copies[c] P(c minor copies among all contributors, and the bits of the person and of the known
  /// people).
  void add(bool person, std::span<double> copies) const {
    for (unsigned g = person ? 1 : 0; g <= (person ? 2u : 0u); ++g)
      for (unsigned hom = 0; hom <= known_.carriers; ++hom) add(g, hom, copies);
  }

 private:
  /// The same for the case that the person has g minor copies and `hom` of the known carriers have two.
  void add(unsigned g, unsigned hom, std::span<double> copies) const {
    const unsigned of_known = known_.carriers + hom;
    const Seen seen{g + of_known, 2 * (1 + known_.carriers + known_.others) - g - of_known};
    const double orders = (g == 1 ? 2 : 1) * std::exp2(known_.carriers - hom) * choose(known_.carriers, hom);
    const double weight = orders * sequence_probability(q_, theta_, {}, seen);
    add_copies(q_, theta_, {seen, g, unread_, ibd_}, weight, copies.subspan(of_known));
  }

  static double choose(unsigned n, unsigned k) {
    double ways = 1;
    for (unsigned i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
    return ways;
  }

  double q_, theta_;
  Known known_;
  unsigned unread_;  ///< alleles of the unknown contributors
  Ibd ibd_;
};

void check_share(std::string_view option, double value, double most, bool inclusive) {
  if (value >= 0 && (inclusive ? value <= most : value < most)) return;
  throw UsageError(
      fmt::format("{} is {}; give a number from 0 to {}{}", option, value, inclusive ? "" : "below ", most));
}

}  // namespace

void check_parameters(const MixtureParameters& parameters, std::size_t known) {
  if (parameters.drop_out) check_share("--drop-out", *parameters.drop_out, 1, false);
  check_share("--drop-in", parameters.drop_in, 0.5, true);
  const unsigned n = parameters.contributors.value_or(kMostContributors);
  if (n < 1 || n > kMostContributors)
    throw UsageError(fmt::format("--contributors is {}; give a number from 1 to {}", n, kMostContributors));
  if (known >= n)
    throw UsageError(fmt::format(
        "--known names {} of {} contributors; nobody is left to look for: give more --contributors", known,
        n));
}

BitContribution::BitContribution(const PopulationModel& model, std::span<const RowView> known, unsigned n,
                                 Relation contributor, const MixtureParameters& parameters)
    : no_drop_in_(1 - parameters.drop_in),
      terms_(2 * std::size_t{n} + 1),
      tried_(parameters.drop_out ? std::vector{*parameters.drop_out} : drop_outs_to_try()),
      blocks_(model.blocks()) {
  const std::span<const double> freq = model.minor_freq();
  copies_.resize(2 * terms_ * freq.size());
  for (std::size_t site = 0; site < freq.size(); ++site) {
    const SiteCopies at(freq[site], model.parameters().theta, known_at(known, site), n, ibd_of(contributor));
    for (const bool person : {false, true}) {
      const std::span<double> copies(copies_.data() + (2 * site + (person ? 1 : 0)) * terms_, terms_);
      at.add(person, copies);
      double all = 0;
      for (const double probability : copies) all += probability;
      for (double& probability : copies) probability /= all;
    }
    for (const bool mixture : {false, true})
      for (const bool person : {false, true})
        for (const double drop_out : tried_)
          log10_tried_.push_back(log10_at(site, mixture, person, drop_out));
  }
}

std::span<const double> BitContribution::copies(std::size_t site, bool person) const {
  return {copies_.data() + (2 * site + (person ? 1 : 0)) * terms_, terms_};
}

double BitContribution::shown(const Pair& pair, double drop_out) const {
  const std::span<const double> copies = this->copies(pair.site, pair.person);
  double none = 0, some = 0, lost = no_drop_in_;
  for (const double probability : copies) {
    none += probability * lost;
    some += probability * (1 - lost);  // not 1 - none, which would cancel
    lost *= drop_out;
  }
  return pair.mixture ? some : none;
}

double BitContribution::log10_at(std::size_t site, std::size_t mixture, std::size_t person,
                                 double drop_out) const {
  return std::log10(shown({static_cast<std::uint32_t>(site), mixture != 0, person != 0}, drop_out));
}

std::vector<double> BitContribution::log10_at_all(double drop_out) const {
  std::vector<double> all;
  for (std::size_t site = 0; site * 2 * terms_ < copies_.size(); ++site)
    for (const std::size_t mixture : {0, 1})
      for (const std::size_t person : {0, 1}) all.push_back(log10_at(site, mixture, person, drop_out));
  return all;
}

/// The log10 likelihood with each drop-out of tried_.
std::vector<double> BitContribution::log10_tried(std::span<const Pair> pairs) const {
  const auto sum = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    std::array<double, n> sums{};
    for (const auto& [site, mixture, person, weight] : pairs) {
      const double* const at = &log10_tried_[((std::size_t{site} * 2 + mixture) * 2 + person) * n];
      for (std::size_t i = 0; i < n; ++i) sums[i] += weight * at[i];
    }
    return std::vector<double>(sums.begin(), sums.end());
  };
  return tried_.size() == 1 ? sum(std::integral_constant<std::size_t, 1>())
                            : sum(std::integral_constant<std::size_t, kTriedDropOuts>());
}

double BitContribution::log10_sum(std::span<const Pair> pairs, double drop_out) const {
  LogProduct product;
  for (const Pair& pair : pairs) product.multiply(shown(pair, drop_out), pair.weight);
  return product.log10();
}

/// The derivatives of the log likelihood with respect to the logit of the drop-out.
struct BitContribution::Slope {
  double first = 0, second = 0;
};

BitContribution::Slope BitContribution::slope(std::span<const Pair> pairs, double logit) const {
  const double drop_out = share_of(logit);
  Slope by_share;
  for (const Pair& pair : pairs) {
    const std::span<const double> copies = this->copies(pair.site, pair.person);
    double value = 0, first = 0, half_second = 0;
    for (std::size_t c = terms_; c-- > 0;) {
      half_second = half_second * drop_out + first;
      first = first * drop_out + value;
      value = value * drop_out + copies[c];
    }
    const double none = no_drop_in_ * value, factor = pair.mixture ? -no_drop_in_ / (1 - none) : 1 / value;
    const double relative = factor * first;
    by_share.first += pair.weight * relative;
    by_share.second += pair.weight * (2 * factor * half_second - relative * relative);
  }
  const double share_slope = drop_out * (1 - drop_out);
  return {by_share.first * share_slope,
          (by_share.second * share_slope + by_share.first * (1 - 2 * drop_out)) * share_slope};
}

/// Newton's method, started at the maximum of the parabola through the best tried value and its neighbours,
/// and kept between these neighbours by bisection.
double BitContribution::best_drop_out(std::span<const Pair> pairs,
                                      std::span<const double> log10_tried) const {
  // Newton's method converges quadratically: the next step would be about its square.
  constexpr double kLastStep = 1e-4;
  constexpr int kMostSteps = 60;
  const auto best = static_cast<std::size_t>(std::ranges::max_element(log10_tried) - log10_tried.begin());
  if (!std::isfinite(log10_tried[best])) return tried_[best];
  const std::size_t before = best > 0 ? best - 1 : 0, after = std::min(best + 1, tried_.size() - 1);
  double low = logit(tried_[before]), high = logit(tried_[after]), at = logit(tried_[best]);
  if (before == best || after == best) {
    const double first = slope(pairs, at).first;
    if (before == best ? first <= 0 : first >= 0) return tried_[best];
  } else {
    at += top_of(log10_tried[before], log10_tried[best], log10_tried[after]) * (high - low) / 2;
  }
  for (int step = 0; step < kMostSteps; ++step) {
    const Slope now = slope(pairs, at);
    (now.first > 0 ? low : high) = at;
    const double newton = at - now.first / now.second;
    const bool inside = now.second < 0 && newton >= low && newton <= high;
    const double next = inside ? newton : (low + high) / 2, moved = std::abs(next - at);
    at = next;
    if (moved <= kLastStep && (inside || moved <= kLastStep * kLastStep)) break;
  }
  return share_of(at);
}

Likelihood BitContribution::of(const RowView& mixture, const RowView& person) const {
  std::vector<Pair> pairs;
  const SiteWeights weights(blocks_.get(), compared_sites(mixture, person));
  for_each_compared(mixture, person, [&](std::size_t site, bool m, bool r) {
    pairs.push_back({static_cast<std::uint32_t>(site), m, r, weights[site]});
  });
  const std::vector<double> tried = log10_tried(pairs);
  if (tried.size() == 1) return {tried.front(), tried_.front()};
  const double drop_out = best_drop_out(pairs, tried);
  return {log10_sum(pairs, drop_out), drop_out};
}

std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n, Encoding by) {
  const double theta = model.parameters().theta;
  std::vector<Event> events;
  // `lacking` and `other`: P(the next allele is the one that the mixture lacks), P(it is the other one),
  // after so many of the other one.
  const auto add = [&](const auto& lacking, const auto& other) {
    const double first = other(2 * n);
    events.push_back({lacking(2 * n) + first * lacking(2 * n + 1), first * other(2 * n + 1)});
  };
  for_each_compared(mixture, {mixture.bits, compared, {}}, [&](std::size_t site, bool, bool) {
    const double q = model.minor_freq()[site];
    const std::size_t shown = kind_at(mixture, site, by);
    if (shown == kMajorOnly)
      add(
          [&](unsigned seen) {
            return next_minor(q, theta, {0, seen});
          },
          [&](unsigned seen) {
            return next_major(q, theta, {0, seen});
          });
    else if (shown == kMinorOnly)
      add(
          [&](unsigned seen) {
            return next_major(q, theta, {seen, 0});
          },
          [&](unsigned seen) {
            return next_minor(q, theta, {seen, 0});
          });
  });
  return events;
}

double saturation(const RowView& mixture, Encoding by) {
  std::uint32_t saturated = 0;
  for (std::size_t word = 0; word < mixture.bits.size(); ++word)
    saturated += static_cast<std::uint32_t>(
        bits_set(mixture.bits[word] & (by == Encoding::kAlleles ? mixture.major[word] : ~Word{0})));
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : static_cast<double>(saturated) / called;
}

MixtureModel::MixtureModel(const PopulationModel& model, std::span<const RowView> known,
                           const MixtureParameters& parameters, Encoding by)
    : model_(&model),
      known_(known.begin(), known.end()),
      parameters_(parameters),
      by_(by),
      table_(model, parameters, by) {
  check_parameters(parameters, known.size());
}

unsigned MixtureModel::fewest() const {
  return std::max(parameters_.drop_out ? 1 : kFewestWithDropOut, static_cast<unsigned>(known_.size()) + 1);
}

ConsideredContributors MixtureModel::considered(const RowView& mixture) const {
  const ContributorEstimate estimate = table_.estimate(mixture);
  const std::optional<unsigned> given = parameters_.contributors;
  return {estimate, given.value_or(std::max(estimate.low, fewest())),
          given.value_or(std::max(estimate.high, fewest()))};
}

const Contribution& MixtureModel::contribution(unsigned n, Relation contributor) const {
  const std::lock_guard lock(guard_);
  std::unique_ptr<const Contribution>& made = contributions_[{n, contributor}];
  if (made == nullptr && by_ == Encoding::kAlleles)
    made = std::make_unique<AlleleContribution>(*model_, known_, n, contributor, parameters_);
  else if (made == nullptr)
    made = std::make_unique<BitContribution>(*model_, known_, n, contributor, parameters_);
  return *made;
}

}  // namespace fastid::stats
