/// \file
/// The probability of what is read of a family and of one more person at a site, given the inheritance
/// vector.
///
/// The vector says which alleles are identical. People who share alleles form components; each gives a
/// polynomial in the number of minor alleles, the sum over its alleles of the product of P(what is read |
/// genotype). The product of the components' polynomials has a coefficient for each number m of minor
/// alleles, which is multiplied by P(n alleles in a stated order, m of them minor) by the sampling formula.
/// So theta is exact.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "linked/internal/inheritance.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::linked {

/// [what the person shows (stats::Shown)]: the probability; kNeither: of the family alone.
using FamilyEmission = std::array<double, 4>;

/// At [n * (most + 1) + m] is the probability of n alleles in a stated order, m of them minor.
class SequenceTable {
 public:
  SequenceTable(double q, double theta, std::size_t most);
  const double* of(std::size_t n) const { return values_.data() + n * (most_ + 1); }

 private:
  std::size_t most_;
  std::vector<double> values_;
};

class FamilyEmissions {
 public:
  /// \param person  the place of the one person among those who are read; no value: somebody unrelated to the
  /// family \param inheritance  must outlive this object
  FamilyEmissions(const Inheritance& inheritance, std::optional<std::size_t> person);

  /// The most alleles that a sequence has.
  std::size_t most_alleles() const { return 2 * inheritance_.n_read() + 2; }

  /// \param evidence  for each member who is read, P(what is read | 0, 1, 2 minor copies); the person's is
  /// not used
  /// \param read  how the person is read \param to  takes the emission of each pattern
  void fill(std::span<const GenotypeLikelihoods> evidence, const stats::Readings& read,
            const SequenceTable& sequences, std::span<FamilyEmission> to) const;

 private:
  const Inheritance& inheritance_;
  std::optional<std::size_t> person_;
  std::vector<std::size_t> first_;  ///< [component]: the first of its coefficients; one more for their end
};

}  // namespace fastid::linked
