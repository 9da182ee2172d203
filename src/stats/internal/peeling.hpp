/// \file
/// A family without loops, peeled: the probability of what is seen of its members at one site.
///
/// Members and marriages are the nodes of a graph; a marriage is joined to its two parents and to their
/// children. Without loops the graph is a tree, so what lies beyond a marriage is told to a member in one
/// message, P(all that is seen there | the member's genotype), made of the messages of the others around it.
///
/// Frequencies do not enter. A family with F founders has 2 F founder alleles; the probability of what is
/// seen is a sum, over the number m of minor ones among them, of a factor that depends on the family and on
/// what is seen, times the probability of one sequence of alleles with m minor ones. The sampling formula
/// gives the latter, with any theta. The messages carry the factors of all m, as the coefficients of a
/// polynomial.
///
/// Source. R. C. Elston, J. Stewart, A general model for the genetic analysis of pedigree data, Human
/// Heredity 21 (1971); the polynomial is the project's own, so that the alleles of founders need not be
/// independent.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stats/pedigree.hpp"

namespace fastid::stats {

/// Coefficient [m] is of m minor founder alleles.
using Polynomial = std::vector<double>;

/// [g]: of a person with g minor copies.
using ByGenotype = std::array<Polynomial, kGenotypes>;

/// [g]: a probability for each number of minor copies.
using Probabilities = std::array<double, kGenotypes>;

class Peeling {
 public:
  /// \throws InputError as MissingMember does
  Peeling(std::span<const Member> members, std::size_t missing, std::string_view source);

  /// F, with the unlisted parents.
  std::size_t n_founders() const;

  /// The factors of P(what is seen of all members, the missing one has g minor copies), all multiplied by the
  /// same positive number; all 0 where what is seen is impossible. \param evidence  for each member
  /// P(what is seen of the member | g)
  ByGenotype of_missing(std::span<const Probabilities> evidence) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Person {
    std::size_t parents = kNone;         ///< a marriage; kNone: a founder
    std::vector<std::size_t> marriages;  ///< with children
  };
  struct Marriage {
    std::array<std::size_t, 2> parents;
    std::vector<std::size_t> children;
  };

  std::size_t marriage_of(const std::array<std::size_t, 2>& parents);
  ByGenotype about(std::size_t person, std::size_t but, std::span<const Probabilities> evidence) const;
  ByGenotype message(std::size_t marriage, std::size_t to, std::span<const Probabilities> evidence) const;

  std::vector<Person> people_;  ///< the members, then the unlisted parents
  std::vector<Marriage> marriages_;
  std::vector<std::size_t> roots_;  ///< one person of each part of the graph; the first is the missing member
};

}  // namespace fastid::stats
