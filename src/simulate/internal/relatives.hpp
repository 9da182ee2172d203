/// \file
/// Pairs of related people: their rows, and the alleles that they share by descent at autosomal sites and on
/// X.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "simulate/random.hpp"
#include "simulate/simulate.hpp"
#include "stats/x_ratio.hpp"

namespace fastid::simulate {

/// The person of `row` is made a relative of the person of `of`, who is drawn like everybody else.
struct Plant {
  std::uint64_t row = 0, of = 0;
  Relation relation = Relation::kTwin;
};

/// All plants of a database. No row is in two pairs.
class Relatives {
 public:
  Relatives() = default;
  /// Draws the pairs. Twice the sum of `pairs` is at most `n_profiles`.
  Relatives(const std::array<std::uint32_t, kRelations>& pairs, std::uint64_t n_profiles, std::uint64_t seed);
  /// Takes these plants; no plant's relative is a plant too.
  explicit Relatives(std::vector<Plant> plants);

  /// All plants, ordered by row.
  std::span<const Plant> all() const { return plants_; }
  /// The plants whose row is in a block of 32.
  std::span<const Plant> in_block(std::uint64_t block) const;

 private:
  std::vector<Plant> plants_;
};

/// The kind of relative that a plant's relative is, by their sexes and, where several kinds remain (maternal
/// and paternal half siblings), by a draw. A duplicate or twin has its relative's sex.
const stats::XKind& kind_of(const Plant& plant, Sex relative, Sex own, std::uint64_t seed);

/// Autosomal sites as meioses pass them on: along each chromosome of the genetic map, site after site.
class Crossovers {
 public:
  /// \param sites  the autosomal ones, by place in the panel. By the map of the panel's build that comes with
  /// fastid, else 1.2 cM a Mb; a site without a position is not linked to any other one
  Crossovers(const Panel& panel, const SiteClasses& classes);

  struct Step {
    std::uint32_t site = 0;    ///< among the autosomal ones
    Probability crosses{0.5};  ///< P(a meiosis passes on another copy than at the step before)
  };
  std::span<const Step> steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// Whether each of a plant's two alleles at a site is the relative's by descent.
struct SharedAlleles {
  bool first = false, second = false;
};

/// Whether alleles are shared at each of `n_sites` autosomal sites. \param crossovers  null: each site is
/// inherited by itself
std::vector<SharedAlleles> descent_of(const Plant& plant, std::uint32_t n_sites, const Crossovers* crossovers,
                                      std::uint64_t seed);

/// The copies of X that a plant has from its relative, site after site by position: each meiosis of a mother
/// between the two passes on one of her copies, and crosses over to the other with a probability that grows
/// with the distance.
class DescentOfX {
 public:
  /// \param kind  must outlive this object
  DescentOfX(const Plant& plant, const stats::XKind& kind, std::uint64_t seed);

  /// The copies at the next site.
  /// \param pos  not below the last site's; 0 (not known): the site is not linked to any other
  const stats::XDescent& next(std::uint32_t pos);

 private:
  const stats::XKind& kind_;
  Stream stream_;
  std::uint64_t state_;
  std::uint32_t last_ = 0;
};

}  // namespace fastid::simulate
