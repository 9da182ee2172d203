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
  const std::span<const double> minor_freq = population.minor_freq();
  ratios_.resize(kTables * place_of(minor_freq.size(), 1));
  differs_.resize(place_of(minor_freq.size(), 1));
  for (std::size_t site = 0; site < minor_freq.size(); ++site) {
    const double q = minor_freq[site];
    by == Encoding::kAlleles ? put_genotypes(site, q) : put_bits(site, q);
    const JointGenotypes strangers = by == Encoding::kAlleles
                                         ? genotypes_after(q, population.parameters().theta)
                                         : joint_shown(q, population.parameters(), Relation::kUnrelated, by);
    for (std::size_t x = 0; x < kinds_; ++x)
      differs_[place_of(site, seen_of(x))] = differs_given(strangers, x);
  }
}

std::vector<std::uint32_t> IdentityModel::places_of(const RowView& query) const {
  const TwoPlanes planes = planes_of(query, by_);
  std::vector<std::uint32_t> places(planes.low.size() * kWordBits);
  for (std::size_t site = 0; site < places.size(); ++site)
    places[site] = static_cast<std::uint32_t>(kTables * place_of(site, planes.seen_at(site)));
  return places;
}

void IdentityModel::put(std::size_t site, std::size_t x, std::size_t y, const RelationRatios& ratios) {
  for (std::size_t r = 0; r < kTables; ++r)
    ratios_[kTables * place_of(site, seen_of(x)) + r][seen_of(y)] = ratios.log10[r];
}

void IdentityModel::put_genotypes(std::size_t site, double q) {
  const auto& [theta, w] = population_->parameters();
  const GenotypeRatios ratios = genotype_ratios(q, theta, w);
  for (std::size_t x = 0; x < kGenotypes; ++x)
    for (std::size_t y = 0; y < kGenotypes; ++y) put(site, x, y, ratios[x][y]);
}

void IdentityModel::put_bits(std::size_t site, double q) {
  const auto& [theta, w] = population_->parameters();
  const auto read = joint_bits(q, theta, w);
  RelationRatios none, one, both;
  for (std::size_t r = 0; r < kStrangers; ++r) {
    none.log10[r] = log10_quotient(read[r].none, read[kStrangers].none);
    one.log10[r] = log10_quotient(read[r].one, read[kStrangers].one);
    both.log10[r] = log10_quotient(read[r].both, read[kStrangers].both);
  }
  put(site, 0, 0, none), put(site, 0, 1, one), put(site, 1, 0, one), put(site, 1, 1, both);
}

}  // namespace fastid::stats
