/// \file
/// What the genotypes that are seen of two people say about their relation, at one site. The true genotypes
/// follow stats/internal/genotype.hpp; each of a person's two copies is read as the other allele with
/// probability w, independently.
#pragma once

#include <array>

#include "stats/internal/genotype.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// For each Relation: log10 of how much more probable what is seen of two people is under it than if they are
/// unrelated. 0 for kUnrelated; -infinity is possible only where the error rate is 0.
struct RelationRatios {
  std::array<double, kRelations> log10{};

  double operator[](Relation relation) const { return log10[static_cast<std::size_t>(relation)]; }
  /// The log10 ratio of one relation to another one.
  double between(Relation first, Relation second) const;
  /// Adds the ratios of one site. \param weight  above 0
  void add(const RelationRatios& at, double weight = 1) {
    for (std::size_t r = 0; r < kRelations; ++r) log10[r] += weight * at.log10[r];
  }
};

/// From the probabilities of what is seen of two people with 0, 1 and 2 alleles identical by descent.
RelationRatios relation_ratios(double none, double one, double two);

/// [g][x]: P(x is seen | the person has g minor copies). Each row adds up to 1.
using Readings = std::array<std::array<double, kGenotypes>, kGenotypes>;

/// \param w  in [0, 0.5]
Readings readings(double w);

/// [x][y]: P(x is seen of one person and y of the other). \param joint  of their true genotypes
JointGenotypes seen_genotypes(const JointGenotypes& joint, const Readings& readings);

/// [x][y][relation]: log10 P(x and y are seen of people with this relation) / P(x and y are seen of unrelated
/// people). The ratio of any two relations is RelationRatios::between(). 0 for kUnrelated; -infinity where a
/// relation does not allow the two genotypes (w = 0).
using GenotypeRatios = std::array<std::array<RelationRatios, kGenotypes>, kGenotypes>;

/// \param q  above 0 and below 1 \param theta  in [0, 1] \param w  in [0, 0.5]
GenotypeRatios genotype_ratios(double q, double theta, double w);

}  // namespace fastid::stats
