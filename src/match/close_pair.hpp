/// \file
/// What `fastid pairs` asks and finds: two profiles of a cohort that are close to each other.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/rare.hpp"
#include "match/beside.hpp"
#include "match/match_table.hpp"

namespace fastid::match {

/// Two profiles and what they have in common. Counts are over the sites that both have called.
struct ClosePair {
  /// Rows. Within one database first < second; with two databases `first` is of the first one and `second` of
  /// the second one.
  std::uint64_t first = 0, second = 0;
  std::uint32_t compared = 0;   ///< sites that both have called
  std::uint32_t differing = 0;  ///< alleles that differ, in [0, 2 compared]; by bits sites, in [0, compared]
  std::uint32_t both_het = 0, ibs0 = 0;  ///< as KinFigures has them; 0 by bits
  /// Calls were counted; else there are likelihoods of genotypes, `compared` is where both say something, and
  /// the other counts are not known.
  bool counted = true;
  /// KING's coefficient; NaN by bits, and where either has no heterozygous site among those compared.
  double kinship = std::numeric_limits<double>::quiet_NaN();
  /// The lowest ratio over populations for each relation. No value where the panel has no allele frequencies,
  /// and by bits.
  std::optional<RelationFigures> log10_lr;
  /// KinFigures::relation: a relation's name, "undecided", or "" where the pair is not weighed.
  std::string relation;
  /// Along the map, in place of log10_lr.
  struct AlongMap {
    LinkedFigures figures;
    double log10_any = 0;  ///< ratio of any relative, in the population where it is lowest
    double margin = 0;     ///< log10 of the likeliest degree's ratio to the next
  };
  Rare<AlongMap> linked = {};
  /// log10 of a bound on how many pairs of strangers, of all that were compared, have such a ratio for any
  /// relation.
  std::optional<double> log10_chance_pairs;
};

/// A pair with the ids of its profiles.
struct NamedPair {
  ClosePair pair;
  std::string first, second;
  Rare<BesideFigures> beside = {};  ///< where the panel has sites of X, Y or M
};

/// A database whose pairs were compared.
struct PairsDatabase {
  std::string path;  ///< as given
  std::uint64_t bytes = 0, n_profiles = 0;
  std::string content_sha256;
};

/// What `fastid pairs` was asked, and of which profiles. The same for every engine.
struct PairsFacts {
  Encoding by = Encoding::kAlleles;
  std::optional<double> min_kinship, max_mismatch_rate;  ///< in force; at least one, or min_lr()
  std::uint32_t min_compared = 1;
  PairsDatabase database;
  std::optional<PairsDatabase> second;  ///< each pair has one profile of `database` and one of this
  std::string genome_build, panel_sha256;
  std::uint32_t n_sites = 0;
  SitesByClass sites;
  std::uint64_t n_profiles = 0;  ///< profiles that were compared with others
  std::uint64_t n_pairs = 0;     ///< compared pairs, each once
  /// Standard deviation of strangers' kinship by the panel's frequencies, the largest of all populations; no
  /// value by bits, and without frequencies.
  std::optional<double> kinship_spread = {};
  std::string linked = {};                   ///< Provenance::linked, about all pairs' figures; "" with blocks
  bool with_evidence = true;                 ///< it was asked what pairs are worth
  std::vector<PopulationFacts> populations;  ///< none: pairs are not weighed
  EvidenceParameters evidence;               ///< population, theta, error_rate, margin, map

  /// Relatives are weighed along the genetic map.
  bool along_map() const { return evidence.map.has_value(); }
  /// The least log10 ratio of any relative with which pairs are listed; no value: no limit.
  std::optional<double> min_lr() const { return along_map() ? evidence.map->min_lr : std::nullopt; }
};

}  // namespace fastid::match
