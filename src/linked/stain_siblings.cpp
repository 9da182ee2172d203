#include "linked/stain_siblings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "linked/internal/passes.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::linked {
namespace {

using OfSites = std::span<const stats::StainModel::SiteRatios::value_type>;

constexpr std::size_t kUncalled = stats::kGenotypes;  ///< in place of what a person shows
constexpr std::array kSiblings{std::pair(Relation::kSibling, stats::Relation::kSibling),
                               std::pair(Relation::kHalfSibling, stats::Relation::kHalfSibling)};

struct StainSite {
  std::size_t site, place;  ///< in the panel, and among the stain's called sites
};

/// A stain's called sites: the sites on the map, in its order, and the others.
struct StainSites {
  StainSites(std::span<const MappedSite> sites, const RowView& stain) {
    std::vector<std::size_t> places(stain.called.size() * kWordBits, kNoPlace);
    std::size_t called = 0;
    stats::for_each_called(stain, [&](std::size_t site, bool) { places[site] = called++; });
    std::vector<MappedSite> kept;
    for (const MappedSite& site : sites) {
      std::size_t& place = places[site.site];
      if (place == kNoPlace) continue;
      mapped.push_back({site.site, place});
      kept.push_back(site);
      place = kNoPlace;
    }
    recombination = recombination_before(kept);
    for (std::size_t site = 0; site < places.size(); ++site)
      if (places[site] != kNoPlace) others.push_back({site, places[site]});
  }

  static constexpr std::size_t kNoPlace = SIZE_MAX;
  std::vector<StainSite> mapped, others;
  std::vector<double> recombination;  ///< of `mapped`
};

/// One support's emissions: what each kind that a person shows at a mapped site says of alleles identical by
/// descent.
struct SlotEmissions {
  struct OfSite {
    std::array<double, stats::kGenotypes + 1> one{1, 1, 1, 1}, two = one;  ///< [kind or kUncalled]
  };

  SlotEmissions(const StainSites& stain, OfSites ratios) : of_sites(ratios) {
    const auto emission = [&](double log10) {
      const double ratio = std::min(std::pow(10, log10), kMostEmission);
      usual = usual && is_usual(ratio);
      return ratio;
    };
    mapped.resize(stain.mapped.size());
    for (std::size_t s = 0; s < mapped.size(); ++s)
      for (std::size_t y = 0; y < stats::kGenotypes; ++y) {
        const stats::RelationRatios& at = ratios[stain.mapped[s].place][y];
        mapped[s].one[y] = emission(at[stats::Relation::kParentChild]);
        mapped[s].two[y] = emission(at[stats::Relation::kSame]);
      }
  }

  OfSites of_sites;
  std::vector<OfSite> mapped;
  bool usual = true;
};

/// Up to kLanes people side by side.
class PeopleBesideStain {
 public:
  PeopleBesideStain(const stats::StainModel& model, const StainSites& sites, const stats::Stain& stain,
                    std::span<const RowView> people)
      : sites_(sites),
        lanes_(people.size()),
        mapped_(kinds_at(sites.mapped, people, model.by())),
        others_(kinds_at(sites.others, people, model.by())) {
    if (model.population().blocks() == nullptr) return;
    for (const RowView& person : people)
      weights_.push_back(model.population().weights(stats::compared_sites(stain.shown, person)));
  }

  /// log10 ratios by one support: [kSiblings].
  std::array<Lanes, kSiblings.size()> log10(const SlotEmissions& emissions) const {
    std::vector<Forward> chains;
    for (const auto& [relation, unlinked] : kSiblings) chains.emplace_back(relation);
    std::vector<Emission> some;
    for (std::size_t begin = 0; begin < mapped_.size(); begin += kStretch) {
      const std::size_t end = std::min(begin + kStretch, mapped_.size());
      some.resize(end - begin);
      for (std::size_t s = begin; s < end; ++s) fill(s, emissions.mapped[s], some[s - begin]);
      pass_forward(chains, {std::span(sites_.recombination).subspan(begin, end - begin), some,
                            emissions.usual ? kSitesAtATime : 1});
    }
    std::array<Lanes, kSiblings.size()> sums;
    for (std::size_t r = 0; r < kSiblings.size(); ++r) {
      sums[r] = chains[r].log10();
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        sums[r][lane] += of_unmapped(lane, kSiblings[r].second, emissions.of_sites);
    }
    return sums;
  }

 private:
  using Kinds = std::array<std::uint8_t, kLanes>;

  static std::vector<Kinds> kinds_at(std::span<const StainSite> sites, std::span<const RowView> people,
                                     Encoding by) {
    std::vector<Kinds> kinds(sites.size());
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const std::size_t site = sites[s].site;
      kinds[s].fill(kUncalled);
      for (std::size_t lane = 0; lane < people.size(); ++lane)
        if ((people[lane].called[site / kWordBits] >> site % kWordBits & 1) != 0)
          kinds[s][lane] = static_cast<std::uint8_t>(stats::kind_at(people[lane], site, by));
    }
    return kinds;
  }

  double weight(std::size_t lane, std::size_t site) const {
    return weights_.empty() ? 1 : weights_[lane][site];
  }

  void fill(std::size_t s, const SlotEmissions::OfSite& of, Emission& emission) const {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      emission.one[lane] = of.one[mapped_[s][lane]];
      emission.two[lane] = of.two[mapped_[s][lane]];
    }
    for (std::size_t lane = 0; lane < weights_.size(); ++lane)
      if (const double share = weight(lane, sites_.mapped[s].site); share != 1) {
        emission.one[lane] = std::pow(emission.one[lane], share);
        emission.two[lane] = std::pow(emission.two[lane], share);
      }
  }

  double of_unmapped(std::size_t lane, stats::Relation relation, OfSites of_sites) const {
    double sum = 0;
    for (std::size_t s = 0; s < others_.size(); ++s)
      if (const std::size_t kind = others_[s][lane]; kind != kUncalled)
        sum += weight(lane, sites_.others[s].site) * of_sites[sites_.others[s].place][kind][relation];
    return sum;
  }

  const StainSites& sites_;
  std::size_t lanes_;
  std::vector<Kinds> mapped_, others_;       ///< what each lane's person shows; kUncalled of lanes left over
  std::vector<stats::SiteWeights> weights_;  ///< of each lane; none: all sites weigh 1
};

}  // namespace

std::vector<SiblingRatios> siblings_of_contributor(const stats::StainModel& model,
                                                   std::span<const MappedSite> sites,
                                                   const stats::Stain& stain,
                                                   std::span<const stats::StainSupport> supports,
                                                   std::span<const RowView> people) {
  const StainSites of_stain(sites, stain.shown);
  std::vector<PeopleBesideStain> groups;
  for (std::size_t begin = 0; begin < people.size(); begin += kLanes)
    groups.emplace_back(model, of_stain, stain,
                        people.subspan(begin, std::min(kLanes, people.size() - begin)));
  // [kSiblings][person][support]: the support's ratio times its weight
  std::array<std::vector<std::vector<double>>, kSiblings.size()> terms;
  terms.fill(std::vector<std::vector<double>>(people.size()));
  std::size_t support = 0;
  model.visit_site_ratios(stain, supports, [&](OfSites ratios) {
    const SlotEmissions emissions(of_stain, ratios);
    const double log10_weight = supports[support++].log_weight / std::numbers::ln10;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto log10 = groups[g].log10(emissions);
      for (std::size_t r = 0; r < kSiblings.size(); ++r)
        for (std::size_t i = g * kLanes; i < std::min((g + 1) * kLanes, people.size()); ++i)
          terms[r][i].push_back(log10_weight + log10[r][i % kLanes]);
    }
  });
  const double log10_supports = std::log10(static_cast<double>(supports.size()));
  std::vector<SiblingRatios> ratios;
  for (std::size_t i = 0; i < people.size(); ++i)
    ratios.push_back(
        {stats::log10_mean(terms[0][i]) + log10_supports, stats::log10_mean(terms[1][i]) + log10_supports});
  return ratios;
}

}  // namespace fastid::linked
