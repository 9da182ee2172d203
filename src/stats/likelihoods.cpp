#include "stats/likelihoods.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stats/evidence.hpp"
#include "stats/internal/ratio_sums.hpp"
#include "stats/internal/site_sums.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

// Places in Figures after the relations.
constexpr std::size_t kMean = kRelations, kVariance = kMean + 1;
static_assert(kVariance < kFigures);

}  // namespace

std::array<double, kGenotypes> with_reads(const std::array<std::array<double, kGenotypes>, kGenotypes>& seen,
                                          const GenotypeLikelihoods& likelihoods) {
  std::array<double, kGenotypes> sums{};
  for (std::size_t x = 0; x < kGenotypes; ++x)
    for (std::size_t y = 0; y < kGenotypes; ++y) sums[y] += likelihoods[x] * seen[x][y];
  return sums;
}

SiteRatios site_ratios(const IbdEmissions& emissions, const GenotypeLikelihoods& likelihoods, Encoding by) {
  std::array<std::array<double, kGenotypes>, 3> joint{};
  for (std::size_t shared = 0; shared < joint.size(); ++shared) {
    joint[shared] = with_reads(emissions[shared], likelihoods);
    if (by == Encoding::kMinor) joint[shared] = {joint[shared][0], joint[shared][1] + joint[shared][2], 0};
  }
  const auto& [none, one, two] = joint;
  double all = 0;
  for (const double y : two) all += y;
  SiteRatios ratios;
  for (std::size_t y = 0; y < kinds_shown(by); ++y) {
    ratios.of[y] = relation_ratios(none[y], one[y], two[y]);
    ratios.own[y] = all > 0 ? two[y] / all : 0;
  }
  return ratios;
}

RelationRatios ratios_of_samples(const IbdEmissions& emissions, const GenotypeLikelihoods& one,
                                 const GenotypeLikelihoods& other) {
  std::array<double, 3> sums{};
  for (std::size_t shared = 0; shared < sums.size(); ++shared) {
    const std::array<double, kGenotypes> of_one = with_reads(emissions[shared], one);
    for (std::size_t y = 0; y < kGenotypes; ++y) sums[shared] += of_one[y] * other[y];
  }
  return relation_ratios(sums[0], sums[1], sums[2]);
}

SamplePairs::SamplePairs(const PopulationModel& model) : model_(model) {
  const auto [theta, w] = model.parameters();
  emissions_.reserve(model.minor_freq().size());
  for (const double q : model.minor_freq()) emissions_.push_back(ibd_emissions(q, theta, w));
}

RelationRatios SamplePairs::ratios(const SampleLikelihoods& one, const SampleLikelihoods& other) const {
  const SiteWeights weights =
      model_.weights(compared_sites(RowView{{}, one.mask(), {}}, RowView{{}, other.mask(), {}}));
  RelationRatios sums;
  for (std::size_t i = 0, j = 0; i < one.sites().size() && j < other.sites().size();) {
    const std::uint32_t site = one.sites()[i], others = other.sites()[j];
    if (site == others)
      sums.add(ratios_of_samples(emissions_[site], one.values()[i], other.values()[j]), weights[site]);
    i += site <= others ? 1 : 0;
    j += others <= site ? 1 : 0;
  }
  return sums;
}

SampleLikelihoods likelihoods_of_calls(const RowView& row, std::uint32_t n_sites) {
  SampleLikelihoods sample(n_sites);
  for (std::uint32_t site = 0; site < n_sites; ++site) {
    const std::size_t shown = shown_at(row, site);
    if (shown == kNeither) continue;
    GenotypeLikelihoods likelihoods{};
    likelihoods[shown] = 1;
    sample.add(site, likelihoods);
  }
  return sample;
}

std::uint32_t compared_sites(const SampleLikelihoods& one, const SampleLikelihoods& other) {
  std::uint32_t sites = 0;
  for (std::size_t word = 0; word < one.mask().size(); ++word)
    sites += static_cast<std::uint32_t>(bits_set(one.mask()[word] & other.mask()[word]));
  return sites;
}

std::optional<double> LikelihoodEvidence::deviations(double log10_lr) const {
  if (!(expected.sd > 0)) return std::nullopt;
  return (log10_lr - expected.mean) / expected.sd;
}

LikelihoodRatios::LikelihoodRatios(const PopulationModel& model, Encoding by, const SampleLikelihoods& sample,
                                   Relation alternative)
    : model_(&model), by_(by), sample_(&sample), alternative_(alternative) {
  const auto [theta, w] = model.parameters();
  figures_.reserve(sample.sites().size());
  for (std::size_t i = 0; i < sample.sites().size(); ++i) {
    const double q = model.minor_freq()[sample.sites()[i]];
    SiteFigures& at = figures_.emplace_back(
        SiteFigures{.ratios = site_ratios(ibd_emissions(q, theta, w), sample.values()[i], by)});
    const auto for_each_own = [&](const auto& visit) {
      for (std::size_t y = 0; y < kinds_shown(by); ++y)
        if (at.ratios.own[y] > 0)
          visit(at.ratios.own[y], at.ratios.of[y].between(Relation::kSame, alternative));
    };
    for_each_own([&](double own, double log10_lr) { at.mean += own * log10_lr; });
    for_each_own([&](double own, double log10_lr) {
      at.variance += own * (log10_lr - at.mean) * (log10_lr - at.mean);
    });
  }
}

std::vector<LikelihoodEvidence> LikelihoodRatios::with(std::span<const RowView> stored) const {
  std::vector<LikelihoodEvidence> all(stored.size());
  if (model_->blocks() == nullptr)
    add_all(stored, all);
  else
    for (std::size_t i = 0; i < stored.size(); ++i) all[i] = weighed(stored[i]);
  for (std::size_t i = 0; i < stored.size(); ++i)
    for (std::size_t word = 0; word < sample_->mask().size(); ++word)
      all[i].compared += static_cast<std::uint32_t>(bits_set(sample_->mask()[word] & stored[i].called[word]));
  return all;
}

void LikelihoodRatios::add_all(std::span<const RowView> stored, std::span<LikelihoodEvidence> all) const {
  const std::array<std::size_t, 4>& kinds = by_ == Encoding::kAlleles ? kSeenByAlleles : kSeenByBits;
  std::vector<Figures> sums(stored.size());
  std::size_t next = 0;  // of the sample's sites; words come in their order
  const auto fill = [&](std::size_t word, WordFigures& figures) {
    const Word sites = sample_->mask()[word];
    if (sites == 0) return false;
    if (sites != ~Word{0}) figures = {};
    for_each_set(word, sites, [&](std::size_t site) {
      const SiteFigures& at = figures_[next++];
      for (std::size_t seen = 0; seen < kinds.size(); ++seen) {
        if (kinds[seen] == kNeither) continue;
        Figures& to = figures[site % kWordBits][seen];
        std::ranges::copy(at.ratios.of[kinds[seen]].log10, to.begin());
        to[kMean] = at.mean;
        to[kVariance] = at.variance;
      }
    });
    return true;
  };
  add_sites(sample_->mask().size(), fill, people_of(stored, by_), sums);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::copy_n(sums[i].begin(), kRelations, all[i].relations.log10.begin());
    all[i].expected = {sums[i][kMean], std::sqrt(sums[i][kVariance])};
  }
}

/// [site][y]: the mean log10 ratio of a pair of relations, times the site's share of its block.
RatiosByKind LikelihoodRatios::mean_ratios(std::span<const LikelihoodRatios> populations,
                                           const RelationPair& pair) const {
  const SiteWeights shares = model_->weights(sample_->mask());
  RatiosByKind means(figures_.size());
  for (std::size_t i = 0; i < means.size(); ++i)
    for (std::size_t y = 0; y < kinds_shown(by_); ++y) {
      for (const LikelihoodRatios& population : populations)
        means[i][y] += std::max(kLeastSiteRatio,
                                population.figures_[i].ratios.of[y].between(pair.relation, pair.against));
      means[i][y] *= shares[sample_->sites()[i]] / static_cast<double>(populations.size());
    }
  return means;
}

WholeWeights whole_weights(std::span<const std::uint32_t> sites, std::span<const RatiosByKind> exact) {
  double most = 0;
  for (const RatiosByKind& set : exact)
    for (const auto& site : set)
      for (const double ratio : site) most = std::max(most, std::abs(ratio));
  WholeWeights whole{.unit = most / engine::SiteWeightsByKind::kMost, .weights = {}};
  for (const RatiosByKind& set : exact) {
    engine::SiteWeightsByKind& weights = whole.weights.emplace_back();
    weights.sites.assign(sites.begin(), sites.end());
    for (const auto& site : set) {
      auto& rounded = weights.of.emplace_back();
      for (std::size_t y = 0; y < rounded.size() && most > 0; ++y)
        rounded[y] = static_cast<std::int8_t>(std::lround(site[y] / whole.unit));
    }
  }
  return whole;
}

WholeWeights whole_weights(std::span<const LikelihoodRatios> populations,
                           std::span<const RelationPair> pairs) {
  const LikelihoodRatios& first = populations.front();
  std::vector<RatiosByKind> exact;
  for (const RelationPair& pair : pairs) exact.push_back(first.mean_ratios(populations, pair));
  WholeWeights whole = whole_weights(first.sample_->sites(), exact);
  if (whole.unit == 0) whole.weights.assign(pairs.size(), {});
  return whole;
}

SampleHit sample_hit(std::span<const LikelihoodEvidence> populations, Relation alternative,
                     std::uint64_t n_profiles) {
  const double log10_profiles = std::log10(static_cast<double>(n_profiles));
  SampleHit hit{.log10_lr = std::numeric_limits<double>::infinity(),
                .log10_lr_sibling = std::numeric_limits<double>::infinity(),
                .log10_chance_matches = -std::numeric_limits<double>::infinity()};
  const LikelihoodEvidence* least_same = &populations.front();
  for (std::size_t p = 0; p < populations.size(); ++p) {
    const LikelihoodEvidence& of = populations[p];
    if (const double log10_lr = of.relations.between(Relation::kSame, alternative); log10_lr < hit.log10_lr)
      hit.log10_lr = log10_lr, hit.lr_population = p;
    hit.log10_lr_sibling =
        std::min(hit.log10_lr_sibling, of.relations.between(Relation::kSame, Relation::kSibling));
    const double chance = std::min(log10_profiles, log10_profiles - mean_ratio(of.relations));
    if (chance > hit.log10_chance_matches) hit.log10_chance_matches = chance, hit.chance_population = p;
    if (of.relations[Relation::kSame] < least_same->relations[Relation::kSame]) least_same = &of;
  }
  const LikelihoodEvidence& of = populations[hit.lr_population];
  hit.expected = of.expected;
  hit.compared = of.compared;
  const std::optional<double> deviations = of.deviations(hit.log10_lr);
  hit.below_expected = deviations && *deviations < kLeastDeviations;
  hit.suggests = unless_by_chance(suggest(least_same->relations), hit.log10_chance_matches);
  hit.relative = hit.suggests == Suggestion::kFirstDegree || hit.suggests == Suggestion::kSecondDegree;
  return hit;
}

/// A block's sites may all say the same, so that its variance is at most the mean of the sites' variances.
LikelihoodEvidence LikelihoodRatios::weighed(const RowView& stored) const {
  LikelihoodEvidence evidence;
  const SiteWeights weights =
      model_->weights(compared_sites({{}, sample_->mask(), {}}, {{}, stored.called, {}}));
  double variance = 0;
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const std::uint32_t site = sample_->sites()[i];
    if ((stored.called[site / kWordBits] >> site % kWordBits & 1) == 0) continue;
    evidence.relations.add(figures_[i].ratios.of[kind_at(stored, site, by_)], weights[site]);
    evidence.expected.mean += weights[site] * figures_[i].mean;
    variance += weights[site] * figures_[i].variance;
  }
  evidence.expected.sd = std::sqrt(variance);
  return evidence;
}

}  // namespace fastid::stats
