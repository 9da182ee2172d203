/// \file
/// A family at one site: the probability of what is read of its members, for each joint genotype of some of
/// them. Members are summed out one after the other (variable elimination), so that loops are no obstacle.
///
/// Frequencies do not enter. A family with F founders has 2 F founder alleles; the probability of what is
/// read is a sum, over the number m of minor ones among them, of a coefficient that depends on the family and
/// on what is read, times the probability of one sequence of alleles with m minor ones. The sampling formula
/// gives the latter, with any theta. So a table is made once for all sites at which the same is read.
///
/// Source. R. C. Elston, J. Stewart, A general model for the genetic analysis of pedigree data, Human
/// Heredity 21 (1971), for the sums; the coefficients are the project's own, so that the alleles of founders
/// need not be independent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/shown.hpp"

namespace fastid::stats {

/// [g]: a probability for each number of minor copies.
using Probabilities = std::array<double, kGenotypes>;

/// [m]: the coefficient for m minor founder alleles.
using Coefficients = std::vector<double>;

/// The product of two polynomials: the coefficients for the founders of both.
Coefficients multiply(std::span<const double> a, std::span<const double> b);

/// The coefficients of each joint genotype of the members asked for; the genotype of the first varies
/// fastest. The true ones are these times 2^exponent.
struct FamilyTable {
  std::size_t n_coefficients = 0;  ///< of each genotype: 2 F + 1
  int exponent = 0;
  std::vector<double> values;

  std::size_t n_genotypes() const { return values.size() / n_coefficients; }
  std::span<const double> of(std::size_t genotype) const {
    return std::span(values).subspan(genotype * n_coefficients, n_coefficients);
  }
  /// The sum over all genotypes.
  Coefficients total() const;
};

/// Who a member's parents are, as places of members; no value: somebody unlisted, another one for each child.
struct Parents {
  std::optional<std::size_t> father, mother;
};

class FamilyGraph {
 public:
  /// \param names  of the members, for messages
  /// \throws InputError naming `source` and the member, where a parent is not listed or somebody is an own
  /// ancestor
  FamilyGraph(std::span<const Parents> members, std::span<const std::string> names, std::string_view source);

  /// F, with the unlisted parents.
  std::size_t n_founders() const { return n_founders_; }

  /// How members are summed out where some are asked for.
  class Plan {
   public:
    /// How many joint genotypes the largest table in between has.
    std::size_t largest() const { return largest_; }

   private:
    friend class FamilyGraph;
    struct Step {
      std::vector<std::size_t> factors;    ///< that are multiplied; the places of people or earlier steps
      std::size_t n_rows = 0;              ///< of the new table
      std::size_t n_summed = 1;            ///< genotypes summed over: 3, or 1 in the last step
      std::vector<std::uint32_t> entries;  ///< [row][summed][factor]: which entry of each factor
    };
    std::vector<Step> steps_;
    std::size_t largest_ = 0;
  };
  /// \throws InputError naming the source, where so many members depend on each other that no order will do
  Plan plan(std::span<const std::size_t> asked) const;

  /// The table of the members that the plan was made for. \param evidence  for each member P(what is read of
  /// the member | g)
  FamilyTable table(const Plan& plan, std::span<const Probabilities> evidence) const;

 private:
  std::string source_;
  std::size_t n_members_, n_founders_ = 0;
  std::vector<std::vector<std::size_t>> factors_;  ///< [person]: the person, or father, mother and person
};

}  // namespace fastid::stats
