#include "stats/stain_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "stats/average_weight.hpp"
#include "stats/internal/genotype.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// What a support says of the contributor in question, so that it is found again in another population:
/// the number of contributors; by drop-outs, the drop-out, which is one of a grid; by shares, the relation of
/// the two contributors and the place.
using Explanation = std::tuple<unsigned, double, Relation, std::size_t>;

Explanation explanation_of(const StainSupport& support) {
  if (!support.measured) return {support.contributors, support.own, Relation::kUnrelated, 0};
  return {support.contributors, 0, support.measured->kin, support.place()};
}

/// Sums over populations, and the number of populations.
struct Summed {
  RatiosByKind ratios, of_relative;  ///< of a contributor; of a contributor's sibling
  std::size_t populations = 0;
  double weight = 0;

  void add(const StainModel::SiteRatios& more, Relation against, double of_support) {
    weight += of_support;
    ratios.resize(more.size()), of_relative.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i)
      for (std::size_t y = 0; y < kGenotypes; ++y) {
        ratios[i][y] += std::max(kLeastSiteRatio, more[i][y].between(Relation::kSame, against));
        of_relative[i][y] += std::max(kLeastSiteRatio, more[i][y][Relation::kSibling]);
      }
    ++populations;
  }
  /// Sums to means. \param shares  [site]
  void divide(std::span<const double> shares) {
    for (RatiosByKind* const set : {&ratios, &of_relative})
      for (std::size_t i = 0; i < set->size(); ++i)
        for (double& ratio : (*set)[i]) ratio *= shares[i] / static_cast<double>(populations);
  }
};

/// [site][kind]: P(a person shows the kind).
RatiosByKind kinds_of_people(const PopulationModel& model, std::span<const std::uint32_t> sites,
                             Encoding by) {
  RatiosByKind of_sites;
  for (const std::uint32_t site : sites) {
    auto& kinds =
        of_sites.emplace_back(genotype_probabilities(model.minor_freq()[site], model.parameters().theta));
    if (by == Encoding::kMinor) kinds = {kinds[0], kinds[1] + kinds[2], 0};
  }
  return of_sites;
}

/// The expected sum of the ratios `by` for a contributor whose genotypes follow the ratios `contributor`.
double expected_sum(const RatiosByKind& people, const RatiosByKind& contributor, const RatiosByKind& by) {
  double sum = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    double all = 0, here = 0;
    for (std::size_t y = 0; y < kGenotypes; ++y) {
      const double kind = people[i][y] * std::pow(10., contributor[i][y]);
      all += kind, here += kind * by[i][y];
    }
    if (all > 0) sum += here / all;
  }
  return sum;
}

/// The sets, weightier ones first, without those whose contributor is ranked nearly as well by another.
std::vector<Summed> unlike(std::vector<Summed> sets, const RatiosByKind& people) {
  constexpr double kLittle = .5, kLittleShare = .05;
  std::vector<Summed> kept;
  for (Summed& set : sets) {
    if (kept.size() == kMostSupports) break;
    const double own = expected_sum(people, set.ratios, set.ratios),
                 least = own - std::max(kLittle, kLittleShare * own);
    if (std::ranges::none_of(kept, [&](const Summed& other) {
          return expected_sum(people, set.ratios, other.ratios) >= least;
        }))
      kept.push_back(std::move(set));
  }
  return kept;
}

}  // namespace

WholeWeights stain_weights(const Question& question, const Stain& stain, const StainExplanations& explained,
                           bool against_stains) {
  constexpr double kLeastWeight = .01;
  // A stored mixture of two people, each with a typical drop-out.
  const StainSupport typical{2, kTypicalDropOut, {kTypicalDropOut}, {}, 0, {}};
  double heaviest = 0;  // it always counts: many may weigh alike, and little each
  for (const std::vector<StainSupport>& supports : explained)
    for (const StainSupport& support : supports) heaviest = std::max(heaviest, std::exp(support.log_weight));
  std::map<Explanation, Summed> sets;
  for (const std::vector<StainSupport>& supports : explained)
    for (const StainSupport& support : supports)
      if (std::exp(support.log_weight) >= std::min(kLeastWeight, heaviest)) sets[explanation_of(support)];
  for (std::size_t p = 0; p < explained.size(); ++p) {
    std::vector<StainSupport> known;
    std::ranges::copy_if(explained[p], std::back_inserter(known),
                         [&](const StainSupport& support) { return sets.contains(explanation_of(support)); });
    const std::vector<StainModel::SiteRatios> ratios =
        against_stains ? question.stains[p].shared_site_ratios(stain, known, typical)
                       : question.stains[p].site_ratios(stain, known);
    for (std::size_t s = 0; s < known.size(); ++s)
      sets[explanation_of(known[s])].add(ratios[s], question.alternative, std::exp(known[s].log_weight));
  }
  std::vector<std::uint32_t> sites;
  for_each_called(stain.shown,
                  [&](std::size_t site, bool) { sites.push_back(static_cast<std::uint32_t>(site)); });
  const SiteWeights weights = question.populations.front().weights(stain.shown.called);
  std::vector<double> shares;
  for (const std::uint32_t site : sites) shares.push_back(weights[site]);
  std::vector<Summed> in_order;
  for (auto& [explanation, sum] : sets) {
    sum.divide(shares);
    in_order.push_back(std::move(sum));
  }
  std::ranges::stable_sort(in_order, std::ranges::greater{}, &Summed::weight);
  std::vector<RatiosByKind> means;
  for (Summed& sum :
       unlike(std::move(in_order), kinds_of_people(question.populations.front(), sites, question.by))) {
    means.push_back(std::move(sum.ratios));
    means.push_back(std::move(sum.of_relative));
  }
  return whole_weights(sites, means);
}

}  // namespace fastid::stats
