// Two stains: what they say of a contributor of one and a contributor of the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "stats/internal/allele_moments.hpp"
#include "stats/internal/stain_slots.hpp"
#include "stats/internal/stain_supports.hpp"
#include "stats/internal/stain_terms.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {
namespace {

/// [m]: what p^m (1 - p)^(size - 1 - m) is multiplied by.
using Polynomial = std::vector<double>;

/// E(p^i (1 - p)^(n - i)) for all n up to the most.
class MomentTriangle {
 public:
  MomentTriangle(std::size_t most, double theta) : moments_(most, theta), rows_(most + 1) {
    for (std::size_t n = 0; n <= most; ++n) rows_[n].resize(n + 1);
  }
  void at(double q) {
    moments_.at(q, rows_.back());
    for (std::size_t n = rows_.size() - 1; n-- > 0;)
      for (std::size_t i = 0; i <= n; ++i) rows_[n][i] = rows_[n + 1][i] + rows_[n + 1][i + 1];
  }
  /// The mean of p^minor (1 - p)^major times the product of the two.
  double mean(const Polynomial& one, const Polynomial& other, std::size_t minor, std::size_t major) const {
    const std::vector<double>& row = rows_[one.size() + other.size() - 2 + minor + major];
    double sum = 0;
    for (std::size_t m = 0; m < one.size(); ++m) {
      double of_other = 0;
      for (std::size_t l = 0; l < other.size(); ++l) of_other += other[l] * row[minor + m + l];
      sum += one[m] * of_other;
    }
    return sum;
  }

 private:
  AlleleMoments moments_;
  std::vector<std::vector<double>> rows_;  ///< [n][i]
};

/// A contributor's slot at a site, and what it is of somebody, and of who has a certain allele and any other.
struct SlotOf {
  std::array<Polynomial, kGenotypes> with;
  Polynomial anybody, has_minor, has_major;

  explicit SlotOf(const SlotTerms& slot) {
    const std::size_t size = slot.alleles + 1;
    anybody.assign(size + 2, 0), has_minor.assign(size + 1, 0), has_major.assign(size + 1, 0);
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      with[g].assign(slot.of[g].begin(), slot.of[g].begin() + static_cast<std::ptrdiff_t>(size));
      for (std::size_t m = 0; m < size; ++m) {
        anybody[g + m] += kOrdersOfCopies[g] * with[g][m];
        if (g > 0) has_minor[g - 1 + m] += with[g][m];
        if (g < 2) has_major[g + m] += with[g][m];
      }
    }
  }
};

RelationRatios ratios_of_pair(const SlotOf& one, const SlotOf& other, const MomentTriangle& moments) {
  const double unrelated = moments.mean(one.anybody, other.anybody, 0, 0),
               sharing = moments.mean(one.has_minor, other.has_minor, 1, 0) +
                         moments.mean(one.has_major, other.has_major, 0, 1);
  double same = 0;
  for (std::size_t g = 0; g < kGenotypes; ++g)
    same += kOrdersOfCopies[g] * moments.mean(one.with[g], other.with[g], g, 2 - g);
  return relation_ratios(unrelated, sharing, same);
}

std::size_t most_alleles(std::span<const StainSupport> supports) {
  return 2 * std::size_t{std::ranges::max(supports, {}, &StainSupport::contributors).contributors};
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

/// The slots of some supports of one stain.
class StainModel::Slots {
 public:
  Slots(const StainModel& model, const Stain& stain, std::span<const std::size_t> sites,
        std::span<const StainSupport> supports)
      : signals_(stain.measured == nullptr ? nullptr
                                           : signals_at(*stain.measured, sites, model.model_->minor_freq())) {
    for (const StainSupport& support : supports)
      slots_.push_back(model.slots(stain.shown, sites, signals_.get(), support));
  }
  std::vector<SlotOf> at(std::size_t place, std::size_t site) const {
    std::vector<SlotOf> all;
    for (const auto& slots : slots_) all.emplace_back(slots->at(place, site));
    return all;
  }

 private:
  std::unique_ptr<Signals> signals_;
  std::vector<std::unique_ptr<StainSlots>> slots_;
};

SharedEvidence StainModel::shared(const Stain& stain, std::span<const StainSupport> supports,
                                  const Stain& other, std::span<const StainSupport> others) const {
  const Likely first(supports), second(others);
  const std::vector<Word> compared = compared_sites(stain.shown, other.shown);
  std::vector<std::size_t> sites;
  for_each_called({stain.shown.bits, compared, {}}, [&](std::size_t site, bool) { sites.push_back(site); });
  const Slots one(*this, stain, sites, first.supports), two(*this, other, sites, second.supports);
  const SiteWeights weights = model_->weights(compared);
  MomentTriangle moments(most_alleles(first.supports) + most_alleles(second.supports), theta());
  std::vector<RelationRatios> sums(first.supports.size() * second.supports.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    moments.at(model_->minor_freq()[sites[i]]);
    const std::vector<SlotOf> of_one = one.at(i, sites[i]), of_two = two.at(i, sites[i]);
    for (std::size_t s = 0; s < sums.size(); ++s)
      sums[s].add(ratios_of_pair(of_one[s / of_two.size()], of_two[s % of_two.size()], moments),
                  weights[sites[i]]);
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
  const Slots one(*this, stain, sites, supports);
  MomentTriangle moments(most_alleles(supports) + most_alleles({&other, 1}), theta());
  std::vector<SiteRatios> of_supports(supports.size(), SiteRatios(sites.size()));
  for (std::size_t i = 0; i < sites.size(); ++i) {
    moments.at(model_->minor_freq()[sites[i]]);
    const std::vector<SlotOf> of_one = one.at(i, sites[i]);
    for (std::size_t kind = 0; kind < kinds_shown(by_); ++kind) {
      const SlotOf shown(ShownSlots({kind}, {known_, by_}, parameters_.drop_in, other).at(0, sites[i]));
      for (std::size_t s = 0; s < of_one.size(); ++s)
        of_supports[s][i][kind] = ratios_of_pair(of_one[s], shown, moments);
    }
  }
  return of_supports;
}

}  // namespace fastid::stats
