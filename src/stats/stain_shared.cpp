// Two stains: what they say of a contributor of one and a contributor of the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "stats/internal/allele_moments.hpp"
#include "stats/internal/stain_lanes.hpp"
#include "stats/internal/stain_slots.hpp"
#include "stats/internal/stain_supports.hpp"
#include "stats/internal/stain_terms.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {
namespace {

/// The means of p^j (1 - p)^(n - j) at each site, kept for each n that is asked for.
class SiteMoments {
 public:
  SiteMoments(const PopulationModel& model, std::span<const std::size_t> sites, double theta)
      : model_(model), sites_(sites), theta_(theta) {}

  /// [site][terms]
  std::span<const double> of(std::size_t terms) {
    std::vector<double>& all = by_terms_[terms];
    if (!all.empty()) return all;
    const AlleleMoments moments(terms - 1, theta_);
    all.resize(sites_.size() * terms);
    for (std::size_t i = 0; i < sites_.size(); ++i)
      moments.at(model_.minor_freq()[sites_[i]], std::span(all).subspan(i * terms, terms));
    return all;
  }

 private:
  const PopulationModel& model_;
  std::span<const std::size_t> sites_;
  double theta_;
  std::map<std::size_t, std::vector<double>> by_terms_;
};

/// Sets the ratios of a contributor of one stain with up to kGenotypes of the other, side by side.
/// \param others  slots of the other stain, all with the same number of contributors; at each site all have
/// the same key
/// \param ratios  [site][slot of `others`]
void set_ratios(std::span<const std::size_t> sites, std::size_t contributors, SiteMoments& moments,
                const StainSlots& one, std::span<const std::unique_ptr<StainSlots>> others,
                std::span<RatiosOfSite> ratios) {
  const std::size_t n_terms = 2 * contributors + 1, n_others = others[0]->n_keys();
  ratios_by_key(
      moments.of(n_terms), n_terms, one.n_keys() * n_others,
      [&](std::size_t i) { return one.key(i, sites[i]) * n_others + others[0]->key(i, sites[i]); },
      [&](std::size_t i, std::span<JointTerms> terms) {
        const SlotTerms slot = one.at(i, sites[i]);
        for (std::size_t y = 0; y < others.size(); ++y)
          pair_terms(slot, others[y]->at(i, sites[i]), y, terms);
      },
      ratios);
}

/// The supports of some weight, and where they stand among all.
struct Likely {
  std::vector<StainSupport> supports;
  std::vector<std::size_t> places;

  explicit Likely(std::span<const StainSupport> all) {
    constexpr double kLeast = -3 * std::numbers::ln10;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].log_weight < kLeast) continue;
      supports.push_back(all[i]);
      places.push_back(i);
    }
    const double sum = log_sum(supports);
    for (StainSupport& support : supports) support.log_weight -= sum;
  }
};

}  // namespace

SharedEvidence StainModel::shared(const Stain& stain, std::span<const StainSupport> supports,
                                  const Stain& other, std::span<const StainSupport> others) const {
  const Likely first(supports), second(others);
  const std::vector<Word> compared = compared_sites(stain.shown, other.shown);
  std::vector<std::size_t> sites;
  for_each_called({stain.shown.bits, compared, {}}, [&](std::size_t site, bool) { sites.push_back(site); });
  const auto all_slots = [&](const Stain& of, std::span<const StainSupport> all) {
    const auto signals =
        of.measured == nullptr ? nullptr : signals_at(*of.measured, sites, model_->minor_freq());
    std::vector<std::unique_ptr<StainSlots>> made;
    for (const StainSupport& support : all) made.push_back(slots(of.shown, sites, signals.get(), support));
    return made;
  };
  const auto one = all_slots(stain, first.supports), two = all_slots(other, second.supports);
  const SiteWeights weights = model_->weights(compared);
  SiteMoments moments(*model_, sites, theta());
  std::vector<RatiosOfSite> ratios(sites.size());
  std::vector<RelationRatios> sums(one.size() * two.size());
  for (std::size_t s = 0; s < one.size(); ++s)
    for (std::size_t begin = 0, end = 0; begin < two.size(); begin = end) {
      const std::size_t of_other = second.supports[begin].contributors;
      while (end < two.size() && end < begin + kGenotypes && second.supports[end].contributors == of_other)
        ++end;
      set_ratios(sites, first.supports[s].contributors + of_other, moments, *one[s],
                 std::span(two).subspan(begin, end - begin), ratios);
      for (std::size_t i = 0; i < sites.size(); ++i)
        for (std::size_t at = begin; at < end; ++at)
          sums[s * two.size() + at].add(ratios[i][at - begin], weights[sites[i]]);
    }
  SharedEvidence evidence;
  std::vector<double> terms(sums.size());
  for (std::size_t r = 0; r < kRelations; ++r) {
    for (std::size_t s = 0; s < sums.size(); ++s)
      terms[s] = (first.supports[s / second.supports.size()].log_weight +
                  second.supports[s % second.supports.size()].log_weight) /
                     std::numbers::ln10 +
                 sums[s].log10[r];
    if (r == static_cast<std::size_t>(Relation::kSame)) {
      const auto most = static_cast<std::size_t>(std::ranges::max_element(terms) - terms.begin());
      evidence.support = first.places[most / second.supports.size()];
      evidence.other = second.places[most % second.supports.size()];
    }
    if (r != static_cast<std::size_t>(Relation::kUnrelated))
      evidence.relations.log10[r] = log10_mean(terms) + std::log10(static_cast<double>(terms.size()));
  }
  return evidence;
}

std::vector<StainModel::SiteRatios> StainModel::shared_site_ratios(const Stain& stain,
                                                                   std::span<const StainSupport> supports,
                                                                   const StainSupport& other) const {
  if (supports.empty()) return {};
  std::vector<std::size_t> sites;
  for_each_called(stain.shown, [&](std::size_t site, bool) { sites.push_back(site); });
  const auto signals =
      stain.measured == nullptr ? nullptr : signals_at(*stain.measured, sites, model_->minor_freq());
  SiteMoments moments(*model_, sites, theta());
  std::vector<std::unique_ptr<StainSlots>> shown;  // [kind]
  for (std::size_t kind = 0; kind < kinds_shown(by_); ++kind)
    shown.push_back(std::make_unique<ShownSlots>(std::vector<std::size_t>(sites.size(), kind),
                                                 KnownPeople{known_, by_}, parameters_.drop_in, other));
  std::vector<SiteRatios> of_supports(supports.size(), SiteRatios(sites.size()));
  for (std::size_t s = 0; s < supports.size(); ++s)
    set_ratios(sites, supports[s].contributors + other.contributors, moments,
               *slots(stain.shown, sites, signals.get(), supports[s]), shown, of_supports[s]);
  return of_supports;
}

}  // namespace fastid::stats
