#include "stats/internal/identity_model.hpp"

#include <cstdlib>

#include "stats/log_number.hpp"

namespace fastid::stats {
namespace {

constexpr auto kStrangers = static_cast<std::size_t>(Relation::kUnrelated);

/// The genotypes with a minor allele taken as one kind.
JointGenotypes bits_of(const JointGenotypes& genotypes) {
  JointGenotypes bits{};
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (std::size_t h = 0; h < kGenotypes; ++h) bits[g > 0][h > 0] += genotypes[g][h];
  return bits;
}

}  // namespace

JointGenotypes genotypes_after(double q, double theta) {
  JointGenotypes after{};
  for (unsigned g = 0; g < kGenotypes; ++g)
    for (unsigned h = 0; h < kGenotypes; ++h)
      after[g][h] = (h == 1 ? 2 : 1) * sequence_probability(q, theta, {g, 2 - g}, {h, 2 - h});
  return after;
}

JointGenotypes joint_shown(double q, const Parameters& parameters, Relation relation, Encoding by) {
  JointGenotypes shown = joint_genotypes(q, parameters.theta, ibd_of(relation));
  if (relation == Relation::kSame) shown = seen_genotypes(shown, readings(parameters.error_rate));
  return by == Encoding::kAlleles ? shown : bits_of(shown);
}

Event differs_given(const JointGenotypes& shown, std::size_t x) {
  std::array<double, kGenotypes> apart{};
  double all = 0;
  for (std::size_t y = 0; y < kGenotypes; ++y) {
    apart[y > x ? y - x : x - y] += shown[x][y];
    all += shown[x][y];
  }
  if (all <= 0) return {};
  return {apart[1] / all, apart[0] / all, apart[2] / all};
}

IdentityModel::IdentityModel(const PopulationModel& population, Encoding by)
    : population_(&population), by_(by), kinds_(kinds_shown(by)) {
  ratios_.reserve(n_sites() * kinds_ * kinds_);
  differs_.reserve(n_sites() * kinds_);
  for (const double q : population.minor_freq()) {
    by == Encoding::kAlleles ? add_genotypes(q) : add_bits(q);
    const JointGenotypes strangers = by == Encoding::kAlleles
                                         ? genotypes_after(q, population.parameters().theta)
                                         : joint_shown(q, population.parameters(), Relation::kUnrelated, by);
    for (std::size_t x = 0; x < kinds_; ++x) differs_.push_back(differs_given(strangers, x));
  }
}

void IdentityModel::add_genotypes(double q) {
  const auto& [theta, w] = population_->parameters();
  for (const auto& of_x : genotype_ratios(q, theta, w))
    ratios_.insert(ratios_.end(), of_x.begin(), of_x.end());
}

void IdentityModel::add_bits(double q) {
  const auto& [theta, w] = population_->parameters();
  const auto read = joint_bits(q, theta, w);
  RelationRatios none, one, both;
  for (std::size_t r = 0; r < kStrangers; ++r) {
    none.log10[r] = log10_quotient(read[r].none, read[kStrangers].none);
    one.log10[r] = log10_quotient(read[r].one, read[kStrangers].one);
    both.log10[r] = log10_quotient(read[r].both, read[kStrangers].both);
  }
  ratios_.insert(ratios_.end(), {none, one, one, both});
}

}  // namespace fastid::stats
