/// \file
/// What is asked of a database about queries, and how matches are weighed: the options of search, mixture and
/// kin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "asking/linked_options.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "db/database.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "import/import.hpp"
#include "match/keep_rule.hpp"
#include "panel/site_class.hpp"
#include "stats/evidence.hpp"

namespace fastid::asking {

/// The options of `fastid search` and `fastid mixture` with these names.
struct EvidenceOptions {
  std::string population = std::string(stats::kAllPopulations);  ///< names separated by commas, or "all"
  stats::Parameters parameters;                                  ///< --theta, --error-rate
  stats::Relation alternative = stats::Relation::kUnrelated;     ///< not kSame
  bool by_rate = false;                                          ///< --sort rate
  std::optional<double> max_chance_matches;                      ///< more than 0
  stats::StainParameters mixtures;                               ///< --contributors, --drop-out, --drop-in
  std::string deconvolve;          ///< a VCF of the contributors to each mixture is written here; "": none
  double min_posterior = 0.99;     ///< of a genotype that is called there
  std::vector<std::string> known;  ///< files of people; mixtures, not reverse
  std::string blocks;              ///< a file of blocks of linked sites that weigh as one site each; "": none
  bool contributors = false;       ///< mixtures: also how much is known of each contributor, for html
  LinkedOptions linked;            ///< fastid search: --map, --thin, --unlinked
};

struct SearchOptions {
  engine::Comparison comparison = engine::Comparison::kIdentity;
  std::optional<Encoding> by;  ///< --by; not set: by alleles where all say which were seen
  std::optional<SiteClass>
      counted;  ///< --class: kAutosomal, kY, kM; not set: autosomal where there are such sites
  std::vector<std::string> queries;  ///< files; each sample of each is a query
  std::string database;
  imports::ImportOptions import;
  match::KeepRule rule;
  db::RowRule rows;  ///< which profiles are searched
  EvidenceOptions evidence;
  bool keep_going = false;  ///< leave out files of queries that are rejected, and list them in the table
  bool histograms = true;   ///< with details
  bool details = false;     ///< also histograms and differing loci, for html and json
  std::size_t threads = 0;  ///< for the evidence; 0: as many as the process may use
  ProgressMode progress = ProgressMode::kAuto;
  bool skip_checksums = false;  ///< of the database's blocks, for callers that have just verified it
  std::string command_line;     ///< for RunInfo
};

inline std::size_t threads_of(const SearchOptions& options) {
  return threads_or_all(options.threads);
}

/// How the database is to be opened.
inline db::BlockChecks checks_of(const SearchOptions& options) {
  return options.skip_checksums ? db::BlockChecks::kNone : db::BlockChecks::kAll;
}

}  // namespace fastid::asking
