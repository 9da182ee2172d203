/// \file
/// The families of a simulated disaster, and the alleles that their members have by descent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panel/site_class.hpp"
#include "simulate/internal/relatives.hpp"
#include "simulate/people.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {

/// A member of a family. Parents are places of members before this one.
struct Kin {
  std::string role;  ///< "father", "child"
  std::optional<std::size_t> father, mother;
  Sex sex = Sex::kMale;
  bool typed = false, missing = false;
  bool listed = true;  ///< the families' file names this member
};

/// A family with all its members, including some whom its file does not list.
struct Kindred {
  std::vector<Kin> members;  ///< at most kLanes

  /// Adds a member whom the file does not list. \return the member's place
  std::size_t add_unlisted(Kin member);
};

/// A family of one of ten kinds, drawn: both parents typed, one parent, siblings, a missing parent's
/// children, two missing brothers, missing father and child, an aunt and a grandmother, half siblings, a
/// cousin, a missing member's own toothbrush. Where a member may be of either sex, the sex is drawn too.
Kindred drawn_kindred(Stream& stream);
/// A family with a missing child and both parents typed, so that a wrong relative contradicts it.
Kindred kindred_with_parents(Stream& stream);

/// Draws alleles of autosomal sites; other sites are 0.
class Genomes {
 public:
  /// \param crossovers  null: each site is inherited by itself. All must outlive this object
  Genomes(const SiteClasses& classes, std::span<const double> minor_freq, const Crossovers* crossovers,
          std::uint64_t seed);

  /// [site]: a bit for each member. \param index  of the family; the same index gives the same alleles
  std::vector<SiteAlleles> of(const Kindred& kindred, std::uint64_t index) const;

 private:
  const SiteClasses& classes_;
  const Crossovers* crossovers_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> autosomal_;  ///< sites
  std::vector<Probability> minor_;        ///< of the autosomal sites
};

}  // namespace fastid::simulate
