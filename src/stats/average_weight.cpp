#include "stats/average_weight.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/checked.hpp"
#include "bits/popcount.hpp"
#include "stats/internal/identity_model.hpp"
#include "stats/internal/ratio_sums.hpp"
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

AverageWeight AverageWeights::Sums::average() const {
  AverageWeight weight;
  if (alike_denominator > 0) weight.denominator = alike / alike_denominator;
  if (apart_count > 0) weight.count = (weight.denominator * apart_denominator - apart) / apart_count;
  return weight;
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
  if (question_->comparison == engine::Comparison::kIdentity) return 0;
  const StainParameters& parameters = question_->stains.front().parameters();
  if (reverse_) return parameters.estimated ? kTypicalContributors : parameters.least;
  StainEstimate likeliest = question_->stains.front().estimate(query);
  for (const StainModel& model : question_->stains)
    if (const StainEstimate here = model.estimate(query); here.log10_likelihood > likeliest.log10_likelihood)
      likeliest = here;
  // In a stain of one person, a homozygote whose alleles are all shown may still be ruled out, which counts
  // of alleles do not tell.
  return parameters.estimated ? std::max(likeliest.contributors, kTypicalContributors)
                              : likeliest.contributors;
}

AverageWeights::Tables AverageWeights::tables_of(const Table& table) const {
  const auto& kinds = question_->by == Encoding::kAlleles ? kSeenByAlleles : kSeenByBits;
  Tables tables;
  for (std::size_t f = 0; f < kSums.size(); ++f) {
    const std::size_t sites = table.size() / this->kinds();
    tables[f].resize(ceil_div(sites, kWordBits) * kWordBits);
    for (std::size_t site = 0; site < sites; ++site)
      for (std::size_t seen = 0; seen < kinds.size(); ++seen)
        if (kinds[seen] != kNeither)
          tables[f][site][seen] = table[site * this->kinds() + kinds[seen]].*kSums[f];
  }
  return tables;
}

const AverageWeights::Tables& AverageWeights::tables(unsigned n) const {
  const std::lock_guard lock(guard_);
  const auto [made, is_new] = tables_.try_emplace(n);
  if (is_new) made->second = tables_of(n == 0 ? identity_table() : mixture_table(n));
  return made->second;
}

std::vector<AverageWeight> AverageWeights::of(std::span<const RowView> queries) const {
  std::map<unsigned, std::vector<std::size_t>> by_contributors;
  for (std::size_t q = 0; q < queries.size(); ++q) by_contributors[contributors_of(queries[q])].push_back(q);
  std::vector<AverageWeight> weights(queries.size());
  for (const auto& [n, some] : by_contributors) {
    const Tables& tables = this->tables(n);
    const std::vector<std::span<const SeenFigures>> figures(tables.begin(), tables.end());
    std::vector<std::uint32_t> places(tables[0].size());
    std::iota(places.begin(), places.end(), 0);
    std::vector<TwoPlanes> people;
    for (const std::size_t q : some) people.push_back(planes_of(queries[q], question_->by));
    std::vector<double> sums(kSums.size() * some.size());
    add_figures(figures, places, people, sums);
    for (std::size_t i = 0; i < some.size(); ++i) {
      Sums of_query;
      for (std::size_t f = 0; f < kSums.size(); ++f) of_query.*kSums[f] = sums[f * some.size() + i];
      weights[some[i]] = of_query.average();
    }
  }
  return weights;
}

}  // namespace fastid::stats
