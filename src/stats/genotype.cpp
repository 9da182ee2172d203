#include "stats/genotype.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::stats {
namespace {

constexpr double kAssumedPeople = 100;  ///< where nobody says how many people frequencies were counted in

/// sum of P(g) f(g).
double mean_over(const ByGenotype& genotypes, const ByGenotype& of) {
  return genotypes.major_hom * of.major_hom + genotypes.het * of.het + genotypes.minor_hom * of.minor_hom;
}

ByGenotype product(const ByGenotype& a, const ByGenotype& b) {
  return {a.major_hom * b.major_hom, a.het * b.het, a.minor_hom * b.minor_hom};
}

double floor_of_sample(double people) {
  return 1 / (2 * people + 2);
}

}  // namespace

ByGenotype genotype_probabilities(double q, double theta) {
  const double p = 1 - q;
  return {p * (p + theta * q), 2 * p * q * (1 - theta), q * (q + theta * p)};
}

ByGenotype match_probabilities(double q, double theta) {
  const double p = 1 - q, t = theta;
  const double below = (1 + t) * (1 + 2 * t);
  const auto homozygous = [&](double allele) {
    return (2 * t + (1 - t) * allele) * (3 * t + (1 - t) * allele) / below;
  };
  return {homozygous(p), 2 * (t + (1 - t) * p) * (t + (1 - t) * q) / below, homozygous(q)};
}

double carrier_probability(double q, double theta) {
  const double p = 1 - q;
  return q * (1 + p * (1 - theta));
}

double non_carrier_probability(double q, double theta) {
  const double p = 1 - q;
  return p * (p + theta * q);
}

ByGenotype read_as_carrier(double w) {
  return {w * (2 - w), 1 - w * (1 - w), (1 - w) * (1 + w)};
}

ByGenotype read_as_non_carrier(double w) {
  return {(1 - w) * (1 - w), w * (1 - w), w * w};
}

IdentityRatios identity_ratios(double q, double theta, double w) {
  const ByGenotype people = genotype_probabilities(q, theta);
  const ByGenotype read_1 = read_as_carrier(w), read_0 = read_as_non_carrier(w);
  const double one = mean_over(people, read_1), zero = mean_over(people, read_0);
  return {std::log10(mean_over(people, product(read_0, read_0)) / zero / zero),
          std::log10(mean_over(people, product(read_0, read_1)) / zero / one),
          std::log10(mean_over(people, product(read_1, read_1)) / one / one)};
}

Carriers carriers_among(double q, double theta, unsigned n) {
  const double c = carrier_probability(q, theta), none = non_carrier_probability(q, theta);
  const double log_none = n * (none < 0.5 ? std::log(none) : std::log1p(-c));
  return {std::exp(log_none), -std::expm1(log_none)};
}

MixtureRatios mixture_ratios(double q, double theta, unsigned n, double w) {
  const Carriers others = carriers_among(q, theta, n - 1), all = carriers_among(q, theta, n);
  const auto reads_0 = [w](const Carriers& of) { return of.none * (1 - w) + of.some * w; };
  const auto reads_1 = [w](const Carriers& of) { return of.some * (1 - w) + of.none * w; };
  const Carriers person{0, 1};
  // Without errors the ratio of no carriers is 1 / (1 - c), even where both powers are too small for a
  // double.
  const double m0r0 = w == 0 ? 1 / non_carrier_probability(q, theta) : reads_0(others) / reads_0(all);
  return {std::log10(m0r0), std::log10(w == 0 ? 0 : reads_0(person) / reads_0(all)),
          std::log10(reads_1(others) / reads_1(all)), std::log10(reads_1(person) / reads_1(all))};
}

double frequency_floor(std::span<const double> minor_freq, std::optional<std::uint64_t> sampled_people) {
  if (sampled_people) return floor_of_sample(static_cast<double>(*sampled_people));
  double least = floor_of_sample(kAssumedPeople);
  for (const double freq : minor_freq)
    if (const double distance = std::min(freq, 1 - freq); distance > 0) least = std::min(least, distance);
  return least;
}

}  // namespace fastid::stats
