/// \file
/// The simulated people: their panel, their sexes, their alleles, and the observations of them in a database.
///
/// A man's only copy of X, and the one copy of Y and M, are stored as both of a person's alleles. Where a
/// person has no copy (Y of women) the stored alleles mean nothing; copies_at() gives the numbers of copies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "simulate/internal/lineages.hpp"
#include "simulate/internal/relatives.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {

/// A panel of `n_sites` sites sim000001 and on, spread over chromosomes 1 to 22 with increasing positions;
/// alleles drawn from the twelve ordered pairs of letters; frequencies of population "simulated" uniform in
/// [0.05, 0.5].
Panel simulate_panel(std::uint32_t n_sites, std::uint64_t seed);

/// The panel's autosomal sites alone, with all frequencies.
Panel autosomal_panel(const Panel& panel);

/// The frequencies to simulate with. \throws InputError where the panel has no such population, or none at
/// all.
const std::vector<double>& frequencies_of(const Panel& panel, const std::string& population,
                                          const std::string& source);

/// Alleles of 32 people at one site: bit i of `first` and of `second` is 1 where that allele of person i is
/// the minor one.
struct SiteAlleles {
  std::uint32_t first = 0, second = 0;
};

/// The population of each of 32 people, counted from 0.
using LanePopulations = std::array<std::uint8_t, kLanes>;

/// One bit for each of 32 people: who has a copy of a site, and who has two.
struct LaneCopies {
  std::uint32_t any = 0, two = 0;
};
/// The copies at sites of a class.
/// \param men  a bit for each man
LaneCopies copies_at(SiteClass site_class, std::uint32_t men);

/// Whether relatives share stretches of chromosomes, or each site independently.
enum class Meioses : std::uint8_t { kLinked, kUnlinked };

/// The people of a database, determined by the seed.
class People {
 public:
  struct Rates {
    double no_call = 0, error = 0, duplicate_error = 0;
  };

  /// \param minor_freqs  [population][site of the panel]; 1 to kMostPopulations
  People(const Panel& panel, const std::vector<std::vector<double>>& minor_freqs, Rates rates,
         std::uint64_t seed, Relatives relatives = {}, Meioses meioses = Meioses::kLinked);

  std::uint32_t n_sites() const { return classes_.n_sites(); }
  const SiteClasses& classes() const { return classes_; }
  /// Whether the panel has sites of X, Y or M, so that people have sexes.
  bool has_sexes() const;
  bool all_called() const;
  const Relatives& relatives() const { return relatives_; }

  /// Bit i: person i of a block of the database is a man. absent_men(): the same for people who are not in
  /// the database.
  std::uint32_t men(std::uint64_t block) const;
  std::uint32_t absent_men(std::uint64_t block) const;
  Sex sex(std::uint64_t row) const;
  /// The kind of relative that a plant's relative is.
  const stats::XKind& kind(const Plant& plant) const;
  /// The alleles that a plant has from its relative, at each autosomal site.
  std::vector<SharedAlleles> descent(const Plant& plant) const;

  /// The populations of the 32 people of a block of the database.
  LanePopulations populations_of(std::uint64_t block) const;

  /// True alleles of the 32 people of a block of the database, one entry a site.
  std::vector<SiteAlleles> alleles(std::uint64_t block) const;
  /// The alleles of 32 people who are not in the database.
  std::vector<SiteAlleles> absent_alleles(std::uint64_t block) const;

  /// Writes the observations of a block's first `lanes` people, block_words() words of each plane; `second`
  /// may be null.
  void observe(std::uint64_t block, std::uint32_t lanes, Encoding encoding, Word* bits, Word* second) const;

 private:
  /// The purposes of the streams that people are drawn from.
  struct Draws {
    Purpose alleles, populations, sexes, lines;
  };
  static constexpr Draws kStored{Purpose::kAlleles, Purpose::kPopulations, Purpose::kSexes, Purpose::kLines},
      kAbsent{Purpose::kAbsent, Purpose::kAbsentPopulations, Purpose::kAbsentSexes, Purpose::kAbsentLines};

  LanePopulations draw_populations(const Draws& draws, std::uint64_t block) const;
  std::uint32_t draw_men(const Draws& draws, std::uint64_t block) const;
  Sex drawn_sex(std::uint64_t row) const;
  std::vector<SiteAlleles> draw_alleles(const Draws& draws, std::uint64_t block) const;
  void draw_single_copies(const Draws& draws, const LanePopulations& populations, std::uint64_t block,
                          std::vector<SiteAlleles>& alleles) const;
  void plant(const Plant& plant, std::vector<SiteAlleles>& alleles) const;
  void plant_beside(const Plant& plant, std::size_t population, const std::vector<SiteAlleles>& of,
                    Stream& fresh, std::vector<SiteAlleles>& alleles) const;
  void misread_duplicates(std::uint64_t block, std::vector<SiteAlleles>& alleles) const;
  std::span<const Probability> minor(std::size_t site) const {
    return std::span(minor_).subspan(site * n_populations_, n_populations_);
  }

  /// Y or M: its sites in the panel's order, and the haplotypes of each population.
  struct Haplotypes {
    std::vector<std::uint32_t> sites;
    std::vector<Lineages> lineages;
  };
  struct SiteOfX {
    std::uint32_t site, pos;
  };

  SiteClasses classes_;
  std::vector<SiteOfX> x_;  ///< by position
  Haplotypes y_, m_;
  std::size_t n_populations_;
  std::vector<Probability> minor_;  ///< [site][population]
  Probability no_call_, error_, duplicate_error_;
  std::uint64_t seed_;
  Relatives relatives_;
  std::optional<Crossovers> crossovers_;  ///< no value: no relatives, or meioses are unlinked
};

/// Writes the observations of the profiles of `shape`, from the first profile of block `first_block` on, by
/// the threads of `pool`: n_blocks() * block_words() words of each plane; `second` may be null.
void observe_blocks(const People& people, std::uint64_t first_block, const BlockShape& shape,
                    ThreadPool& pool, Word* bits, Word* second);

}  // namespace fastid::simulate
