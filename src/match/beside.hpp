/// \file
/// Figures of X, Y and M, reported beside the evidence, which counts autosomal sites alone. They do not enter
/// any ratio, relation or order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastid::match {

/// The sites of a panel by their class (panel/site_class.hpp).
struct SitesByClass {
  std::uint32_t autosomal = 0, x = 0, y = 0, m = 0;

  bool has_sex() const { return x > 0 || y > 0; }
};

/// A kind of relatives that a relation stands for, and the log10 ratio of X of such people against unrelated.
struct XKindFigure {
  std::string kind;
  double log10_lr = 0;
};

struct XFigures {
  /// Sites compared; no value where it is not known how many copies of X either person has.
  std::optional<std::uint32_t> compared;
  /// The ratio for the same person (fastid search), else for the pair's relation; no value where no relation
  /// is named, sexes contradict it, or nothing is compared.
  std::optional<double> log10_lr;
  std::vector<XKindFigure> kinds;
};

/// A comparison of two haplotypes of Y or of M. For a mixture: the alleles of the person that it does not
/// show.
struct HaplotypeFigures {
  std::uint32_t mismatches = 0, compared = 0;
  std::string word;  ///< "agree", "undecided", "differ"; "" where nothing is compared, and of mixtures
  /// The number of other stored profiles that have nine tenths of the query's sites, and of those that also
  /// agree with it (mixtures: that lack at most as many alleles as this one). Set with `probability`.
  std::uint64_t others = 0, agreeing = 0;
  std::optional<double> probability;  ///< a bound on the probability that a stranger agrees as well
};

struct BesideFigures {
  std::string first_sex, second_sex;  ///< "male", "female", "undecided"; "": the panel has no such site
  unsigned first_copies = 0, second_copies = 0;  ///< copies of X; 0: not known
  std::optional<XFigures> x;                     ///< where the panel has sites of X; not of mixtures
  std::optional<HaplotypeFigures> y, m;          ///< where the panel has sites of Y, of M
};

/// What a query shows by itself.
struct QueryBeside {
  std::string sex;                         ///< as BesideFigures::first_sex; "" for a mixture
  unsigned x_copies = 0;                   ///< 0: not known
  std::optional<unsigned> paternal_lines;  ///< for a mixture: the least number, by its sites of Y
};

}  // namespace fastid::match
