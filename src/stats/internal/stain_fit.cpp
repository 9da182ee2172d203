#include "stats/internal/stain_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// Places in `from` .. of at most `most` of n things, evenly spread from the first to the last.
std::vector<std::size_t> evenly_spread(std::size_t n, std::size_t most) {
  std::vector<std::size_t> places(std::min(n, most));
  const double step = n > most ? static_cast<double>(n - 1) / static_cast<double>(most - 1) : 1;
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<std::size_t>(std::lrint(static_cast<double>(i) * step));
  return places;
}

/// Solves matrix * x = right for a symmetric positive definite matrix; no value where it is none.
std::optional<std::vector<double>> solved(std::vector<std::vector<double>> matrix,
                                          std::vector<double> right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {  // Cholesky
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
      if (i != j)
        matrix[i][j] = sum / matrix[j][j];
      else if (sum > 0)
        matrix[i][i] = std::sqrt(sum);
      else
        return std::nullopt;
    }
    for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[k][i] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

}  // namespace

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
  for (const std::size_t place : evenly_spread(called.size(), kMostSites)) {
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

/// Newton's method in the logit, with the curvature raised until a step makes the likelihood larger. A logit
/// at its limit that would go beyond stays.
double StainFit::fit(std::span<DropOutGroup> groups, std::size_t fixed) const {
  constexpr int kMostSteps = 200;
  constexpr double kFlat = 1e-9, kLeastRaise = 1e-9, kMostRaise = 1e9, kLeastGain = 1e-11;
  const std::size_t n = groups.size() - fixed;
  std::vector<double> z(n);
  const auto put = [&](std::span<const double> logits) {
    for (std::size_t i = 0; i < n; ++i) groups[fixed + i].drop_out = fitted_drop_out(logits[i]);
  };
  for (std::size_t i = 0; i < n; ++i) z[i] = fitted_logit(groups[fixed + i].drop_out);
  put(z);
  Slopes slopes(n);
  double value = evaluate(groups, fixed, &slopes), raise = 1e-3;
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> turn(n), slope(n);
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = groups[fixed + i].drop_out;
      turn[i] = d * (1 - d / kMostFitted);
      slope[i] = slopes.first[i] * turn[i];
      const bool stays = (z[i] <= kLeastLogit && slope[i] < 0) || (z[i] >= kMostLogit && slope[i] > 0);
      if (!stays && std::abs(slope[i]) > kFlat) free.push_back(i);
    }
    if (free.empty()) break;
    std::vector<std::vector<double>> curvature(free.size(), std::vector<double>(free.size()));
    std::vector<double> right(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::size_t a = free[i];
      right[i] = slope[a];
      for (std::size_t j = 0; j <= i; ++j)
        curvature[i][j] = -slopes.second[a][free[j]] * turn[a] * turn[free[j]];
      curvature[i][i] -= slope[a] * (1 - 2 * groups[fixed + a].drop_out / kMostFitted);
    }
    bool better = false;
    for (; !better && raise < kMostRaise; raise *= 8) {
      auto raised = curvature;
      for (std::size_t i = 0; i < free.size(); ++i)
        raised[i][i] += raise * (std::abs(curvature[i][i]) + std::abs(right[i]));
      const auto by = solved(std::move(raised), right);
      if (!by) continue;
      double gain = 0;  // twice what the step is expected to add
      for (std::size_t i = 0; i < free.size(); ++i) gain += right[i] * (*by)[i];
      if (gain < kLeastGain) break;
      std::vector<double> next = z;
      for (std::size_t i = 0; i < free.size(); ++i)
        next[free[i]] = std::clamp(z[free[i]] + std::clamp((*by)[i], -3., 3.), kLeastLogit, kMostLogit);
      put(next);
      Slopes there(n);
      const double reached = evaluate(groups, fixed, &there);
      if (!(reached > value)) continue;
      better = true;
      z = next, value = reached, slopes = std::move(there);
      raise = std::max(raise / 64, kLeastRaise);
    }
    if (better) continue;
    put(z);
    break;
  }
  return value;
}

}  // namespace fastid::stats
