#include "stats/internal/share_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace fastid::stats {
namespace {

/// Shares are the softmax of logits in [-kMostShareLogit, kMostShareLogit]; the last logit is 0.
constexpr double kMostShareLogit = 6;
/// A step that promises less than half of this of log likelihood ends a fit.
constexpr double kLeastShareGain = 1e-9;

/// n values from `first` to `last`.
std::vector<double> evenly_from(double first, double last, std::size_t n) {
  std::vector<double> values(n, first);
  for (std::size_t i = 1; i < n; ++i)
    values[i] = first + (last - first) * static_cast<double>(i) / static_cast<double>(n - 1);
  return values;
}

/// Shares by logits, and the derivative of each share by each logit.
struct SharesByLogits {
  std::vector<double> shares;
  std::vector<std::vector<double>> slopes;  ///< [logit][share]
};

SharesByLogits shares_by(std::span<const double> logits, double least) {
  const std::size_t n = logits.size() + 1;
  std::vector<double> parts(n, 1);
  double all = 1;
  for (std::size_t i = 0; i < logits.size(); ++i) all += parts[i] = std::exp(logits[i]);
  const double spread = 1 - static_cast<double>(n) * least;
  SharesByLogits made{std::vector<double>(n), std::vector(logits.size(), std::vector<double>(n))};
  for (double& part : parts) part /= all;
  for (std::size_t i = 0; i < n; ++i) made.shares[i] = least + spread * parts[i];
  for (std::size_t j = 0; j < logits.size(); ++j)
    for (std::size_t i = 0; i < n; ++i) made.slopes[j][i] = spread * parts[i] * ((i == j ? 1 : 0) - parts[j]);
  return made;
}

/// P(a relative has 0, 1, 2 minor copies | a person has g, frequency p).
Copies copies_of_relative(std::size_t g, double p, const Ibd& ibd) {
  Copies copies{};
  for (std::size_t h = 0; h < kGenotypes; ++h) {
    const Copies terms = terms_of_relative(g, h, ibd);
    copies[h] = terms[0] * (1 - p) * (1 - p) + terms[1] * p * (1 - p) + terms[2] * p * p;
  }
  return copies;
}

}  // namespace

std::vector<double> minor_shares(std::span<const double> shares) {
  std::vector<double> of_sets(sets_of_genotypes(shares.size()));
  for (std::size_t set = 0; set < of_sets.size(); ++set) {
    double minor = 0;
    std::size_t rest = set;
    for (const double share : shares) {
      minor += share * static_cast<double>(rest % kGenotypes) / 2;
      rest /= kGenotypes;
    }
    of_sets[set] = std::min(minor, 1.0);
  }
  return of_sets;
}

void weigh_sets(std::span<const Copies> people, std::span<double> sets) {
  sets[0] = 1;
  std::size_t made = 1;
  for (const Copies& person : people) {
    for (std::size_t g = kGenotypes; g-- > 0;)
      for (std::size_t set = 0; set < made; ++set) sets[g * made + set] = sets[set] * person[g];
    made *= kGenotypes;
  }
}

Copies terms_of_relative(std::size_t g, std::size_t h, const Ibd& ibd) {
  const double minor = static_cast<double>(g) / 2, major = 1 - minor;  // of the allele that both have
  Copies terms{};
  terms[h] = ibd.none * kOrdersOfCopies[h];
  if (h < 2) terms[0] += ibd.one * (h == 0 ? major : minor), terms[1] += ibd.one * (h == 0 ? major : minor);
  if (h > 0) terms[1] += ibd.one * (h == 1 ? major : minor), terms[2] += ibd.one * (h == 1 ? major : minor);
  for (std::size_t m = 0; g == h && m < kGenotypes; ++m) terms[m] += ibd.two * kOrdersOfCopies[m];
  return terms;
}

ShareFit::ShareFit(const PopulationModel& model, const Signals& signals, std::span<const std::size_t> sites,
                   std::span<const double> weights, std::span<const RowView> known, Encoding by,
                   double least_share)
    : model_(model),
      signals_(signals),
      sites_(sites),
      weights_(weights),
      known_(known),
      by_(by),
      least_share_(least_share) {
  for (const double weight : weights) weight_ += weight;
}

/// [site][set]: P(the contributors' genotypes), given the known people's genotypes.
std::vector<double> ShareFit::sets_at_sites(unsigned n, Relation kin) const {
  const std::size_t n_sets = sets_of_genotypes(n);
  std::vector<double> all(sites_.size() * n_sets);
  std::vector<Copies> people(n);
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const auto sets = std::span(all).subspan(i * n_sets, n_sets);
    const double p = model_.minor_freq()[sites_[i]];
    const Copies anybody = copies_of_anybody(p);
    if (kin != Relation::kUnrelated) {
      for (std::size_t g = 0; g < kGenotypes; ++g) {
        const Copies other = copies_of_relative(g, p, ibd_of(kin));
        for (std::size_t h = 0; h < kGenotypes; ++h) sets[g + kGenotypes * h] = anybody[g] * other[h];
      }
      continue;
    }
    for (std::size_t c = 0; c < n; ++c) {
      people[c] = anybody;
      if (c >= known_.size()) continue;
      people[c] = copies_of_known(anybody, known_[c], sites_[i], by_);
      const double known = people[c][0] + people[c][1] + people[c][2];
      for (double& copies : people[c]) copies /= known;
    }
    weigh_sets(people, sets);
  }
  return all;
}

/// The log likelihood by free parameters: logits of shares, then the logarithms of the signal's parameters.
/// The sum of the products of the sites' slopes stands for the curvature. \param by_free  [logit][share]
LocalShape ShareFit::shape(std::span<const double> sets, std::span<const double> shares,
                           const std::vector<std::vector<double>>& by_free,
                           const SignalParameters& parameters) const {
  const std::size_t n = shares.size(), n_sets = sets_of_genotypes(n), n_logits = by_free.size(),
                    n_free = n_logits + parameters.size();
  const std::unique_ptr<SignalTable> table = signals_.table(minor_shares(shares), parameters);
  LocalShape shape{0, std::vector<double>(n_free), Triangle(n_free)};
  for (std::size_t i = 0; i < n_free; ++i) shape.curvature[i].resize(i + 1);
  std::vector<double> by_share(n), slope(n_free), by_set(n_sets);
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const double* const prior = sets.data() + i * n_sets;
    double probability = 0;
    SignalParameters by_parameters{};
    for (std::size_t set = 0; set < n_sets; ++set) {
      by_set[set] = 0;
      if (prior[set] == 0) continue;
      const SignalCell cell = table->cell(i, set);
      probability += prior[set] * cell.value;
      by_set[set] = prior[set] * cell.by_share;
      for (std::size_t k = 0; k < parameters.size(); ++k)
        by_parameters[k] += prior[set] * cell.by_parameters[k];
    }
    std::ranges::fill(by_share, 0);
    for (std::size_t set = 0; set < n_sets && n_logits > 0; ++set)
      for (std::size_t c = 0, rest = set; c < n; ++c, rest /= kGenotypes)
        by_share[c] += by_set[set] * static_cast<double>(rest % kGenotypes) / 2;
    for (std::size_t z = 0; z < n_logits; ++z) {
      slope[z] = 0;
      for (std::size_t c = 0; c < n; ++c) slope[z] += by_share[c] * by_free[z][c];
    }
    for (std::size_t k = 0; k < parameters.size(); ++k)
      slope[n_logits + k] = by_parameters[k] * parameters[k];
    shape.value += weights_[i] * std::log(probability);
    for (std::size_t a = 0; a < n_free; ++a) {
      slope[a] /= probability;
      shape.slope[a] += weights_[i] * slope[a];
      for (std::size_t b = 0; b <= a; ++b) shape.curvature[a][b] += weights_[i] * slope[a] * slope[b];
    }
  }
  return shape;
}

/// The starting point of a fit, and its limits.
struct ShareFit::Start {
  explicit Start(const Signals& signals, std::vector<double> logits) : at(std::move(logits)) {
    limits.assign(at.size(), {-kMostShareLogit, kMostShareLogit});
    for (std::size_t k = 0; k < signals.start().size(); ++k) {
      at.push_back(std::log(signals.start()[k]));
      limits.push_back({std::log(signals.limits()[k].low), std::log(signals.limits()[k].high)});
    }
  }

  std::span<const double> logits() const { return std::span(at).first(at.size() - 2); }
  SignalParameters parameters() const { return {std::exp(at[at.size() - 2]), std::exp(at.back())}; }

  std::vector<double> at;
  std::vector<Limits> limits;
};

ShareExplanation ShareFit::fit(unsigned n, Relation kin) const {
  const std::vector<double> sets = sets_at_sites(n, kin);
  std::vector<std::vector<double>> starts{std::vector<double>()};
  if (n > 1) starts = {evenly_from(2, .5, n - 1), evenly_from(.4, .1, n - 1)};
  if (n > 1 && !known_.empty()) starts.push_back(evenly_from(-2, -.5, n - 1));
  // No share is below the lesser of the least one and half of an equal share.
  const double least = std::min(least_share_, .5 / n);
  ShareExplanation best{.log_likelihood = -std::numeric_limits<double>::infinity()};
  for (std::vector<double>& logits : starts) {
    Start start(signals_, std::move(logits));
    const double value = maximise(
        start.at, start.limits, kLeastShareGain, Curvature::kLearnt, [&](std::span<const double> at) {
          const auto [shares, slopes] = shares_by(at.first(n - 1), least);
          return shape(sets, shares, slopes, {std::exp(at[n - 1]), std::exp(at[n])});
        });
    if (best.shares.empty() || value > best.log_likelihood)
      best = {shares_by(start.logits(), least).shares, start.parameters(), value};
  }
  std::sort(best.shares.begin() + static_cast<std::ptrdiff_t>(std::min(known_.size(), best.shares.size())),
            best.shares.end(), std::greater<>());
  return best;
}

ShareExplanation ShareFit::fit_parameters(std::span<const double> shares) const {
  const std::vector<double> sets = sets_at_sites(static_cast<unsigned>(shares.size()), Relation::kUnrelated);
  Start start(signals_, {});
  const double value =
      maximise(start.at, start.limits, kLeastShareGain, Curvature::kLearnt, [&](std::span<const double> at) {
        return shape(sets, shares, {}, {std::exp(at[0]), std::exp(at[1])});
      });
  return {{shares.begin(), shares.end()}, start.parameters(), value};
}

}  // namespace fastid::stats
