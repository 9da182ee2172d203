#include "linked/internal/family_emissions.hpp"

#include <algorithm>

#include "bits/popcount.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::linked {
namespace {

using stats::kGenotypes;

/// How many sequences of two alleles make a genotype.
constexpr GenotypeLikelihoods kOrders{1, 2, 1};

bool holds(const AlleleComponent& component, const std::optional<std::size_t>& person) {
  return person && std::ranges::any_of(component.people, [&](const AlleleComponent::Person& of) {
           return of.place == *person;
         });
}

/// P(what is read of a component's people | its alleles): [alleles as bits, 1: minor].
void weigh_alleles(const AlleleComponent& component, std::span<const GenotypeLikelihoods> evidence,
                   const std::optional<std::size_t>& person, std::vector<double>& weights) {
  weights.assign(1, 1.0);
  for (std::size_t allele = 0; allele < component.n_alleles; ++allele) {
    const std::size_t n = weights.size();
    weights.resize(2 * n);
    std::copy_n(weights.begin(), n, weights.begin() + static_cast<std::ptrdiff_t>(n));
    for (const auto& [place, own] : component.people) {
      if (std::max(own[0], own[1]) != allele || place == person) continue;
      for (std::size_t drawn = 0; drawn < weights.size(); ++drawn)
        weights[drawn] *= evidence[place][(drawn >> own[0] & 1) + (drawn >> own[1] & 1)];
    }
  }
}

/// Adds weights to coefficients [genotype of the person][minor alleles]; a component without the person has
/// only the first row.
void add_coefficients(const AlleleComponent& component, const std::optional<std::size_t>& person,
                      std::span<const double> weights, double* to) {
  const AlleleComponent::Person* own = nullptr;
  for (const AlleleComponent::Person& of : component.people)
    if (of.place == person) own = &of;
  for (std::size_t drawn = 0; drawn < weights.size(); ++drawn) {
    const std::size_t genotype =
        own == nullptr ? 0 : (drawn >> own->alleles[0] & 1) + (drawn >> own->alleles[1] & 1);
    to[genotype * (component.n_alleles + 1) + static_cast<std::size_t>(bits_set(drawn))] += weights[drawn];
  }
}

/// Multiplies polynomials: of *= factor.
void multiply(std::span<const double> factor, std::vector<double>& of, std::vector<double>& product) {
  product.assign(of.size() + factor.size() - 1, 0.0);
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = 0; j < factor.size(); ++j) product[i + j] += of[i] * factor[j];
  std::swap(of, product);
}

double dot(std::span<const double> a, const double* b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

FamilyEmission shown(const GenotypeLikelihoods& genotypes, const stats::Readings& read) {
  FamilyEmission emission{};
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    for (std::size_t x = 0; x < kGenotypes; ++x) emission[x] += genotypes[g] * read[g][x];
    emission[stats::kNeither] += genotypes[g];
  }
  return emission;
}

}  // namespace

SequenceTable::SequenceTable(double q, double theta, std::size_t most)
    : most_(most), values_((most + 1) * (most + 1)) {
  values_[0] = 1;
  for (std::size_t n = 1; n <= most; ++n) {
    const double* const shorter = of(n - 1);
    double* const to = values_.data() + n * (most_ + 1);
    for (std::size_t m = 0; m <= n; ++m) {
      const auto seen = static_cast<unsigned>(n - 1), minor = static_cast<unsigned>(m);
      to[m] = m < n ? shorter[m] * stats::next_major(q, theta, {minor, seen - minor})
                    : shorter[m - 1] * stats::next_minor(q, theta, {minor - 1, 0});
    }
  }
}

FamilyEmissions::FamilyEmissions(const Inheritance& inheritance, std::optional<std::size_t> person)
    : inheritance_(inheritance), person_(person), first_{0} {
  for (const AlleleComponent& component : inheritance.components())
    first_.push_back(first_.back() + (component.n_alleles + 1) * (holds(component, person) ? kGenotypes : 1));
}

void FamilyEmissions::fill(std::span<const GenotypeLikelihoods> evidence, const stats::Readings& read,
                           const SequenceTable& sequences, std::span<FamilyEmission> to) const {
  const std::span<const AlleleComponent> components = inheritance_.components();
  std::vector<double> coefficients(first_.back()), weights;
  for (std::size_t c = 0; c < components.size(); ++c) {
    weigh_alleles(components[c], evidence, person_, weights);
    add_coefficients(components[c], person_, weights, coefficients.data() + first_[c]);
  }
  std::vector<double> others, product;
  for (std::size_t pattern = 0; pattern < to.size(); ++pattern) {
    others.assign(1, 1.0);
    std::optional<std::size_t> own;
    for (const std::uint32_t c : inheritance_.components_of(pattern)) {
      const std::size_t n = components[c].n_alleles + 1;
      if (first_[c + 1] - first_[c] > n)
        own = c;
      else
        multiply({coefficients.data() + first_[c], n}, others, product);
    }
    GenotypeLikelihoods genotypes{};
    const std::size_t n_own = own ? components[*own].n_alleles : 2;
    const double* const of_all = sequences.of(others.size() - 1 + n_own);
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      if (!own) {
        genotypes[g] = kOrders[g] * dot(others, of_all + g);
        continue;
      }
      const double* const with = coefficients.data() + first_[*own] + g * (n_own + 1);
      for (std::size_t m = 0; m <= n_own; ++m)
        if (with[m] != 0) genotypes[g] += with[m] * dot(others, of_all + m);
    }
    to[pattern] = shown(genotypes, read);
  }
}

}  // namespace fastid::linked
