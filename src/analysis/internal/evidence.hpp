/// \file
/// What the hits of a search are worth: the limits that are chosen before it, which rows of a shortlist are
/// listed, and the figures that are put beside them. The statistics are stats'; here they meet the database
/// and the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/internal/listing.hpp"
#include "analysis/queries.hpp"
#include "base/progress.hpp"
#include "bits/rows.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid {

/// `fastid search`'s options of these names.
struct EvidenceOptions {
  std::string population = std::string(stats::kAllPopulations);  ///< names parted by commas, or "all"
  stats::Parameters parameters;                                  ///< --theta, --error-rate
  stats::Relation alternative = stats::Relation::kUnrelated;     ///< not kSame
  bool by_rate = false;                                          ///< --sort rate
  std::optional<double> max_chance_matches;                      ///< more than 0
  stats::MixtureParameters mixtures;                             ///< --contributors, --drop-out, --drop-in
  std::vector<std::string> known;                                ///< files of people; mixtures, not reverse
};

/// How many people the population "cohort" was counted in: those of the first input, where the panel was
/// derived from it. A panel from a file does not say.
std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader);

class Evidence {
 public:
  /// Says in a note where the panel has no allele frequencies: figures are then NA; warns where they were
  /// counted in few people, or in nobody but the database's own. `reader` must outlive it.
  /// \param known  the people of options.known \param top  rows to list for each query, at most
  /// \throws InputError (no such population; no frequencies, and an option that takes them), UsageError.
  Evidence(const EvidenceOptions& options, Comparison comparison, const db::Reader& reader, Queries known,
           std::uint64_t top);

  Evidence(const Evidence&) = delete;  // its parts point to each other
  Evidence& operator=(const Evidence&) = delete;

  /// Whether rows are listed by what they are worth, so that a shortlist of more than `top` is wanted.
  bool orders() const { return listing_.by_evidence; }

  /// The largest count that may be listed, for each query; empty without --max-chance-matches, and with
  /// --reverse, where each match's own figure decides. `progress` is told of queries.
  std::vector<ChosenLimit> limits(const ProfileRows& queries, std::size_t threads, Progress& progress) const;

  /// Turns shortlists into what is listed (analysis/internal/listing.hpp), with the evidence of all queries
  /// and rows, whose stored profiles are read again, and what histograms, where there are any, are held
  /// against.
  ///
  /// With --reverse what a row is worth rests on the stored mixture, and many queries may list the same one:
  /// rows are taken mixture by mixture then, else query by query. `progress` is told of queries and of rows.
  void weigh(const ProfileRows& queries, bool with_loci, std::size_t threads, Progress& progress,
             std::vector<QueryMatches>& matches) const;

  /// For the table's provenance.
  EvidenceParameters parameters() const;
  std::vector<PopulationFacts> populations() const;

 private:
  bool available() const { return !models_.empty(); }
  bool reverse() const { return comparison_ == Comparison::kReverseMixture; }
  void check_frequencies() const;
  void weigh_query(const RowView& query, Progress& progress, QueryMatches& matches) const;
  void weigh_stored_mixtures(const ProfileRows& queries, std::size_t threads, Progress& progress,
                             std::vector<QueryMatches>& matches) const;
  QueryEvidence query_evidence(const stats::QueryEvaluator& figures, const RowView& query) const;
  QueryEvidence person_evidence(const RowView& person) const;
  MixtureEvidence mixture_evidence(const stats::QueryEvaluator& figures, const RowView& mixture) const;
  void look_for_better_population(const stats::QueryEvaluator& figures, const RowView& mixture,
                                  MixtureEvidence& evidence) const;
  std::string known_like(const RowView& stored) const;
  void put_figures(const stats::HitReport& hit, MatchRow& row) const;
  std::vector<DifferingLocus> differing_loci(const RowView& query, const RowView& stored,
                                             const MatchRow& row) const;
  double log10_lr_at(std::size_t site, const MatchRow& row) const;

  EvidenceOptions options_;
  Comparison comparison_;
  const db::Reader& reader_;
  Queries known_;
  std::vector<RowView> known_rows_;
  std::vector<stats::PopulationModel> models_;
  /// Populations of the panel that were not asked for, by name; mixtures.
  std::vector<std::pair<std::string, stats::ContributorTable>> others_;
  ListingRule listing_;
  stats::Question question_;
};

}  // namespace fastid
