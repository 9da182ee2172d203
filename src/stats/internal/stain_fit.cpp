#include "stats/internal/stain_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stats/internal/maximum.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
std::vector<std::size_t> evenly_spread(std::size_t n, std::size_t most) {
  std::vector<std::size_t> places(std::min(n, most));
  const double step = n > most ? static_cast<double>(n - 1) / static_cast<double>(most - 1) : 1;
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<std::size_t>(std::lrint(static_cast<double>(i) * step));
  return places;
}

double fitted_drop_out(double z) {
  return kMostFitted / (1 + std::exp(-z));
}

double fitted_logit(double drop_out) {
  return std::clamp(std::log(drop_out / (kMostFitted - drop_out)), kLeastLogit, kMostLogit);
}

StainFit::StainFit(const PopulationModel& model, const RowView& stain, std::span<const RowView> known,
                   Encoding by, double drop_in)
    : by_(by), drop_in_(drop_in), people_(1 + known.size()) {
  const SiteWeights weights = model.weights(stain.called);
  std::vector<std::size_t> called;
  for_each_called(stain, [&](std::size_t site, bool) {
    called.push_back(site);
    called_ += weights[site];
  });
  for (const std::size_t place : evenly_spread(called.size(), kMostFittedSites)) {
    const std::size_t site = called[place];
    kinds_.push_back(kind_at(stain, site, by));
    weights_.push_back(weights[site]);
    const Copies anybody = copies_of_anybody(model.minor_freq()[site]);
    copies_.push_back(anybody);
    for (const RowView& row : known) {
      Copies& own = copies_.emplace_back(copies_of_known(anybody, row, site, by));
      const double all = own[0] + own[1] + own[2];
      for (double& copies : own) copies /= all;
    }
  }
}

/// First and second derivatives of the log likelihood by the drop-outs of groups.
struct StainFit::Slopes {
  explicit Slopes(std::size_t n) : first(n), second(n, std::vector<double>(n)) {}

  std::vector<double> first;
  std::vector<std::vector<double>> second;
};

/// With A, B and C for what all hide of the minor allele, of the major one and of both, a site's probability
/// is a sum of them, each with a sign; A' = A f'/f by the drop-out of a group whose factor in A is f.
double StainFit::evaluate(std::span<const DropOutGroup> groups, std::size_t fixed, Slopes* slopes) const {
  const std::size_t n = groups.size() - fixed;
  struct Relative {
    double minor = 0, major = 0, both = 0;
  };
  std::vector<Relative> first(n), bend(n);  // f'/f, and f''/f - (f'/f)^2
  std::vector<double> slope(n);
  double all_hidden = by_ == Encoding::kAlleles ? (1 - drop_in_) * (1 - drop_in_) : 0;
  for (const DropOutGroup& group : groups) all_hidden *= std::pow(group.drop_out, 2 * group.people);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [who, people, d] = groups[fixed + i];
    first[i].both = 2 * people / d;
    bend[i].both = -first[i].both / d;
  }
  LogProduct product;
  double weight = 0;
  for (std::size_t site = 0; site < kinds_.size(); ++site) {
    HiddenAlleles hidden;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto& [who, people, d] = groups[i];
      const Copies& of = copies_[site * people_ + who];
      const HiddenAlleles own(of, d);
      for (unsigned k = 0; k < people; ++k) hidden *= own;
      if (i < fixed || slopes == nullptr) continue;
      const double minor = (of[1] + 2 * d * of[2]) / own.minor, major = (of[1] + 2 * d * of[0]) / own.major;
      Relative& by_own = first[i - fixed];
      Relative& bend_own = bend[i - fixed];
      by_own.minor = people * minor;
      by_own.major = people * major;
      bend_own.minor = people * (2 * of[2] / own.minor - minor * minor);
      bend_own.major = people * (2 * of[0] / own.major - major * major);
    }
    const ShownSigns signs = signs_of(kinds_[site], by_);
    const double probability = shown_probability(signs, hidden, drop_in_, 1);
    product.multiply(probability, weights_[site]);
    weight += weights_[site];
    if (slopes == nullptr) continue;
    const double none = 1 - drop_in_, minor = signs.minor * none * hidden.minor / probability,
                 major = signs.major * none * hidden.major / probability,
                 both = signs.both * none * none * hidden.both / probability;
    for (std::size_t i = 0; i < n; ++i)
      slope[i] = minor * first[i].minor + major * first[i].major + both * first[i].both;
    for (std::size_t i = 0; i < n; ++i) {
      slopes->first[i] += weights_[site] * slope[i];
      for (std::size_t j = 0; j <= i; ++j) {
        double second = minor * first[i].minor * first[j].minor + major * first[i].major * first[j].major +
                        both * first[i].both * first[j].both - slope[i] * slope[j];
        if (i == j) second += minor * bend[i].minor + major * bend[i].major + both * bend[i].both;
        slopes->second[i][j] += weights_[site] * second;
      }
    }
  }
  if (slopes != nullptr) {  // - log(1 - C), given that something is shown
    const double odds = all_hidden / (1 - all_hidden);
    for (std::size_t i = 0; i < n; ++i) {
      slopes->first[i] += weight * odds * first[i].both;
      for (std::size_t j = 0; j <= i; ++j)
        slopes->second[i][j] +=
            weight * odds * ((1 + odds) * first[i].both * first[j].both + (i == j ? bend[i].both : 0));
    }
  }
  return product.log10() * std::numbers::ln10 - weight * std::log1p(-all_hidden);
}

double StainFit::log_likelihood(std::span<const DropOutGroup> groups) const {
  return evaluate(groups, groups.size(), nullptr);
}

double StainFit::fit(std::span<DropOutGroup> groups, std::size_t fixed) const {
  constexpr double kLeastGain = 1e-11;
  const std::size_t n = groups.size() - fixed;
  const auto put = [&](std::span<const double> logits) {
    for (std::size_t i = 0; i < n; ++i) groups[fixed + i].drop_out = fitted_drop_out(logits[i]);
  };
  const auto shape_at = [&](std::span<const double> logits) {
    put(logits);
    Slopes slopes(n);
    LocalShape shape{evaluate(groups, fixed, &slopes), std::vector<double>(n), Triangle(n)};
    std::vector<double> turn(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = groups[fixed + i].drop_out;
      turn[i] = d * (1 - d / kMostFitted);
      shape.slope[i] = slopes.first[i] * turn[i];
      for (std::size_t j = 0; j <= i; ++j)
        shape.curvature[i].push_back(-slopes.second[i][j] * turn[i] * turn[j]);
      shape.curvature[i][i] -= shape.slope[i] * (1 - 2 * d / kMostFitted);
    }
    return shape;
  };
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = fitted_logit(groups[fixed + i].drop_out);
  const double value =
      maximise(z, std::vector<Limits>(n, {kLeastLogit, kMostLogit}), kLeastGain, Curvature::kExact, shape_at);
  put(z);
  return value;
}

}  // namespace fastid::stats
