#include "stats/internal/stain_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "stats/internal/maximum.hpp"
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
    : by_(by), drop_in_(drop_in) {
  const SiteWeights weights = model.weights(stain.called);
  std::vector<std::size_t> called;
  for_each_called(stain, [&](std::size_t site, bool) {
    called.push_back(site);
    called_ += weights[site];
  });
  const std::vector<std::size_t> places = evenly_spread(called.size(), kMostFittedSites);
  const std::size_t size = (places.size() + kFitLanes - 1) / kFitLanes * kFitLanes, people = 1 + known.size();
  sites_ = {size, model.blocks() != nullptr, std::vector<double>(size), std::vector<double>(4 * size),
            std::vector<double>(people * kGenotypes * size)};
  const auto put_copies = [&](std::size_t person, std::size_t at, const Copies& copies) {
    const double all = copies[0] + copies[1] + copies[2];
    for (std::size_t g = 0; g < kGenotypes; ++g)
      sites_.copies[(person * kGenotypes + g) * size + at] = copies[g] / all;
  };
  for (std::size_t at = 0; at < size; ++at) {
    const bool is_site = at < places.size();
    const std::size_t site = is_site ? called[places[at]] : 0;
    const ShownSigns signs = is_site ? signs_of(kind_at(stain, site, by), by) : ShownSigns{0, 0, 0, 1};
    const Copies anybody = copies_of_anybody(is_site ? model.minor_freq()[site] : .5);
    weight_ += sites_.weights[at] = is_site ? weights[site] : 0;
    const double of_signs[] = {signs.minor, signs.major, signs.both, signs.all};
    for (std::size_t row = 0; row < std::size(of_signs); ++row) sites_.signs[row * size + at] = of_signs[row];
    put_copies(0, at, anybody);
    for (std::size_t k = 0; k < known.size(); ++k)
      put_copies(1 + k, at, is_site ? copies_of_known(anybody, known[k], site, by) : anybody);
  }
}

/// First and second derivatives of the log likelihood by the drop-outs of groups.
struct StainFit::Slopes {
  std::vector<double> first, second;  ///< [group]; [group][group], of second groups up to the first
};

// Let A, B and C be the probabilities that all contributors hide the minor allele, the major one, and both. A
// site's probability is a sum of these, each with a sign; A' = A f'/f by the drop-out of a group whose factor
// in A is f.
double StainFit::evaluate(std::span<const DropOutGroup> groups, std::size_t fixed, Slopes* slopes) const {
  const std::size_t n = groups.size() - fixed;
  FitSums sums = sum_of_fit(sites_, groups, fixed, drop_in_, slopes != nullptr);
  double all_hidden = by_ == Encoding::kAlleles ? (1 - drop_in_) * (1 - drop_in_) : 0;
  for (const DropOutGroup& group : groups) all_hidden *= std::pow(group.drop_out, 2 * group.people);
  if (slopes != nullptr) {  // - log(1 - C), given that something is shown
    *slopes = {std::move(sums.first), std::move(sums.second)};
    const double odds = all_hidden / (1 - all_hidden);
    const auto by_both = [&](std::size_t i) {
      return 2 * groups[fixed + i].people / groups[fixed + i].drop_out;
    };
    for (std::size_t i = 0; i < n; ++i) {
      slopes->first[i] += weight_ * odds * by_both(i);
      for (std::size_t j = 0; j <= i; ++j) {
        const double bend = i == j ? -by_both(i) / groups[fixed + i].drop_out : 0;
        slopes->second[i * n + j] += weight_ * odds * ((1 + odds) * by_both(i) * by_both(j) + bend);
      }
    }
  }
  return sums.value - weight_ * std::log1p(-all_hidden);
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
    Slopes slopes;
    LocalShape shape{evaluate(groups, fixed, &slopes), std::vector<double>(n), Triangle(n)};
    std::vector<double> turn(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = groups[fixed + i].drop_out;
      turn[i] = d * (1 - d / kMostFitted);
      shape.slope[i] = slopes.first[i] * turn[i];
      for (std::size_t j = 0; j <= i; ++j)
        shape.curvature[i].push_back(-slopes.second[i * n + j] * turn[i] * turn[j]);
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
