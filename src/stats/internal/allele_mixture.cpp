#include "stats/internal/allele_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "stats/internal/drop_out.hpp"
#include "stats/internal/minor_copies.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// The alleles of the known people who are called at a site.
Seen alleles_of(std::span<const RowView> known, std::size_t site) {
  Seen seen;
  for (const RowView& row : known)
    if (const auto g = static_cast<unsigned>(shown_at(row, site)); g != kNeither) {
      seen.minor += g;
      seen.major += 2 - g;
    }
  return seen;
}

/// Where `value`, a smooth function with one peak between low and high, is largest: by golden sections until
/// it is near, then by parabolas, the second of which is as good as exact.
template <class Value>
double peak_between(double low, double high, const Value& value) {
  constexpr double kShare = 0.6180339887498949;  // (sqrt(5) - 1) / 2
  constexpr double kNear = 0.05;
  const double first = low, last = high;
  double left = high - kShare * (high - low), right = low + kShare * (high - low);
  double at_left = value(left), at_right = value(right);
  while (high - low > kNear)
    if (at_left > at_right) {
      high = right, right = left, at_right = at_left;
      at_left = value(left = high - kShare * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = value(right = low + kShare * (high - low));
    }
  double peak = (low + high) / 2;
  for (const double step : {0.02, 0.001}) {
    const double top = top_of(value(peak - step), value(peak), value(peak + step));
    peak = std::clamp(peak + step * std::clamp(top, -2., 2.), first, last);
  }
  return peak;
}

}  // namespace

AlleleContribution::AlleleContribution(const PopulationModel& model, std::span<const RowView> known,
                                       unsigned n, Relation contributor, const MixtureParameters& parameters)
    : drop_in_(parameters.drop_in),
      terms_(2 * std::size_t{n} + 1),
      copies_(model.n_sites() * kGenotypes * terms_),
      blocks_(model.blocks()),
      tried_(parameters.drop_out ? std::vector{*parameters.drop_out} : drop_outs_to_try()) {
  std::span<double> rest(copies_);
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    const Seen seen = alleles_of(known, site);
    for (unsigned g = 0; g < kGenotypes; ++g, rest = rest.subspan(terms_))
      add_copies(
          model.minor_freq()[site], model.parameters().theta,
          {{seen.minor + g, seen.major + 2 - g}, g, 2 * n - seen.minor - seen.major, ibd_of(contributor)}, 1,
          rest.subspan(seen.minor));
  }
}

const double* AlleleContribution::copies(std::size_t site, Shown person) const {
  return &copies_[(site * kGenotypes + person) * terms_];
}

AlleleContribution::Stain AlleleContribution::stain(double drop_out) const {
  Stain stain{};
  std::array<double, 2 * kMostContributors + 1> hidden{};  // of an allele with so many copies
  double lost = 1 - drop_in_;
  for (std::size_t copies = 0; copies < terms_; ++copies) {
    hidden[copies] = lost;
    lost *= drop_out;
  }
  for (std::size_t c = 0; c < terms_; ++c) {
    const double no_minor = hidden[c], no_major = hidden[terms_ - 1 - c];
    stain[kNeither][c] = no_minor * no_major;
    stain[kMajorOnly][c] = no_minor * (1 - no_major);
    stain[kMinorOnly][c] = (1 - no_minor) * no_major;
    stain[kBothAlleles][c] = (1 - no_minor) * (1 - no_major);
  }
  return stain;
}

double AlleleContribution::sum(const Pair& pair, const Stain& stain) const {
  double sum = 0;
  for (std::size_t c = 0; c < terms_; ++c) sum += pair.copies[c] * stain[pair.mixture][c];
  return sum;
}

double AlleleContribution::probability(std::size_t site, Shown mixture, Shown person, double drop_out) const {
  return sum({copies(site, person), mixture}, stain(drop_out));
}

double AlleleContribution::log10_at(std::size_t site, std::size_t mixture, std::size_t person,
                                    const Stain& stain) const {
  return std::log10(sum({copies(site, static_cast<Shown>(person)), static_cast<Shown>(mixture)}, stain) /
                    (1 - stain[kNeither][0]));
}

double AlleleContribution::log10_at(std::size_t site, std::size_t mixture, std::size_t person,
                                    double drop_out) const {
  return log10_at(site, mixture, person, stain(drop_out));
}

std::vector<double> AlleleContribution::log10_at_all(double drop_out) const {
  const Stain stain = this->stain(drop_out);
  std::vector<double> all;
  for (std::size_t site = 0; site * kGenotypes * terms_ < copies_.size(); ++site)
    for (std::size_t mixture = 0; mixture < kGenotypes; ++mixture)
      for (std::size_t person = 0; person < kGenotypes; ++person)
        all.push_back(log10_at(site, mixture, person, stain));
  return all;
}

double AlleleContribution::log10_likelihood(std::span<const Pair> pairs, double drop_out) const {
  const Stain stain = this->stain(drop_out);
  LogProduct product;
  double weight = 0;
  for (const Pair& pair : pairs) {
    product.multiply(sum(pair, stain), pair.weight);
    weight += pair.weight;
  }
  const double log10_some_shown = std::log10(1 - stain[kNeither][0]);
  return product.log10() - weight * log10_some_shown;
}

Likelihood AlleleContribution::of(const RowView& mixture, const RowView& person) const {
  std::vector<Pair> pairs;
  const SiteWeights weights(blocks_.get(), compared_sites(mixture, person));
  for_each_compared(mixture, person, [&](std::size_t site, bool, bool) {
    pairs.push_back({copies(site, shown_at(person, site)), shown_at(mixture, site), weights[site]});
  });
  const auto with = [&](double drop_out) { return Likelihood{log10_likelihood(pairs, drop_out), drop_out}; };
  std::vector<Likelihood> tried(tried_.size());
  std::ranges::transform(tried_, tried.begin(), with);
  const auto best = std::ranges::max_element(tried, {}, &Likelihood::log10);
  if (tried.size() == 1 || pairs.empty() || !std::isfinite(best->log10)) return *best;
  const double before = best == tried.begin() ? best->drop_out : std::prev(best)->drop_out,
               after = std::next(best) == tried.end() ? best->drop_out : std::next(best)->drop_out;
  const Likelihood between = with(share_of(peak_between(
      logit(before), logit(after), [&](double at) { return log10_likelihood(pairs, share_of(at)); })));
  return between.log10 > best->log10 ? between : *best;
}

}  // namespace fastid::stats
