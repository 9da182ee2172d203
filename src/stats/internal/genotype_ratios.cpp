#include "stats/internal/genotype_ratios.hpp"

#include <cmath>

#include "stats/ibd_emissions.hpp"
#include "stats/log_number.hpp"

namespace fastid::stats {

double RelationRatios::between(Relation first, Relation second) const {
  return log10_ratio((*this)[first], (*this)[second]);
}

Readings readings(double w) {
  const double right = (1 - w) * (1 - w), one_wrong = w * (1 - w), wrong = w * w;
  return {
      {{right, 2 * one_wrong, wrong}, {one_wrong, right + wrong, one_wrong}, {wrong, 2 * one_wrong, right}}};
}

JointGenotypes seen_genotypes(const JointGenotypes& joint, const Readings& readings) {
  JointGenotypes half{}, seen{};
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (std::size_t h = 0; h < kGenotypes; ++h)
      for (std::size_t y = 0; y < kGenotypes; ++y) half[g][y] += joint[g][h] * readings[h][y];
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (std::size_t x = 0; x < kGenotypes; ++x)
      for (std::size_t y = 0; y < kGenotypes; ++y) seen[x][y] += half[g][y] * readings[g][x];
  return seen;
}

IbdEmissions ibd_emissions(double q, double theta, double w) {
  const Readings read = readings(w);
  const auto seen = [&](const Ibd& ibd) { return seen_genotypes(joint_genotypes(q, theta, ibd), read); };
  return {seen({1, 0, 0}), seen({0, 1, 0}), seen({0, 0, 1})};
}

RelationRatios relation_ratios(double none, double one, double two) {
  RelationRatios ratios;
  const double log10_none = std::log10(none);
  for (std::size_t r = 0; r < static_cast<std::size_t>(Relation::kUnrelated); ++r) {
    const Ibd ibd = ibd_of(static_cast<Relation>(r));
    const double of = ibd.none * none + ibd.one * one + ibd.two * two;
    // An observation that no relation allows is no evidence.
    ratios.log10[r] = of == 0 && none == 0 ? 0 : log10_ratio(std::log10(of), log10_none);
  }
  return ratios;
}

GenotypeRatios genotype_ratios(double q, double theta, double w) {
  const auto& [none, one, two] = ibd_emissions(q, theta, w);
  GenotypeRatios ratios{};
  for (std::size_t x = 0; x < kGenotypes; ++x)
    for (std::size_t y = 0; y < kGenotypes; ++y)
      ratios[x][y] = relation_ratios(none[x][y], one[x][y], two[x][y]);
  return ratios;
}

}  // namespace fastid::stats
