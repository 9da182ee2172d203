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

/// One line of output.
struct MatchRow {
  std::uint64_t rank = 0;  ///< from 1, for each query
  std::uint64_t row = 0;   ///< zero-based place in the database
  std::string profile;     ///< the stored profile's id (with --reverse: the stored mixture's)
  PairCounts counts;
  // Evidence; not computed yet where empty, and then printed as NA.
  std::optional<double> log10_lr;
  std::optional<double> p_rmne;
  std::optional<double> expected_false;
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
};

/// What a result can be traced to. The same for every device, thread count and tile size.
struct Provenance {
  std::string database;       ///< path as given
  std::string database_kind;  ///< "individuals", "mixtures"
  std::uint64_t n_profiles = 0;
  std::uint32_t n_sites = 0;
  std::string genome_build;
  std::string panel_sha256;
  std::string content_xxh3;
  std::uint32_t format_version = 0;
  KeepRule rule;
  bool ignore_build = false;
  bool absent_as_reference = false;
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
  double open_seconds = 0, query_seconds = 0, search_seconds = 0, total_seconds = 0;
};

struct MatchTable {
  Comparison comparison = Comparison::kIdentity;
  std::vector<QueryMatches> queries;
  Provenance provenance;
  RunInfo run;
};

}  // namespace fastid
