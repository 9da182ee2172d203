/// \file
/// The one table that comes back from a search, and what it was made from. Reports only print it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/comparison.hpp"
#include "match/ranking.hpp"

namespace fastid {

// Probabilities and expected numbers are kept as their log10: they may be far below what a double holds.

/// A site at which a hit speaks against the query: one of the two carries the minor allele, the other does
/// not (mixtures: the person carries it and the mixture lacks it).
struct DifferingLocus {
  std::string id, chrom;
  std::uint32_t pos = 0;  ///< 0 where not known
  char major = 0, minor = 0;
  bool query_has_minor = false;           ///< and then the stored profile does not, and the other way round
  std::optional<double> minor_frequency;  ///< in the population that the hit's log10_lr comes from
  std::optional<double> log10_lr;         ///< this site's share of the hit's
};

/// One line of output.
struct MatchRow {
  std::uint64_t rank = 0;  ///< from 1, for each query
  std::uint64_t row = 0;   ///< zero-based place in the database
  std::string profile;     ///< the stored profile's id (with --reverse: the stored mixture's)
  PairCounts counts;
  // Evidence: nothing where the panel has no allele frequencies.
  std::optional<double> log10_lr;
  std::optional<double> log10_p_rmne;  ///< mixtures
  std::optional<double> log10_expected_false;
  bool saturated = false;  ///< mixtures: over the sites compared, chance alone brings such a hit
  /// Nothing where they were not asked for, or are too many to say anything (docs/output.md).
  std::optional<std::vector<DifferingLocus>> loci;
};

/// What a query is worth in one population, before any hit.
struct PopulationEvidence {
  std::string name;
  std::optional<double>
      log10_match_probability;           ///< of the query's bits in a random person; not of a mixture
  std::optional<double> log10_p_rmne_0;  ///< of a mixture: P(RMNE given 0)
};

/// How many people a mixture shows.
struct MixtureEvidence {
  double saturation = 0;                     ///< share of its called sites with the minor allele
  double expected_saturation = 0;            ///< with contributors_used
  unsigned contributors_used = 0;            ///< in log10_lr: those given, else the estimate
  bool given = false;                        ///< by --contributors
  unsigned estimate = 0, low = 0, high = 0;  ///< of the data; high may stand for "or more"
  bool informative = false;                  ///< false: the data say nothing about it
  bool saturated = false;                    ///< its ranking cannot separate contributors from chance
};

/// Where in the histogram people of one relation to the query are expected.
struct RelationMark {
  std::string name;
  double mean = 0, sd = 0;
};

/// How many stored profiles lie at each count.
struct QueryHistogram {
  std::vector<std::uint64_t> profiles;  ///< [count]
  std::vector<double> expected;         ///< of as many unrelated people; empty where not known
  std::vector<RelationMark> marks;      ///< by count, lowest first; none for mixtures
  std::uint64_t n_profiles = 0;         ///< looked at
  std::uint64_t not_comparable = 0;     ///< of these, without a site that the query has too: at no count
  std::uint64_t step = 1;               ///< every how manyth block of 32 profiles was looked at; 1: all
};

/// What --max-expected-false lets be listed for a query, as it was chosen before the search.
struct ChosenLimit {
  /// Mismatches, or excluded, at most; nothing: not even 0 is rare enough, and no profile can be listed.
  std::optional<std::uint32_t> max_count;
};

/// What a query's figures rest on; no population where the panel has no allele frequencies.
struct QueryEvidence {
  std::vector<PopulationEvidence> populations;
  std::size_t worst = 0;                   ///< place of the population that is the worst for the claim
  std::optional<ChosenLimit> limit;        ///< nothing: none was chosen before the search
  std::optional<MixtureEvidence> mixture;  ///< fastid mixture, in the worst population
};

/// One query and what was found for it.
struct QueryMatches {
  std::string name;
  std::string file;
  std::string sha256;  ///< of the file
  std::uint32_t called_sites = 0;
  std::uint32_t minor_alleles = 0;  ///< called sites with a minor allele
  std::vector<MatchRow> rows;       ///< best first
  std::uint64_t ties_cut = 0;
  QueryEvidence evidence;
  std::optional<QueryHistogram> histogram;  ///< html and json
};

/// What evidence was computed with.
struct EvidenceParameters {
  std::string population;  ///< as asked for: a name, or "all"
  double theta = 0;
  double error_rate = 0;
  std::optional<double> max_expected_false;
  std::optional<unsigned> contributors;
};

/// How the queries' files were read.
struct ReadingParameters {
  bool ignore_build = false;
  bool absent_as_reference = false;
  std::string palindromic;                 ///< "keep", "drop", "frequency"
  std::optional<std::uint32_t> min_depth;  ///< of allele depths, where those are read; with the next one
  std::optional<double> min_allele_fraction;
  std::string reference;  ///< path as given; empty: none
};

/// Allele frequencies that were used.
struct PopulationFacts {
  std::string name;
  double frequency_floor = 0;       ///< lower frequencies (and, mirrored, higher ones) count as this
  std::uint32_t floored_sites = 0;  ///< how many
};

/// What a result can be traced to. The same for every device, thread count and tile size.
struct Provenance {
  std::string database;       ///< path as given
  std::string database_kind;  ///< "individuals", "mixtures"
  std::uint64_t database_bytes = 0;
  std::uint64_t n_profiles = 0;
  std::uint32_t n_sites = 0;
  std::string genome_build;
  std::string panel_sha256;
  std::string content_sha256;
  std::uint32_t format_version = 0;
  KeepRule rule;
  EvidenceParameters evidence;
  std::vector<PopulationFacts> populations;  ///< none: the panel has no allele frequencies
  ReadingParameters reading;
  bool skip_checksums = false;
};

/// Facts of one run, which differ between runs that found the same.
struct RunInfo {
  std::string command_line;
  std::string engine;       ///< Engine::name()
  std::string description;  ///< Engine::description()
  std::string started_utc;
  std::size_t lanes = 0;
  std::size_t tile_blocks = 0;
  std::uint64_t peak_memory_bytes = 0;
  double open_seconds = 0, query_seconds = 0, search_seconds = 0, evidence_seconds = 0, total_seconds = 0;
};

struct MatchTable {
  Comparison comparison = Comparison::kIdentity;
  std::vector<QueryMatches> queries;
  Provenance provenance;
  RunInfo run;
};

}  // namespace fastid
