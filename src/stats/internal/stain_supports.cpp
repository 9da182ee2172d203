#include "stats/internal/stain_supports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace fastid::stats {
namespace {

constexpr double kNoLikelihood = -std::numeric_limits<double>::infinity();

/// The drop-outs that a contributor in question may have.
constexpr std::array kDropOutGrid{.0001, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95};

/// From this number of contributors on, the unknown ones other than the one in question share one drop-out.
constexpr unsigned kSharedDropOut = 5;

/// A support of less than this share is left out: natural log of 1e-6.
constexpr double kNegligible = -6 * std::numbers::ln10;

/// The likely supports, with weights that add up to 1. Where no support explains the stain, all are kept with
/// equal weights.
std::vector<StainSupport> weighed_supports(std::vector<StainSupport> supports) {
  const double all = log_sum(supports);
  for (StainSupport& support : supports) {
    support.log_stain = all;
    support.log_weight =
        all == kNoLikelihood ? -std::log(static_cast<double>(supports.size())) : support.log_weight - all;
  }
  std::erase_if(supports, [](const StainSupport& support) { return support.log_weight <= kNegligible; });
  return supports;
}

/// Searches for the supports of one stain, by drop-outs.
class DropOutSearch {
 public:
  DropOutSearch(const StainFit& fit, unsigned known, const StainParameters& parameters)
      : fit_(fit), known_(known), parameters_(parameters) {}

  std::vector<StainSupport> all() {
    double best = kNoLikelihood;
    for (unsigned n = std::max(parameters_.least, known_ + 1); n <= parameters_.most; ++n) {
      const double of_number = parameters_.drop_outs.empty() ? add_fitted(n) : add_given(n);
      best = std::max(best, of_number);
      if (parameters_.estimated && of_number < best + kNegligible) break;
    }
    return weighed_supports(std::move(found_));
  }

 private:
  /// The penalty of further contributors, as a natural log.
  double penalty(unsigned n) const { return (n - 1 - known_) * std::log(std::max(1.0, fit_.called())) / 2; }

  double add(unsigned n, double log_likelihood, double drop_out, std::vector<double> unknown,
             std::vector<double> known) {
    std::ranges::sort(unknown);
    const double weight = log_likelihood - penalty(n);
    found_.push_back({n, drop_out, std::move(unknown), std::move(known), weight, {}});
    return weight;
  }

  /// Groups of contributors by drop-out: the contributor in question, the known people, the other unknown
  /// ones.
  std::vector<DropOutGroup> groups_of(unsigned n, double drop_out) const {
    std::vector<DropOutGroup> groups{{0, 1, drop_out}};
    const unsigned others = n - 1 - known_;
    if (n >= kSharedDropOut && others > 0)
      groups.push_back({0, others, 0});
    else
      groups.insert(groups.end(), others, {0, 1, 0});
    for (unsigned k = 1; k <= known_; ++k) groups.push_back({k, 1, 0});
    return groups;
  }

  double add_fitted(unsigned n) {
    double best = kNoLikelihood;
    std::vector<double> last;
    for (const double drop_out : kDropOutGrid) {
      std::vector<DropOutGroup> groups = groups_of(n, drop_out);
      const double likelihood = fit(groups, last);
      std::vector<double> unknown, known;
      last.clear();
      for (std::size_t i = 1; i < groups.size(); ++i) {
        last.push_back(groups[i].drop_out);
        if (groups[i].who > 0)
          known.push_back(groups[i].drop_out);
        else
          unknown.insert(unknown.end(), groups[i].people, groups[i].drop_out);
      }
      best = std::max(best, add(n, likelihood, drop_out, std::move(unknown), std::move(known)));
    }
    return best;
  }

  /// The best of the fits from some starts: low drop-outs, middle ones, and the last fit's.
  double fit(std::vector<DropOutGroup>& groups, const std::vector<double>& last) const {
    const std::size_t n = groups.size() - 1;
    if (n == 0) return fit_.log_likelihood(groups);
    std::vector<std::vector<double>> starts;
    for (const auto& [low, high] : {std::pair(-4., 0.), std::pair(-2., 2.)}) {
      std::vector<double>& start = starts.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        start.push_back(fitted_drop_out(
            low + (n > 1 ? (high - low) * static_cast<double>(i) / static_cast<double>(n - 1) : 0)));
    }
    if (!last.empty()) starts.push_back(last);
    double best = kNoLikelihood;
    std::vector<DropOutGroup> found = groups;
    for (const std::vector<double>& start : starts) {
      for (std::size_t i = 0; i < n; ++i) groups[i + 1].drop_out = start[i];
      const double likelihood = fit_.fit(groups, 1);
      if (likelihood <= best) continue;
      best = likelihood;
      found = groups;
    }
    groups = found;
    return best;
  }

  double add_given(unsigned n) {
    const bool same = parameters_.drop_outs.size() == 1;
    const auto of = [&](std::size_t contributor) { return parameters_.drop_outs[same ? 0 : contributor]; };
    std::vector<DropOutGroup> groups;
    std::vector<double> known;
    for (unsigned i = 0; i < n; ++i) groups.push_back({i < known_ ? i + 1 : 0, 1, of(i)});
    for (unsigned i = 0; i < known_; ++i) known.push_back(of(i));
    const double likelihood = fit_.log_likelihood(groups);
    double best = kNoLikelihood;
    for (unsigned asked = known_; asked < (same ? known_ + 1 : n); ++asked) {
      std::vector<double> unknown;
      for (unsigned i = known_; i < n; ++i)
        if (i != asked) unknown.push_back(of(i));
      best = std::max(best, add(n, likelihood, of(asked), std::move(unknown), known));
    }
    return best;
  }

  const StainFit& fit_;
  unsigned known_;
  const StainParameters& parameters_;
  std::vector<StainSupport> found_;
};

/// Searches for the supports of one stain, by shares.
class ShareSearch {
 public:
  ShareSearch(const ShareFit& fit, unsigned known, const StainParameters& parameters, bool relatives)
      : fit_(fit), known_(known), parameters_(parameters), relatives_(relatives) {}

  std::vector<StainSupport> all() {
    double best = kNoLikelihood;
    const unsigned most = std::min(parameters_.most, kMostByShares),
                   first = std::max(parameters_.least, known_ + 1);
    for (unsigned n = first; n <= most; ++n) {
      if (n > first && n * fit_.least_share() >= 1) break;
      const double of_number = parameters_.shares.empty() ? add_fitted(n) : add_given();
      best = std::max(best, of_number);
      if (parameters_.estimated && of_number < best + kNegligible) break;
    }
    return weighed_supports(std::move(found_));
  }

 private:
  double penalty(std::size_t n) const {
    return static_cast<double>(n - 1) * std::log(std::max(1.0, fit_.weight())) / 2;
  }

  /// Adds a support for each unknown contributor, all equally likely to be the one in question. Returns their
  /// total weight.
  double add(const ShareExplanation& explanation, Relation kin) {
    const std::size_t n = explanation.shares.size(), unknown = n - known_;
    const double weight = explanation.log_likelihood - penalty(n);
    const auto first = explanation.shares.begin() + known_;
    for (std::size_t own = 0; own < unknown; ++own) {
      StainSupport support{.contributors = static_cast<unsigned>(n),
                           .own = first[static_cast<std::ptrdiff_t>(own)],
                           .unknown = {first, explanation.shares.end()},
                           .known = {explanation.shares.begin(), first},
                           .log_weight = weight - std::log(static_cast<double>(unknown)),
                           .measured = StainMeasured{explanation.parameters, kin}};
      support.unknown.erase(support.unknown.begin() + static_cast<std::ptrdiff_t>(own));
      found_.push_back(std::move(support));
    }
    return weight;
  }

  double add_fitted(unsigned n) {
    double best = add(fit_.fit(n), Relation::kUnrelated);
    if (n == 2 && known_ == 0 && relatives_)
      for (const Relation kin : {Relation::kParentChild, Relation::kSibling})
        best = std::max(best, add(fit_.fit(n, kin), kin));
    return best;
  }

  double add_given() { return add(fit_.fit_parameters(parameters_.shares), Relation::kUnrelated); }

  const ShareFit& fit_;
  unsigned known_;
  const StainParameters& parameters_;
  bool relatives_;
  std::vector<StainSupport> found_;
};

}  // namespace

bool names_relatives(std::span<const StainSupport> supports) {
  return std::ranges::any_of(supports, [](const StainSupport& support) {
    return support.measured && support.measured->kin != Relation::kUnrelated;
  });
}

double log_sum(std::span<const StainSupport> supports) {
  double top = kNoLikelihood;
  for (const StainSupport& support : supports) top = std::max(top, support.log_weight);
  if (top == kNoLikelihood) return top;
  double sum = 0;
  for (const StainSupport& support : supports) sum += std::exp(support.log_weight - top);
  return top + std::log(sum);
}

std::vector<StainSupport> supports_by_drop_outs(const StainFit& fit, unsigned known,
                                                const StainParameters& parameters) {
  return DropOutSearch(fit, known, parameters).all();
}

std::vector<StainSupport> supports_by_shares(const ShareFit& fit, unsigned known,
                                             const StainParameters& parameters, bool relatives) {
  return ShareSearch(fit, known, parameters, relatives).all();
}

}  // namespace fastid::stats
