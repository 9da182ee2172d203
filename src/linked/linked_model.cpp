#include "linked/linked_model.hpp"

#include <algorithm>
#include <cmath>

#include "linked/internal/passes.hpp"
#include "stats/ibd_emissions.hpp"
#include "stats/likelihoods.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::linked {
namespace {

constexpr std::size_t kNotSeen = 9;  ///< the code of a site that either of the two lacks

double emission(double probability, double unrelated) {
  return unrelated > 0 ? std::min(probability / unrelated, kMostEmission) : 1;
}

}  // namespace

std::vector<MappedSite> thinned(std::span<const MappedSite> sites, std::span<const double> minor_freq,
                                double cm) {
  std::vector<MappedSite> kept;
  const auto rarer = [&](const MappedSite& site) {
    return std::min(minor_freq[site.site], 1 - minor_freq[site.site]);
  };
  const auto place = [&](const MappedSite& site) { return std::floor(site.cm / cm); };
  for (const MappedSite& site : sites) {
    const bool same =
        cm > 0 && !kept.empty() && kept.back().chrom == site.chrom && place(kept.back()) == place(site);
    if (!same)
      kept.push_back(site);
    else if (rarer(site) > rarer(kept.back()))
      kept.back() = site;
  }
  return kept;
}

/// Up to kLanes people beside one, as the passes take them. Lanes that are left over have no called site.
class LinkedModel::Group {
 public:
  Group(const LinkedModel& model, const RowView& first, std::span<const RowView> others)
      : model_(model), first_(first), others_(others) {
    weigh_by_blocks(first.called, masks_of(others));
  }
  Group(const LinkedModel& model, const SampleEmissions& first, std::span<const RowView> others)
      : model_(model), first_(), sample_(&first), others_(others) {
    weigh_by_blocks(first.mask, masks_of(others));
  }
  Group(const LinkedModel& model, const SampleSums& first, std::span<const SampleLikelihoods* const> others)
      : model_(model), first_(), sums_(&first) {
    std::vector<std::span<const Word>> masks;
    for (const SampleLikelihoods* other : others) {
      masks.push_back(other->mask());
      auto& at = values_.emplace_back(model.sites_.size());
      for (std::size_t i = 0; i < other->sites().size(); ++i)
        if (const std::uint32_t place = first.places[other->sites()[i]]; place != SampleSums::kNoPlace)
          at[place] = other->values()[i];
    }
    weigh_by_blocks(first.mask, masks);
  }

  /// Sites begin .. end - 1. Valid until the next call.
  Stretch stretch(std::size_t begin, std::size_t end) {
    emissions_.resize(end - begin);
    for (std::size_t s = begin; s < end; ++s) {
      Emission& emission = emissions_[s - begin];
      emission.one.fill(1);
      emission.two.fill(1);
      if (sums_ != nullptr)
        fill_of_samples(s, emission);
      else
        sample_ != nullptr ? fill_of_sample(s, emission) : fill(s, emission);
    }
    return {std::span(model_.recombination_).subspan(begin, end - begin), emissions_, model_.rescaled_after_};
  }

 private:
  static std::vector<std::span<const Word>> masks_of(std::span<const RowView> others) {
    std::vector<std::span<const Word>> masks;
    for (const RowView& other : others) masks.push_back(other.called);
    return masks;
  }

  void weigh_by_blocks(std::span<const Word> sites, std::span<const std::span<const Word>> others) {
    if (model_.blocks_ == nullptr) return;
    const MaskOfSites mask(model_);
    for (const std::span<const Word> other : others) {
      std::vector<Word> compared = stats::compared_sites({{}, sites, {}}, {{}, other, {}});
      for (std::size_t word = 0; word < compared.size(); ++word) compared[word] &= mask.words[word];
      weights_.emplace_back(model_.blocks_.get(), compared);
    }
  }

  struct MaskOfSites {
    explicit MaskOfSites(const LinkedModel& model)
        : words((model.blocks_->n_sites() + kWordBits - 1) / kWordBits) {
      for (const MappedSite& site : model.sites_)
        words[site.site / kWordBits] |= Word{1} << site.site % kWordBits;
    }
    std::vector<Word> words;
  };

  void fill(std::size_t s, Emission& emission) const {
    const std::size_t site = model_.sites_[s].site, x = stats::shown_at(first_, site);
    if (x == stats::kNeither) return;
    const auto& [one, two] = model_.emissions_[s];
    for (std::size_t lane = 0; lane < others_.size(); ++lane) {
      const std::size_t y = stats::shown_at(others_[lane], site),
                        code = y == stats::kNeither ? kNotSeen : stats::kGenotypes * x + y;
      emission.one[lane] = weighed(one[code], lane, site);
      emission.two[lane] = weighed(two[code], lane, site);
    }
  }

  void fill_of_samples(std::size_t s, Emission& emission) const {
    const auto& [none, one, two] = sums_->sums[s];
    const auto sum = [](const auto& of, const GenotypeLikelihoods& likelihoods) {
      return of[0] * likelihoods[0] + of[1] * likelihoods[1] + of[2] * likelihoods[2];
    };
    for (std::size_t lane = 0; lane < values_.size(); ++lane) {
      const GenotypeLikelihoods& likelihoods = values_[lane][s];
      const double unrelated = sum(none, likelihoods);  // 0 where either says nothing
      emission.one[lane] =
          weighed(fastid::linked::emission(sum(one, likelihoods), unrelated), lane, model_.sites_[s].site);
      emission.two[lane] =
          weighed(fastid::linked::emission(sum(two, likelihoods), unrelated), lane, model_.sites_[s].site);
    }
  }

  void fill_of_sample(std::size_t s, Emission& emission) const {
    const std::size_t site = model_.sites_[s].site;
    for (std::size_t lane = 0; lane < others_.size(); ++lane) {
      const std::size_t y = stats::shown_at(others_[lane], site);
      emission.one[lane] = weighed(sample_->one[s][y], lane, site);
      emission.two[lane] = weighed(sample_->two[s][y], lane, site);
    }
  }

  double weighed(double ratio, std::size_t lane, std::size_t site) const {
    if (weights_.empty()) return ratio;
    const double weight = weights_[lane][site];
    return weight == 1 ? ratio : std::pow(ratio, weight);
  }

  const LinkedModel& model_;
  RowView first_;
  const SampleEmissions* sample_ = nullptr;  ///< in place of `first_`
  const SampleSums* sums_ = nullptr;         ///< in place of `first_`, where `values_` stand for `others_`
  std::vector<std::vector<GenotypeLikelihoods>> values_;  ///< of each lane and site; 0: nothing is said
  std::span<const RowView> others_;
  std::vector<stats::SiteWeights> weights_;  ///< of each lane; none: all sites weigh 1
  std::vector<Emission> emissions_;
};

LinkedModel::LinkedModel(const stats::PopulationModel& model, std::span<const MappedSite> sites,
                         std::span<const Relation> relations)
    : sites_(sites.begin(), sites.end()),
      recombination_(recombination_before(sites)),
      parameters_(model.parameters()),
      relations_(relations.begin(), relations.end()),
      blocks_(model.blocks()) {
  const auto& [theta, w] = model.parameters();
  bool usual = true;
  emissions_.reserve(sites.size());
  for (const MappedSite& site : sites) {
    minor_freq_.push_back(model.minor_freq()[site.site]);
    const auto& [none, one, two] = stats::ibd_emissions(minor_freq_.back(), theta, w);
    SiteEmissions& of = emissions_.emplace_back();
    of.one[kNotSeen] = of.two[kNotSeen] = 1;
    for (std::size_t x = 0; x < stats::kGenotypes; ++x)
      for (std::size_t y = 0; y < stats::kGenotypes; ++y) {
        const std::size_t code = stats::kGenotypes * x + y;
        of.one[code] = emission(one[x][y], none[x][y]);
        of.two[code] = emission(two[x][y], none[x][y]);
        usual = usual && is_usual(of.one[code]) && is_usual(of.two[code]);
      }
  }
  rescaled_after_ = usual ? kSitesAtATime : 1;
}

SampleSums::ByGenotype LinkedModel::sums_at(std::size_t s, const GenotypeLikelihoods& likelihoods) const {
  const auto& [theta, w] = parameters_;
  const stats::IbdEmissions emissions = stats::ibd_emissions(minor_freq_[s], theta, w);
  SampleSums::ByGenotype sums{};
  for (std::size_t shared = 0; shared < sums.size(); ++shared)
    sums[shared] = stats::with_reads(emissions[shared], likelihoods);
  return sums;
}

SampleSums LinkedModel::sums_of(const SampleLikelihoods& sample) const {
  SampleSums all{.sums = std::vector<SampleSums::ByGenotype>(sites_.size()),
                 .places = std::vector<std::uint32_t>(sample.n_sites(), SampleSums::kNoPlace),
                 .mask = {sample.mask().begin(), sample.mask().end()}};
  for (std::size_t s = 0; s < sites_.size(); ++s) all.places[sites_[s].site] = static_cast<std::uint32_t>(s);
  for (std::size_t i = 0; i < sample.sites().size(); ++i)
    if (const std::uint32_t place = all.places[sample.sites()[i]]; place != SampleSums::kNoPlace)
      all.sums[place] = sums_at(place, sample.values()[i]);
  return all;
}

SampleEmissions LinkedModel::emissions_of(const SampleLikelihoods& sample) const {
  SampleEmissions all;
  all.mask.assign(sample.mask().begin(), sample.mask().end());
  for (const auto& [none, one, two] : sums_of(sample).sums) {
    SampleEmissions::ByShown of_one{1, 1, 1, 1}, of_two = of_one;
    for (std::size_t y = 0; y < stats::kGenotypes; ++y) {
      of_one[y] = emission(one[y], none[y]);
      of_two[y] = emission(two[y], none[y]);
    }
    all.one.push_back(of_one);
    all.two.push_back(of_two);
  }
  return all;
}

std::vector<Ratios> LinkedModel::ratios(const RowView& first, std::span<const RowView> others) const {
  return ratios_with(first, others);
}

std::vector<Ratios> LinkedModel::ratios(const SampleEmissions& first, std::span<const RowView> others) const {
  return ratios_with(first, others);
}

std::vector<std::vector<SharedAlleles>> LinkedModel::shared(const RowView& first,
                                                            std::span<const RowView> others,
                                                            std::span<const Weights> weights) const {
  return shared_with(first, others, weights);
}

std::vector<std::vector<SharedAlleles>> LinkedModel::shared(const SampleEmissions& first,
                                                            std::span<const RowView> others,
                                                            std::span<const Weights> weights) const {
  return shared_with(first, others, weights);
}

std::vector<Ratios> LinkedModel::ratios(const SampleSums& first,
                                        std::span<const SampleLikelihoods* const> others) const {
  return ratios_with(first, others);
}

std::vector<std::vector<SharedAlleles>> LinkedModel::shared(const SampleSums& first,
                                                            std::span<const SampleLikelihoods* const> others,
                                                            std::span<const Weights> weights) const {
  return shared_with(first, others, weights);
}

template <class First, class Other>
std::vector<Ratios> LinkedModel::ratios_with(const First& first, std::span<const Other> others) const {
  std::vector<Ratios> ratios(others.size());
  for (std::size_t begin = 0; begin < others.size(); begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, others.size() - begin);
    Group group(*this, first, others.subspan(begin, lanes));
    std::vector<Forward> chains;
    for (const Relation relation : relations_) chains.emplace_back(relation);
    for (std::size_t s = 0; s < sites_.size(); s += kStretch)
      pass_forward(chains, group.stretch(s, std::min(s + kStretch, sites_.size())));
    for (std::size_t r = 0; r < relations_.size(); ++r) {
      const Lanes log10 = chains[r].log10();
      for (std::size_t lane = 0; lane < lanes; ++lane) ratios[begin + lane][relations_[r]] = log10[lane];
    }
  }
  return ratios;
}

template <class First, class Other>
std::vector<std::vector<SharedAlleles>> LinkedModel::shared_with(const First& first,
                                                                 std::span<const Other> others,
                                                                 std::span<const Weights> weights) const {
  std::vector<std::vector<SharedAlleles>> shared(others.size());
  for (std::size_t begin = 0; begin < others.size(); begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, others.size() - begin);
    Group group(*this, first, others.subspan(begin, lanes));
    std::vector<Shared> sums(sites_.size());
    for (const Relation relation : all_relations()) {
      Lanes weight{};
      for (std::size_t lane = 0; lane < lanes; ++lane)
        weight[lane] = weights[begin + lane][static_cast<std::size_t>(relation)];
      if (std::ranges::any_of(weight, [](double of) { return of != 0; })) add(relation, weight, group, sums);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (const auto& [one, two] : sums) shared[begin + lane].push_back({one[lane], two[lane]});
  }
  return shared;
}

/// Adds one relation's posterior at each site, times each lane's weight.
void LinkedModel::add(Relation relation, const Lanes& weight, Group& group, std::span<Emission> sums) const {
  std::vector<Forward> before;  // each stretch
  Forward forward(relation);
  for (std::size_t s = 0; s < sites_.size(); s += kStretch) {
    before.push_back(forward);
    pass_forward({&forward, 1}, group.stretch(s, std::min(s + kStretch, sites_.size())));
  }
  Backward backward(forward.states.size());
  for (Lanes& state : backward) state.fill(1);
  for (std::size_t b = before.size(); b-- > 0;) {
    const std::size_t begin = b * kStretch, end = std::min(begin + kStretch, sites_.size());
    pass_back(before[b], group.stretch(begin, end), weight, backward, sums.subspan(begin, end - begin));
  }
}

}  // namespace fastid::linked
