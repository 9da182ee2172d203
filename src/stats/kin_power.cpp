#include "stats/kin_power.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace fastid::stats {
namespace {

constexpr std::size_t kMostDraws = 20'000, kFewestDraws = 500;
constexpr std::size_t kGenotypesDrawn =
    2'000'000;  ///< of each relation, where that is not too many or too few draws
constexpr std::size_t kPairs = kGenotypes * kGenotypes;

std::size_t draws_of(std::size_t n_sites) {
  return std::clamp(kGenotypesDrawn / std::max<std::size_t>(1, n_sites), kFewestDraws, kMostDraws);
}

/// Pairs of people with one relation, site by site.
class Pairs {
 public:
  explicit Pairs(std::size_t n) : ratios_(n) {}

  /// Begins a site. \param seen  P(the two genotypes that are seen), [x][y] \param ratios  of these
  /// genotypes, [x][y]
  void begin(const JointGenotypes& seen, Relation relation, const GenotypeRatios& ratios) {
    double sum = 0, mean = 0, square = 0;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const double p = seen[i / kGenotypes][i % kGenotypes],
                   ratio = ratios[i / kGenotypes][i % kGenotypes][relation];
      end_[i] = sum += p;
      mean += p * ratio;
      square += p * ratio * ratio;
    }
    mean_ += mean;
    variance_ += std::max(0.0, square - mean * mean);
  }

  /// Adds the site to a pair. \param place  a random number in [0, 1), which draws the genotypes
  void add(std::size_t pair, double place, const GenotypeRatios& ratios) {
    std::size_t i = 0;
    for (std::size_t before = 0; before + 1 < kPairs; ++before) i += place >= end_[before];
    const RelationRatios& at = ratios[i / kGenotypes][i % kGenotypes];
    for (std::size_t r = 0; r < kRelations; ++r) ratios_[pair].log10[r] += at.log10[r];
  }

  KinPower::Kin power(Relation relation, double least_margin) const {
    std::size_t right = 0, decided = 0;
    for (const RelationRatios& ratios : ratios_) {
      const RelationCall call = likeliest_relation(ratios, least_margin);
      decided += call.decided;
      right += call.decided && call.likeliest == relation;
    }
    const auto rate = [&](std::size_t n) {
      return static_cast<double>(n) / static_cast<double>(ratios_.size());
    };
    return {
        {mean_, std::sqrt(variance_)}, rate(right), rate(decided - right), rate(ratios_.size() - decided)};
  }

 private:
  std::array<double, kPairs> end_{};  ///< of the current site: P(these genotypes or those before them)
  double mean_ = 0, variance_ = 0;
  std::vector<RelationRatios> ratios_;  ///< [pair]
};

}  // namespace

KinPower kin_power(const PopulationModel& model, double least_margin) {
  const auto& [theta, w] = model.parameters();
  const Readings read = readings(w);
  const std::size_t draws = draws_of(model.n_sites());
  std::vector<Pairs> pairs(kRelations, Pairs(draws));
  std::mt19937 random(1);
  for (const double q : model.minor_freq()) {
    const GenotypeRatios ratios = genotype_ratios(q, theta, w);
    for (std::size_t r = 0; r < kRelations; ++r) {
      const auto relation = static_cast<Relation>(r);
      pairs[r].begin(seen_genotypes(joint_genotypes(q, theta, ibd_of(relation)), read), relation, ratios);
    }
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const double place = std::ldexp(static_cast<double>(random()), -32);
      for (Pairs& of : pairs) of.add(draw, place, ratios);
    }
  }
  KinPower power;
  for (std::size_t r = 0; r < kRelations; ++r)
    power.kin[r] = pairs[r].power(static_cast<Relation>(r), least_margin);
  return power;
}

}  // namespace fastid::stats
