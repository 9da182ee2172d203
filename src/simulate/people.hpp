/// \file
/// The simulated people: their panel, their alleles, and what a database observes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {

/// A panel of `n_sites` sites sim000001 and on, spread over chromosomes 1 to 22 with increasing positions;
/// alleles drawn from the twelve ordered pairs of letters; frequencies of population "simulated" uniform in
/// [0.05, 0.5].
Panel simulate_panel(std::uint32_t n_sites, std::uint64_t seed);

/// The frequencies to simulate with. \throws InputError where the panel has no such population, or none at
/// all.
const std::vector<double>& frequencies_of(const Panel& panel, const std::string& population,
                                          const std::string& source);

/// Alleles of 32 people at one site: bit i of `first` and `second` says that person i's allele is the minor
/// one.
struct SiteAlleles {
  std::uint32_t first = 0, second = 0;
};

/// Everything that the seed says about the people of a database.
class People {
 public:
  struct Rates {
    double no_call = 0, error = 0;
  };

  People(const std::vector<double>& minor_freq, Rates rates, std::uint64_t seed);

  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(minor_.size()); }
  bool all_called() const { return no_call_.never(); }

  /// True alleles of the 32 people of a block of the database, one entry a site.
  std::vector<SiteAlleles> alleles(std::uint64_t block) const {
    return draw_alleles(Purpose::kAlleles, block);
  }
  /// Those of 32 people who are not in it.
  std::vector<SiteAlleles> absent_alleles(std::uint64_t block) const {
    return draw_alleles(Purpose::kAbsent, block);
  }

  /// What the database holds of a block's first `lanes` people: block_words() words of each plane.
  void observe(std::uint64_t block, std::uint32_t lanes, Word* bits, Word* called) const;

 private:
  std::vector<SiteAlleles> draw_alleles(Purpose purpose, std::uint64_t block) const;

  std::vector<Probability> minor_;  ///< of each site
  Probability no_call_, error_;
  std::uint64_t seed_;
};

}  // namespace fastid::simulate
