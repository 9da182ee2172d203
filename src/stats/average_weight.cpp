#include "stats/average_weight.hpp"

#include <cmath>

#include "bits/popcount.hpp"
#include "stats/internal/identity_model.hpp"
#include "stats/log_number.hpp"
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
  for (const auto& model : question_->mixtures) {
    const double drop_out = model->parameters().drop_out.value_or(kTypicalDropOut);
    const PopulationModel& population = model->population();
    const std::vector<double> with = model->contribution(n, Relation::kSame).log10_at_all(drop_out),
                              without = model->contribution(n, question_->alternative).log10_at_all(drop_out);
    table.resize(population.n_sites() * kinds);
    for (std::size_t site = 0, i = 0; site < population.n_sites(); ++site) {
      const auto people = kinds_of_people(population.minor_freq()[site], population.parameters().theta, by);
      for (std::size_t mixture = 0; mixture < kinds; ++mixture)
        for (std::size_t person = 0; person < kinds; ++person, ++i) {
          const unsigned alleles = alleles_of(person, by);
          if (alleles == 0) continue;
          table[site * kinds + (reverse_ ? person : mixture)].add(
              reverse_ ? std::pow(10, with[i]) : people[person], log10_ratio(with[i], without[i]),
              bits_set(alleles), bits_set(alleles & ~alleles_of(mixture, by)));
        }
    }
  }
  return table;
}

unsigned AverageWeights::contributors_of(const RowView& query) const {
  if (question_->comparison == Comparison::kIdentity) return 0;
  const MixtureModel& first = *question_->mixtures.front();
  if (reverse_) return first.parameters().contributors.value_or(first.fewest());
  ConsideredContributors likeliest = first.considered(query);
  for (const auto& model : question_->mixtures) {
    const ConsideredContributors here = model->considered(query);
    if (here.estimate.log10_likelihood > likeliest.estimate.log10_likelihood) likeliest = here;
  }
  return likeliest.best();
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
