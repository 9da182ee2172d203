/// \file
/// Is somebody the missing member of a family, by shared stretches? The likelihood ratio over all typed
/// members, in one population:
///
///   P(what is seen of the family and the person | the person is the missing member)
///   -------------------------------------------------------------------------------
///   P(what is seen of the family and the person | the person is unrelated to the family)
///
/// Both are exact along the map (Lander and Green): a hidden Markov chain over all inheritance vectors
/// (inheritance.hpp), each meiosis crossing over independently (recombination(), Haldane), with the founders'
/// alleles, and an unrelated person's, by the sampling formula with theta, and each copy misread with the
/// error rate. A site where no member is typed adds nothing. Sites without a position are left out.
///
/// With linkage blocks an emission is taken to the power of 1 / m, m being the weighed sites of its block, so
/// that at theta 0 the mean among strangers stays 1 at most.
///
/// Source. E. Lander, P. Green, Construction of multilocus genetic linkage maps in humans, PNAS 84 (1987).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "linked/internal/inheritance.hpp"
#include "panel/genetic_map.hpp"
#include "stats/pedigree.hpp"
#include "stats/population_model.hpp"

namespace fastid::linked {

/// The most bits of a family that is followed along the map by default, and at most on request.
inline constexpr unsigned kMostFamilyBits = 16, kHardlyFollowedBits = 20;

class FamilyEmissions;
struct FamilyForward;

class LinkedFamily {
 public:
  /// \param sites  in the order of mapped_sites() \param members  as stats::MissingMember takes them, with
  /// bits_of() up to kHardlyFollowedBits; their readings are copied \param missing  index of a member who is
  /// not typed
  LinkedFamily(const stats::PopulationModel& model, std::span<const MappedSite> sites,
               std::span<const stats::Member> members, std::size_t missing);

  /// The bits of the family with the missing member.
  static unsigned bits_of(std::span<const stats::Member> members, std::size_t missing);
  /// An upper bound of the alleles that are weighed together at a site, with the missing member.
  static std::size_t most_alleles(std::span<const stats::Member> members, std::size_t missing);
  /// Whether the family has at most so many bits, and so few alleles that weighing them takes no longer than
  /// following the bits: typed founders add alleles and no bits, and 2^alleles weights are held.
  static bool can_follow(std::span<const stats::Member> members, std::size_t missing, unsigned most_bits);

  /// log10 of each person's ratio; eight people take as long as one. A site where the family's readings are
  /// impossible (only at an error rate of 0) counts as not read. \param people  rows with the panel's sites
  /// and `major` \param threads  at least 1
  std::vector<double> log10_lr(std::span<const RowView> people, std::size_t threads) const;

 private:
  struct Site {
    std::uint32_t site = 0;
    double recombination = 0, minor_freq = 0, weight = 1;
  };
  struct Chunk;
  void fill(const Site& site, std::size_t s, Chunk& chunk, const FamilyEmissions& member,
            const FamilyEmissions& stranger) const;
  void weigh(std::span<const RowView> people, std::size_t threads, std::span<double> to) const;

  Inheritance with_, without_;  ///< with and without the missing member's genotypes
  std::size_t place_ = 0;       ///< the missing member's place among the read members
  stats::Parameters parameters_;
  std::vector<Site> sites_;                                 ///< at which something is read of the family
  std::vector<std::vector<GenotypeLikelihoods>> evidence_;  ///< [site][who is read, without the missing one]
};

}  // namespace fastid::linked
