#include "stats/stain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "bits/contributor_place.hpp"
#include "bits/popcount.hpp"
#include "stats/internal/allele_moments.hpp"
#include "stats/internal/ratio_sums.hpp"
#include "stats/internal/share_fit.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/internal/stain_lanes.hpp"
#include "stats/internal/stain_slots.hpp"
#include "stats/internal/stain_supports.hpp"
#include "stats/internal/stain_terms.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

constexpr double kShareRounding = .001;  ///< by which given shares may miss 1
constexpr double kNoLikelihood = -std::numeric_limits<double>::infinity();

}  // namespace

/// The ratios of a stain's called sites, for one support at a time.
class StainModel::Tables {
 public:
  Tables(const StainModel& model, const Stain& stain) : model_(model), stain_(stain) {
    for_each_called(stain.shown, [&](std::size_t site, bool) { sites_.push_back(site); });
    first_.resize(stain.shown.called.size());
    for (std::size_t i = sites_.size(); i-- > 0;) first_[sites_[i] / kWordBits] = i;
    ratios_.resize(sites_.size());
    if (stain.measured != nullptr) signals_ = signals_at(*stain.measured, sites_, model.model_->minor_freq());
  }

  void prepare(const StainSupport& support) {
    if (const AlleleMoments moments(2 * support.contributors + 2, model_.theta());
        moments.alleles() + 1 != n_terms_) {
      n_terms_ = moments.alleles() + 1;
      moments_.resize(sites_.size() * n_terms_);
      for (std::size_t i = 0; i < sites_.size(); ++i)
        moments.at(model_.model_->minor_freq()[sites_[i]],
                   std::span(moments_).subspan(i * n_terms_, n_terms_));
    }
    const std::unique_ptr<StainSlots> slots = model_.slots(stain_.shown, sites_, signals_.get(), support);
    ratios_by_key(
        moments_, n_terms_, slots->n_keys(), [&](std::size_t i) { return slots->key(i, sites_[i]); },
        [&](std::size_t i, std::span<JointTerms> terms) {
          joint_terms(slots->at(i, sites_[i]), model_.read_, terms);
        },
        ratios_);
  }

  /// The ratios of each called site.
  std::span<const RatiosOfSite> all() const { return ratios_; }

  /// The ratios of a person who shows kind y at a called site; the ratios of all kinds lie one after the
  /// other.
  const RelationRatios& at(std::size_t site, std::size_t y) const {
    const std::size_t word = site / kWordBits;
    const Word before = stain_.shown.called[word] & ((Word{1} << site % kWordBits) - 1);
    return ratios_[first_[word] + static_cast<std::size_t>(bits_set(before))][y];
  }

 private:
  const StainModel& model_;
  Stain stain_;
  std::vector<std::size_t> sites_, first_;  ///< called sites; of each word the first one's place among them
  std::unique_ptr<Signals> signals_;        ///< of these sites; null: by what is shown
  std::size_t n_terms_ = 0;
  std::vector<double> moments_;  ///< [called site][n_terms_]
  std::vector<RatiosOfSite> ratios_;
};

void check_parameters(const StainParameters& parameters, std::size_t known) {
  const auto check = [](std::string_view option, double value, double most, bool inclusive) {
    if (value >= 0 && (inclusive ? value <= most : value < most)) return;
    throw UsageError(fmt::format("{} is {}; give a number from 0 to {}{}", option, value,
                                 inclusive ? "" : "below ", most));
  };
  const auto& [model, threshold, least, most, estimated, shares, drop_outs, drop_in] = parameters;
  for (const double share : shares)
    if (!(share > 0 && share <= 1))
      throw UsageError(
          fmt::format("--shares has {}; give a number above 0 to 1 for each contributor", share));
  if (const double all = std::accumulate(shares.begin(), shares.end(), 0.);
      !shares.empty() && !(std::abs(all - 1) <= kShareRounding))
    throw UsageError(fmt::format("--shares add up to {:g}; give parts of 1", all));
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
  const bool by_alleles = model == StainModelChoice::kSemiContinuous,
             by_reads = model == StainModelChoice::kContinuous || model == StainModelChoice::kGamma;
  if (by_alleles && !shares.empty())
    throw UsageError(
        "--shares is of reads, which --model semi-continuous does not weigh; leave one of them out");
  if (by_alleles && threshold)
    throw UsageError(
        "--analytical-threshold is of reads, which --model semi-continuous does not weigh; --min-reads and "
        "--min-share say which alleles are seen");
  if ((by_reads || !shares.empty()) && !drop_outs.empty())
    throw UsageError("--drop-out is of alleles that are shown; leave it out where reads are weighed");
  if ((by_reads || !shares.empty() || threshold) && least > kMostByShares)
    throw UsageError(fmt::format("reads are explained by at most {} contributors, but --contributors says {}",
                                 kMostByShares, least));
  if ((by_reads || !shares.empty() || threshold) && known >= kMostByShares)
    throw UsageError(fmt::format("reads are explained by at most {} contributors, of whom --known names {}",
                                 kMostByShares, known));
  if (!shares.empty() && (least != most || shares.size() != most))
    throw UsageError(fmt::format(
        "--shares has {} values, one for each contributor, but --contributors says {}", shares.size(),
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
  if (drop_outs.size() > 1 && (least != most || drop_outs.size() != most))
    throw UsageError(fmt::format(
        "--drop-out has {} values, which are of so many contributors, but --contributors says {}; give one "
        "value "
        "for all, or one for each",
        drop_outs.size(), least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
}

std::string_view name_of(StainModelChoice model) {
  static constexpr std::array<std::string_view, 4> kNames{"auto", "semi-continuous", "continuous", "gamma"};
  return kNames[static_cast<std::size_t>(model)];
}

std::vector<double> probabilities_of_numbers(std::span<const StainSupport> supports) {
  const double all = log_sum(supports);
  std::vector<double> numbers(std::ranges::max(supports, {}, &StainSupport::contributors).contributors);
  for (const StainSupport& support : supports)
    numbers[support.contributors - 1] += std::exp(support.log_weight - all);
  return numbers;
}

std::size_t StainSupport::place() const {
  return place_of_contributor(own, unknown, measured.has_value());
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

double StainModel::theta() const {
  return model_->parameters().theta;
}

std::unique_ptr<StainSlots> StainModel::slots(const RowView& shown, std::span<const std::size_t> sites,
                                              const Signals* signals, const StainSupport& support) const {
  const KnownPeople known{known_, by_};
  if (signals != nullptr && support.measured)
    return std::make_unique<MeasuredSlots>(*signals, known, support);
  std::vector<std::size_t> kinds;
  kinds.reserve(sites.size());
  for (const std::size_t site : sites) kinds.push_back(kind_at(shown, site, by_));
  return std::make_unique<ShownSlots>(std::move(kinds), known, parameters_.drop_in, support);
}

StainModel::Joint StainModel::joint_at(const StainSlots& slots, std::size_t site,
                                       const StainSupport& support) const {
  const AlleleMoments of(2 * support.contributors + 2, theta());
  std::vector<double> moments(of.alleles() + 1);
  of.at(model_->minor_freq()[site], moments);
  std::vector<JointTerms> terms(moments.size());
  joint_terms(slots.at(0, site), read_, terms);
  Joint joint{};
  for (std::size_t j = 0; j < terms.size(); ++j)
    for (std::size_t ibd = 0; ibd < joint.size(); ++ibd)
      for (std::size_t y = 0; y < kGenotypes; ++y)
        joint[ibd][y] += moments[j] * terms[j][ibd * kJointRow + y];
  return joint;
}

StainModel::Joint StainModel::joint_at(std::size_t site, std::size_t kind,
                                       const StainSupport& support) const {
  return joint_at(ShownSlots({kind}, {known_, by_}, parameters_.drop_in, support), site, support);
}

StainModel::Joint StainModel::joint_at(std::size_t site, const Stain& stain,
                                       const StainSupport& support) const {
  const std::unique_ptr<Signals> signals =
      stain.measured == nullptr ? nullptr : signals_at(*stain.measured, {&site, 1}, model_->minor_freq());
  return joint_at(*slots(stain.shown, {&site, 1}, signals.get(), support), site, support);
}

std::vector<GenotypeChances> StainModel::genotypes(const Stain& stain,
                                                   std::span<const StainSupport> supports) const {
  const double all = log_sum(supports);
  std::vector<std::size_t> sites;
  for_each_called(stain.shown, [&](std::size_t site, bool) { sites.push_back(site); });
  const std::unique_ptr<Signals> signals =
      stain.measured == nullptr ? nullptr : signals_at(*stain.measured, sites, model_->minor_freq());
  std::vector<GenotypeChances> of_sites(sites.size());
  for (const StainSupport& support : supports) {
    const std::unique_ptr<StainSlots> slots = this->slots(stain.shown, sites, signals.get(), support);
    const AlleleMoments of(2 * support.contributors, theta());
    std::vector<double> moments(of.alleles() + 1);
    const double weight_of_support = std::exp(support.log_weight - all);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      of.at(model_->minor_freq()[sites[i]], moments);
      const SlotTerms slot = slots->at(i, sites[i]);
      std::array<double, kGenotypes> here{};
      for (std::size_t g = 0; g < kGenotypes; ++g)
        for (std::size_t m = 0; m <= slot.alleles; ++m)
          here[g] += kOrdersOfCopies[g] * slot.of[g][m] * moments[g + m];
      const double any = here[0] + here[1] + here[2];
      for (std::size_t g = 0; g < kGenotypes && any > 0; ++g)
        of_sites[i].posterior[g] += weight_of_support * here[g] / any;
    }
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::array<double, kGenotypes> prior =
        genotype_probabilities(model_->minor_freq()[sites[i]], model_->parameters().theta);
    for (std::size_t g = 0; g < kGenotypes; ++g)
      of_sites[i].likelihood[g] = of_sites[i].posterior[g] / prior[g];
  }
  return of_sites;
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
  double sum = 0, sites = 0;
  std::vector<double> weights;
  for (const StainSupport& support : supports) weights.push_back(std::exp(support.log_weight));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.);
  for_each_called(stain, [&](std::size_t site, bool) {
    const double p = model_->minor_freq()[site];
    ++sites;
    for (std::size_t s = 0; s < supports.size(); ++s)
      sum += weights[s] / all * both_shown(site, p, {known_, by_}, parameters_.drop_in, supports[s]);
  });
  return sites == 0 ? 0 : sum / sites;
}

std::vector<std::size_t> fitted_sites(const RowView& stain) {
  std::vector<std::size_t> called, sites;
  for_each_called(stain, [&](std::size_t site, bool) { called.push_back(site); });
  for (const std::size_t place : evenly_spread(called.size(), kMostFittedSites))
    sites.push_back(called[place]);
  return sites;
}

std::vector<StainSupport> StainModel::supports(const Stain& stain, bool relatives) const {
  const auto known = static_cast<unsigned>(known_.size());
  if (stain.measured == nullptr)
    return supports_by_drop_outs(StainFit(*model_, stain.shown, known_, by_, parameters_.drop_in), known,
                                 parameters_);
  const SiteWeights weights = model_->weights(stain.shown.called);
  const std::vector<std::size_t> sites = fitted_sites(stain.shown);
  std::vector<double> of_sites;
  for (const std::size_t site : sites) of_sites.push_back(weights[site]);
  const std::unique_ptr<Signals> signals = signals_at(*stain.measured, sites, model_->minor_freq());
  return supports_by_shares(
      ShareFit(*model_, *signals, sites, of_sites, known_, by_, least_share(*stain.measured)), known,
      parameters_, relatives);
}

std::vector<std::vector<RelationRatios>> StainModel::ratios(const Stain& stain,
                                                            std::span<const StainSupport> supports,
                                                            std::span<const RowView> people) const {
  Tables tables(*this, stain);
  std::vector<std::vector<RelationRatios>> of_supports;
  for (const StainSupport& support : supports) {
    tables.prepare(support);
    if (model_->blocks() == nullptr) {
      of_supports.push_back(sums_of_ratios(
          stain.shown, by_,
          [&](std::size_t site, std::size_t, std::size_t y) -> const RelationRatios& {
            return tables.at(site, y);
          },
          people));
      continue;
    }
    std::vector<RelationRatios>& sums = of_supports.emplace_back(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      const std::vector<Word> compared = compared_sites(stain.shown, people[i]);
      const SiteWeights weights = model_->weights(compared);
      for_each_called({stain.shown.bits, compared, {}}, [&](std::size_t site, bool) {
        sums[i].add(tables.at(site, kind_at(people[i], site, by_)), weights[site]);
      });
    }
  }
  return of_supports;
}

std::vector<StainModel::SiteRatios> StainModel::site_ratios(const Stain& stain,
                                                            std::span<const StainSupport> supports) const {
  std::vector<SiteRatios> of_supports;
  visit_site_ratios(stain, supports, [&](const auto& of_sites) {
    of_supports.emplace_back(of_sites.begin(), of_sites.end());
  });
  return of_supports;
}

void StainModel::visit_site_ratios(const Stain& stain, std::span<const StainSupport> supports,
                                   const VisitSites& visit) const {
  Tables tables(*this, stain);
  for (const StainSupport& support : supports) {
    tables.prepare(support);
    visit(tables.all());
  }
}

std::vector<StainEvidence> StainModel::weigh(const Stain& stain, std::span<const StainSupport> supports,
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
