#include "stats/stain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "stats/internal/ratio_sums.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

constexpr double kNoLikelihood = -std::numeric_limits<double>::infinity();

/// The drop-outs that a contributor in question may have.
constexpr std::array kDropOutGrid{.0001, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95};

/// From so many contributors on the unknown ones share one drop-out, but for the one in question.
constexpr unsigned kSharedDropOut = 5;

/// A support of less than this share is left out: natural log of 1e-6.
constexpr double kNegligible = -6 * std::numbers::ln10;

double log_sum(std::span<const StainSupport> supports) {
  double top = kNoLikelihood;
  for (const StainSupport& support : supports) top = std::max(top, support.log_weight);
  if (top == kNoLikelihood) return top;
  double sum = 0;
  for (const StainSupport& support : supports) sum += std::exp(support.log_weight - top);
  return top + std::log(sum);
}

/// The likely ones, with weights that add up to 1. A stain that no support explains leaves all, each the
/// same.
std::vector<StainSupport> weighed_supports(std::vector<StainSupport> supports) {
  const double all = log_sum(supports);
  for (StainSupport& support : supports)
    support.log_weight =
        all == kNoLikelihood ? -std::log(static_cast<double>(supports.size())) : support.log_weight - all;
  std::erase_if(supports, [](const StainSupport& support) { return support.log_weight <= kNegligible; });
  return supports;
}

/// Searches for the supports of one stain.
class SupportSearch {
 public:
  SupportSearch(const StainFit& fit, unsigned known, const StainParameters& parameters)
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
  /// What a further contributor costs.
  double penalty(unsigned n) const { return (n - 1 - known_) * std::log(std::max(1.0, fit_.called())) / 2; }

  double add(unsigned n, double log_likelihood, double drop_out, std::vector<double> unknown,
             std::vector<double> known) {
    std::ranges::sort(unknown);
    const double weight = log_likelihood - penalty(n);
    found_.push_back({n, drop_out, std::move(unknown), std::move(known), weight});
    return weight;
  }

  /// Groups of drop-outs: that of the contributor in question, of the known people, of the other unknown
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

/// Adds to what is hidden at a site what the contributors besides the one in question hide.
/// \returns P(what is known of the known people)
double add_others(HiddenAlleles& hidden, const Copies& anybody, std::span<const RowView> known,
                  std::size_t site, Encoding by, const StainSupport& support) {
  double all = 1;
  for (const double drop_out : support.unknown) hidden *= HiddenAlleles(anybody, drop_out);
  for (std::size_t k = 0; k < support.known.size(); ++k) {
    const Copies copies = copies_of_known(anybody, known[k], site, by);
    hidden *= HiddenAlleles(copies, support.known[k]);
    all *= copies[0] + copies[1] + copies[2];
  }
  return all;
}

}  // namespace

/// The ratios of a stain's called sites, for one support at a time.
class StainModel::Tables {
 public:
  Tables(const StainModel& model, const RowView& stain) : model_(model), stain_(stain) {
    for_each_called(stain, [&](std::size_t site, bool) { sites_.push_back(site); });
    first_.resize(stain.called.size());
    for (std::size_t i = sites_.size(); i-- > 0;) first_[sites_[i] / kWordBits] = i;
    ratios_.resize(sites_.size());
  }

  void prepare(const StainSupport& support) {
    const std::size_t n_nodes = model_.n_nodes(support);
    if (n_nodes != n_nodes_) {
      n_nodes_ = n_nodes;
      nodes_.resize(sites_.size() * n_nodes);
      for (std::size_t i = 0; i < sites_.size(); ++i)
        frequency_nodes(model_.model_->minor_freq()[sites_[i]], model_.model_->parameters().theta,
                        std::span(nodes_).subspan(i * n_nodes, n_nodes));
    }
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const Joint joint = model_.joint_at(sites_[i], kind_at(stain_, sites_[i], model_.by_), support,
                                          std::span(nodes_).subspan(i * n_nodes, n_nodes));
      for (std::size_t y = 0; y < kinds_shown(model_.by_); ++y)
        ratios_[i][y] = relation_ratios(joint[0][y], joint[1][y], joint[2][y]);
    }
  }

  /// Of the person's kind y at a called site; those of all kinds lie one after the other.
  const RelationRatios& at(std::size_t site, std::size_t y) const {
    const std::size_t word = site / kWordBits;
    const Word before = stain_.called[word] & ((Word{1} << site % kWordBits) - 1);
    return ratios_[first_[word] + static_cast<std::size_t>(bits_set(before))][y];
  }

 private:
  const StainModel& model_;
  RowView stain_;
  std::vector<std::size_t> sites_, first_;  ///< called sites; of each word the first one's place among them
  std::size_t n_nodes_ = 0;
  std::vector<FrequencyNode> nodes_;  ///< [called site][node]
  std::vector<std::array<RelationRatios, kGenotypes>> ratios_;
};

void check_parameters(const StainParameters& parameters, std::size_t known) {
  const auto check = [](std::string_view option, double value, double most, bool inclusive) {
    if (value >= 0 && (inclusive ? value <= most : value < most)) return;
    throw UsageError(fmt::format("{} is {}; give a number from 0 to {}{}", option, value,
                                 inclusive ? "" : "below ", most));
  };
  const auto& [least, most, estimated, drop_outs, drop_in] = parameters;
  for (const double drop_out : drop_outs) check("--drop-out", drop_out, 1, false);
  check("--drop-in", drop_in, 0.5, true);
  if (least < 1 || most > kMostContributors || least > most)
    throw UsageError(fmt::format(
        "--contributors is {}; give a number from 1 to {}, or two with the lower one first: 2-3",
        least == most ? fmt::format("{}", least) : fmt::format("{}-{}", least, most), kMostContributors));
  if (known >= most)
    throw UsageError(fmt::format(
        "--known names {} of {} contributors; nobody is left to look for: give more --contributors", known,
        most));
  if (drop_outs.size() > 1 && (least != most || drop_outs.size() != most))
    throw UsageError(fmt::format(
        "--drop-out has {} values, which are of so many contributors, but --contributors says {}; give one "
        "value "
        "for all, or one for each",
        drop_outs.size(), least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
}

std::vector<double> probabilities_of_numbers(std::span<const StainSupport> supports) {
  const double all = log_sum(supports);
  std::vector<double> numbers(std::ranges::max(supports, {}, &StainSupport::contributors).contributors);
  for (const StainSupport& support : supports)
    numbers[support.contributors - 1] += std::exp(support.log_weight - all);
  return numbers;
}

StainModel::StainModel(const PopulationModel& model, std::span<const RowView> known, Encoding by,
                       const StainParameters& parameters)
    : model_(&model),
      known_(known.begin(), known.end()),
      by_(by),
      parameters_(parameters),
      read_(readings(model.parameters().error_rate)) {
  if (by == Encoding::kMinor)
    for (auto& read : read_) read = {read[0], read[1] + read[2], 0};
}

std::size_t StainModel::n_nodes(const StainSupport& support) const {
  return model_->parameters().theta > 0 ? support.contributors + 3 : 1;
}

/// P(the site shows the kind, and what is known of the known people | g, p), up to a factor that all g and p
/// share.
Copies StainModel::slot(std::size_t site, std::size_t kind, double p, const StainSupport& support) const {
  const Copies anybody = copies_of_anybody(p);
  HiddenAlleles others;
  const double all = add_others(others, anybody, known_, site, by_, support);
  const ShownSigns signs = signs_of(kind, by_);
  Copies slot{};
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    Copies own{};
    own[g] = 1;
    HiddenAlleles hidden = others;
    hidden *= HiddenAlleles(own, support.drop_out);
    slot[g] = shown_probability(signs, hidden, parameters_.drop_in, all);
  }
  return slot;
}

StainModel::Joint StainModel::joint_at(std::size_t site, std::size_t kind, const StainSupport& support,
                                       std::span<const FrequencyNode> nodes) const {
  Joint joint{};
  for (const auto& [p, weight] : nodes) {
    const Copies anybody = copies_of_anybody(p), slot = this->slot(site, kind, p, support);
    const double none = anybody[0] * slot[0] + anybody[1] * slot[1] + anybody[2] * slot[2];
    const double major = (1 - p) * slot[0] + p * slot[1], minor = (1 - p) * slot[1] + p * slot[2];
    const Copies one{major, (major + minor) / 2, minor};
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      const double person = weight * anybody[g];
      for (std::size_t y = 0; y < kGenotypes; ++y) {
        const double seen = person * read_[g][y];
        joint[0][y] += seen * none;
        joint[1][y] += seen * one[g];
        joint[2][y] += seen * slot[g];
      }
    }
  }
  return joint;
}

StainModel::Joint StainModel::joint_at(std::size_t site, std::size_t kind,
                                       const StainSupport& support) const {
  std::array<FrequencyNode, kMostFrequencyNodes> nodes;
  const auto some = std::span(nodes).first(n_nodes(support));
  frequency_nodes(model_->minor_freq()[site], model_->parameters().theta, some);
  return joint_at(site, kind, support, some);
}

StainEstimate StainModel::estimate(const RowView& stain) const {
  const StainFit fit(*model_, stain, known_, by_, parameters_.drop_in);
  const double drop_out = parameters_.drop_outs.empty() ? kUsualDropOut : parameters_.drop_outs.front();
  const auto known = static_cast<unsigned>(known_.size());
  StainEstimate best{0, kNoLikelihood};
  for (unsigned n = std::max(parameters_.least, known + 1); n <= parameters_.most; ++n) {
    std::vector<DropOutGroup> groups{{0, n - known, drop_out}};
    for (unsigned k = 1; k <= known; ++k) groups.push_back({k, 1, drop_out});
    const double log10 = fit.log_likelihood(groups) / std::numbers::ln10;
    if (best.contributors == 0 || log10 > best.log10_likelihood) best = {n, log10};
  }
  return best;
}

double StainModel::expected_saturation(const RowView& stain, std::span<const StainSupport> supports) const {
  double sum = 0, sites = 0, weights = 0;
  for (const StainSupport& support : supports) weights += std::exp(support.log_weight);
  const double none = 1 - parameters_.drop_in;
  for_each_called(stain, [&](std::size_t site, bool) {
    const Copies anybody = copies_of_anybody(model_->minor_freq()[site]);
    ++sites;
    for (const StainSupport& support : supports) {
      HiddenAlleles hidden(anybody, support.drop_out);
      const double all = add_others(hidden, anybody, known_, site, by_, support);
      const double shown = shown_probability(signs_of(kBothAlleles, by_), hidden, parameters_.drop_in, all),
                   some = by_ == Encoding::kAlleles ? all - none * none * hidden.both : all;
      sum += std::exp(support.log_weight) / weights * shown / some;
    }
  });
  return sites == 0 ? 0 : sum / sites;
}

std::vector<StainSupport> StainModel::supports(const RowView& stain) const {
  const StainFit fit(*model_, stain, known_, by_, parameters_.drop_in);
  return SupportSearch(fit, static_cast<unsigned>(known_.size()), parameters_).all();
}

std::vector<std::vector<RelationRatios>> StainModel::ratios(const RowView& stain,
                                                            std::span<const StainSupport> supports,
                                                            std::span<const RowView> people) const {
  Tables tables(*this, stain);
  std::vector<std::vector<RelationRatios>> of_supports;
  for (const StainSupport& support : supports) {
    tables.prepare(support);
    if (model_->blocks() == nullptr) {
      of_supports.push_back(sums_of_ratios(
          stain, by_,
          [&](std::size_t site, std::size_t, std::size_t y) -> const RelationRatios& {
            return tables.at(site, y);
          },
          people));
      continue;
    }
    std::vector<RelationRatios>& sums = of_supports.emplace_back(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      const std::vector<Word> compared = compared_sites(stain, people[i]);
      const SiteWeights weights = model_->weights(compared);
      for_each_called({stain.bits, compared, {}}, [&](std::size_t site, bool) {
        sums[i].add(tables.at(site, kind_at(people[i], site, by_)), weights[site]);
      });
    }
  }
  return of_supports;
}

std::vector<StainEvidence> StainModel::weigh(const RowView& stain, std::span<const StainSupport> supports,
                                             std::span<const RowView> people) const {
  const std::vector<std::vector<RelationRatios>> of_supports = ratios(stain, supports, people);
  std::vector<StainEvidence> evidence(people.size());
  std::vector<double> terms(supports.size());
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t r = 0; r < kRelations; ++r) {
      for (std::size_t s = 0; s < supports.size(); ++s)
        terms[s] = supports[s].log_weight / std::numbers::ln10 + of_supports[s][i].log10[r];
      if (r == static_cast<std::size_t>(Relation::kSame))
        evidence[i].support = static_cast<std::size_t>(std::ranges::max_element(terms) - terms.begin());
      if (r != static_cast<std::size_t>(Relation::kUnrelated))
        evidence[i].relations.log10[r] = log10_mean(terms) + std::log10(static_cast<double>(supports.size()));
    }
  return evidence;
}

}  // namespace fastid::stats
