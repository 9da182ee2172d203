#include "stats/average_weight.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "bits/popcount.hpp"
#include "stats/internal/identity_model.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// The alleles that a kind shows, as bits.
unsigned alleles_of(std::size_t kind, Encoding by) {
  constexpr std::array<unsigned, kGenotypes> kBits{0, 1, 0}, kAlleles{1, 3, 2};
  return by == Encoding::kAlleles ? kAlleles[kind] : kBits[kind];
}

/// P(a random person shows each kind).
std::array<double, kGenotypes> kinds_of_people(double q, double theta, Encoding by) {
  const std::array<double, kGenotypes> genotypes = genotype_probabilities(q, theta);
  if (by == Encoding::kAlleles) return genotypes;
  return {genotypes[0], genotypes[1] + genotypes[2], 0};
}

}  // namespace

void AverageWeights::Sums::add(double weight, double log10_lr, double denominator, double count) {
  if (weight == 0) return;
  if (count == 0) {
    alike += weight * log10_lr;
    alike_denominator += weight * denominator;
    return;
  }
  apart += weight * log10_lr;
  apart_denominator += weight * denominator;
  apart_count += weight * count;
}

AverageWeights::Sums& AverageWeights::Sums::operator+=(const Sums& other) {
  alike += other.alike;
  alike_denominator += other.alike_denominator;
  apart += other.apart;
  apart_denominator += other.apart_denominator;
  apart_count += other.apart_count;
  return *this;
}

AverageWeights::AverageWeights(const Question& question, bool reverse)
    : question_(&question), reverse_(reverse) {}

std::size_t AverageWeights::kinds() const {
  return kinds_shown(question_->by);
}

AverageWeights::Table AverageWeights::identity_table() const {
  const std::size_t kinds = this->kinds();
  Table table;
  for (const IdentityModel& model : question_->identities) {
    table.resize(model.n_sites() * kinds);
    for (std::size_t i = 0; i < table.size(); ++i)
      for (std::size_t y = 0; y < kinds; ++y) {
        const std::size_t site = i / kinds, x = i % kinds, apart = y > x ? y - x : x - y;
        if (apart <= 1)
          table[i].add(1, model.ratios(site, x, y).between(Relation::kSame, question_->alternative), 1,
                       static_cast<double>(apart));
      }
  }
  return table;
}

AverageWeights::Table AverageWeights::mixture_table(unsigned n) const {
  const Encoding by = question_->by;
  const std::size_t kinds = this->kinds();
  Table table;
  for (const StainModel& model : question_->stains) {
    const std::vector<double>& given = model.parameters().drop_outs;
    const double drop_out = given.empty() ? kTypicalDropOut : given.front();
    const std::size_t known = model.n_known();
    const StainSupport support{
        n, drop_out, std::vector<double>(n - 1 - known, drop_out), std::vector<double>(known, drop_out),
        0, {}};
    const PopulationModel& population = model.population();
    table.resize(population.n_sites() * kinds);
    for (std::size_t site = 0; site < population.n_sites(); ++site) {
      const auto people = kinds_of_people(population.minor_freq()[site], population.parameters().theta, by);
      std::array<StainModel::Joint, kGenotypes> joint{};
      std::array<double, kGenotypes> shown{};  // P(a contributor shows each kind), up to a factor
      for (std::size_t mixture = 0; mixture < kinds; ++mixture) {
        joint[mixture] = model.joint_at(site, mixture, support);
        for (std::size_t person = 0; person < kinds; ++person) shown[person] += joint[mixture][2][person];
      }
      for (std::size_t mixture = 0; mixture < kinds; ++mixture)
        for (std::size_t person = 0; person < kinds; ++person) {
          const unsigned alleles = alleles_of(person, by);
          if (alleles == 0) continue;
          const auto& [none, one, two] = joint[mixture];
          table[site * kinds + (reverse_ ? person : mixture)].add(
              reverse_ ? two[person] / shown[person] : people[person],
              relation_ratios(none[person], one[person], two[person])
                  .between(Relation::kSame, question_->alternative),
              bits_set(alleles), bits_set(alleles & ~alleles_of(mixture, by)));
        }
    }
  }
  return table;
}

unsigned AverageWeights::contributors_of(const RowView& query) const {
  if (question_->comparison == Comparison::kIdentity) return 0;
  const StainParameters& parameters = question_->stains.front().parameters();
  if (reverse_) return parameters.estimated ? kTypicalContributors : parameters.least;
  StainEstimate likeliest = question_->stains.front().estimate(query);
  for (const StainModel& model : question_->stains)
    if (const StainEstimate here = model.estimate(query); here.log10_likelihood > likeliest.log10_likelihood)
      likeliest = here;
  // Of one person's stain a homozygote who lacks none of its alleles speaks against the person all the same,
  // which counts of alleles do not tell.
  return parameters.estimated ? std::max(likeliest.contributors, kTypicalContributors)
                              : likeliest.contributors;
}

const AverageWeights::Table& AverageWeights::table(unsigned n) const {
  const std::lock_guard lock(guard_);
  Table& made = tables_[n];
  if (made.empty()) made = n == 0 ? identity_table() : mixture_table(n);
  return made;
}

AverageWeight AverageWeights::of(const RowView& query) const {
  const Table& table = this->table(contributors_of(query));
  const std::size_t kinds = this->kinds();
  Sums sums;
  for_each_called(query, [&](std::size_t site, bool) {
    sums += table[site * kinds + kind_at(query, site, question_->by)];
  });
  AverageWeight weight;
  if (sums.alike_denominator > 0) weight.denominator = sums.alike / sums.alike_denominator;
  if (sums.apart_count > 0)
    weight.count = (weight.denominator * sums.apart_denominator - sums.apart) / sums.apart_count;
  return weight;
}

}  // namespace fastid::stats
