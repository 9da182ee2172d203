/// \file
/// The drop-outs that explain a stain best, from what the stain alone shows, with theta 0: contributors are
/// then independent of each other, and a site's probability is a short formula in the product of what each of
/// them hides.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/stain_lanes.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// P(0, 1, 2 minor copies) of a contributor; they add up to 1, or to P(what is known of the contributor).
using Copies = std::array<double, kGenotypes>;

/// The copies of a random person, where the frequency is p.
inline Copies copies_of_anybody(double p) {
  return {(1 - p) * (1 - p), 2 * p * (1 - p), p * p};
}

/// `anybody` without the genotypes that a known person's row rules out: by alleles the genotype seen is left,
/// by bits carriers or non-carriers, and everything where the site is not called.
inline Copies copies_of_known(const Copies& anybody, const RowView& known, std::size_t site, Encoding by) {
  if ((known.called[site / kWordBits] >> site % kWordBits & 1) == 0) return anybody;
  const std::size_t kind = kind_at(known, site, by);
  Copies allowed{};
  allowed[kind] = anybody[kind];
  if (by == Encoding::kMinor && kind == 1) allowed[2] = anybody[2];
  return allowed;
}

/// P(a contributor with drop-out d shows no copy of the allele), and P(the contributor shows no allele at
/// all).
struct HiddenAlleles {
  double minor = 1, major = 1, both = 1;

  HiddenAlleles() = default;
  HiddenAlleles(const Copies& of, double d)
      : minor(of[0] + d * (of[1] + d * of[2])),
        major(of[2] + d * (of[1] + d * of[0])),
        both(d * d * (of[0] + of[1] + of[2])) {}
  HiddenAlleles& operator*=(const HiddenAlleles& other) {
    minor *= other.minor, major *= other.major, both *= other.both;
    return *this;
  }
};

/// The signs of P(minor hidden), P(major hidden), P(both hidden) and 1 in the probability of a kind.
struct ShownSigns {
  double minor, major, both, all;
};

inline ShownSigns signs_of(std::size_t kind, Encoding by) {
  if (by == Encoding::kMinor) return kind == 0 ? ShownSigns{1, 0, 0, 0} : ShownSigns{-1, 0, 0, 1};
  if (kind == kMajorOnly) return {1, 0, -1, 0};
  if (kind == kMinorOnly) return {0, 1, -1, 0};
  return {-1, -1, 1, 1};
}

/// P(a site shows the kind of these signs), without the division by P(it shows something). \param hidden  of
/// all contributors; without the drop-in of either allele \param all  P(what is known of the contributors)
inline double shown_probability(const ShownSigns& signs, const HiddenAlleles& hidden, double drop_in,
                                double all) {
  const double none = 1 - drop_in;
  const double shown = signs.all * all + signs.minor * (none * hidden.minor) +
                       signs.major * (none * hidden.major) + signs.both * (none * none * hidden.both);
  return shown > 0 ? shown : 0;
}

/// At most so many sites of a stain are fitted.
inline constexpr std::size_t kMostFittedSites = 2000;

/// Places of at most `most` of n things, evenly spread from the first to the last.
std::vector<std::size_t> evenly_spread(std::size_t n, std::size_t most);

/// Contributors with one drop-out.
struct DropOutGroup {
  std::size_t who = 0;  ///< 0: unknown people; k: the k-th known person
  unsigned people = 1;  ///< unknown people may share a drop-out
  double drop_out = 0;  ///< in [0, 1)
};

/// The called sites of a stain that drop-outs are fitted to, at most kMostFittedSites.
class StainFit {
 public:
  /// \param stain, known  rows of the model's sites; by alleles they have RowView::major
  StainFit(const PopulationModel& model, const RowView& stain, std::span<const RowView> known, Encoding by,
           double drop_in);

  /// log P(the fitted sites), natural.
  double log_likelihood(std::span<const DropOutGroup> groups) const;

  /// Sets the drop-outs of all groups but the first `fixed` so that the likelihood is largest, starting from
  /// their values. They stay below kMostFitted. Returns the likelihood.
  double fit(std::span<DropOutGroup> groups, std::size_t fixed) const;

  /// The total weight of the stain's called sites; the sites of a linkage block weigh as one.
  double called() const { return called_; }

 private:
  struct Slopes;
  double evaluate(std::span<const DropOutGroup> groups, std::size_t fixed, Slopes* slopes) const;

  Encoding by_;
  double drop_in_, called_ = 0, weight_ = 0;  ///< weight_: of the fitted sites
  FitSites sites_;
};

/// A fitted drop-out is kMostFitted / (1 + exp(-z)) with z in [kLeastLogit, kMostLogit].
inline constexpr double kMostFitted = 0.95, kLeastLogit = -9, kMostLogit = 12;
double fitted_drop_out(double z);
double fitted_logit(double drop_out);

}  // namespace fastid::stats
