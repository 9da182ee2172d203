/// \file
/// What the hits of a search are worth: the limits that are chosen before it, and the figures that are put
/// beside its rows. The statistics are stats'; here they meet the database and the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "bits/rows.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid {

/// `fastid search`'s options of these names.
struct EvidenceOptions {
  std::string population = "all";
  stats::Parameters parameters;              ///< --theta, --error-rate
  std::optional<double> max_expected_false;  ///< more than 0
  std::optional<unsigned> contributors;      ///< mixtures; in [1, stats::kMostContributors]
};

/// How many people the population "cohort" was counted in: those of the first input, where the panel was
/// derived from it. A panel from a file does not say.
std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader);

class Evidence {
 public:
  /// Says in a note where the panel has no allele frequencies: figures are then NA. `reader` must outlive it.
  /// \throws InputError (no such population; no frequencies, and --max-expected-false), UsageError.
  Evidence(const EvidenceOptions& options, Comparison comparison, const db::Reader& reader);

  /// The largest count that may be listed, for each query; empty without --max-expected-false, and with
  /// --reverse, where each match's own figure decides. `progress` is told of queries.
  std::vector<ChosenLimit> limits(const ProfileRows& queries, std::size_t threads, Progress& progress) const;

  /// Fills in the evidence of all queries and of their rows, whose stored profiles are read again, and what
  /// histograms, where there are any, are held against.
  ///
  /// With --reverse what a row is worth rests on the stored mixture, and many queries may list the same one:
  /// rows are taken mixture by mixture then, else query by query. `progress` is told of queries and of rows.
  void weigh(const ProfileRows& queries, bool with_loci, std::size_t threads, Progress& progress,
             std::vector<QueryMatches>& matches) const;

  /// For the table's provenance.
  EvidenceParameters parameters() const;
  std::vector<PopulationFacts> populations() const;

 private:
  struct Weighed;

  bool available() const { return !models_.empty(); }
  stats::QueryEvaluator evaluator(Comparison comparison, const RowView& query) const;
  void weigh_query(const RowView& query, bool with_loci, Progress& progress, QueryMatches& matches) const;
  void weigh_stored_mixture(std::span<const Weighed> hits, const ProfileRows& queries, bool with_loci,
                            Progress& progress) const;
  void weigh_row(const RowView& query, const RowView& stored, bool with_loci,
                 const std::optional<stats::HitReport>& report, MatchRow& row) const;
  void explain(const stats::QueryEvaluator& figures, QueryHistogram& histogram) const;
  std::vector<DifferingLocus> differing_loci(const RowView& query, const RowView& stored,
                                             const std::optional<stats::HitReport>& report) const;

  EvidenceOptions options_;
  Comparison comparison_;
  const db::Reader& reader_;
  std::vector<stats::PopulationModel> models_;
};

}  // namespace fastid
