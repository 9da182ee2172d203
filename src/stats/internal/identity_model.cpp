#include "stats/internal/identity_model.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/thread_pool.hpp"
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

IdentityModel::IdentityModel(const PopulationModel& population, Encoding by, std::size_t threads)
    : population_(&population), by_(by), kinds_(kinds_shown(by)) {
  constexpr std::size_t kPiece = 1024;  // sites
  const std::size_t sites = population.n_sites();
  ratios_.resize(kTables * place_of(sites, 1));
  differs_.resize(place_of(sites, 1));
  in_parallel(ceil_div(sites, kPiece), threads, [&](std::size_t piece) {
    for (std::size_t site = piece * kPiece; site < std::min(sites, (piece + 1) * kPiece); ++site)
      put_site(site);
  });
}

void IdentityModel::put_site(std::size_t site) {
  const double q = population_->minor_freq()[site];
  by_ == Encoding::kAlleles ? put_genotypes(site, q) : put_bits(site, q);
  const JointGenotypes strangers = by_ == Encoding::kAlleles
                                       ? genotypes_after(q, population_->parameters().theta)
                                       : joint_shown(q, population_->parameters(), Relation::kUnrelated, by_);
  for (std::size_t x = 0; x < kinds_; ++x) differs_[place_of(site, seen_of(x))] = differs_given(strangers, x);
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
