/// \file
/// The evidence of relatives' rows: applies the ratios of `stats` and `linked` to shortlists.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "asking/blocks_file.hpp"
#include "asking/counted_sites.hpp"
#include "asking/heterozygosity.hpp"
#include "asking/linked_evidence.hpp"
#include "asking/queries.hpp"
#include "asking/relation_evidence.hpp"
#include "asking/stored_profiles.hpp"
#include "base/progress.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "questions/kin/missing_ratios.hpp"
#include "questions/kin/run.hpp"
#include "stats/pedigree.hpp"
#include "stats/population_model.hpp"

namespace fastid::kin {

/// Other questions about a family than its missing member are followed along the map up to this many bits.
inline constexpr unsigned kMostBitsBeside = 12;

class KinEvidence {
 public:
  /// Prints warnings about the panel's frequencies. `options`, `reader` and `sites` must outlive this object.
  /// \param searched  the number of profiles searched \throws InputError (no such population), UsageError
  KinEvidence(const KinOptions& options, const db::Reader& reader, const asking::CountedSites& sites,
              std::uint64_t searched);

  bool available() const { return !models_.empty(); }

  /// Along the map: the screen that ranks all profiles. \param queries  must outlive it
  std::unique_ptr<linked::Screen> screen(const match::Queries& queries) const {
    return linked_.screen(queries);
  }

  /// Fills in the counts of rows that the chain has found, and leaves out rows without a kinship, or with
  /// less than the least one asked for.
  void count(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const;

  /// Fills in the counts and, with frequencies, the evidence of each query's rows, whose profiles are read
  /// again, and findings about the queries themselves. `progress` counts rows.
  void weigh(const match::Queries& queries, Progress& progress,
             std::vector<match::QueryMatches>& matches) const;

  /// weigh() for the candidates for a missing member, whose rows have the counts of one relative or another.
  /// They get the counts of the relative with the highest kinship, and KinFigures::member where the evidence
  /// names the two the same person. Along the map, candidates that are not followed are left out, with
  /// QueryMatches::more_may_match where chance does not explain the ratio of one of them.
  /// \param relatives  the typed members
  void weigh(const match::Queries& relatives, std::span<const stats::Member> members, std::size_t missing,
             std::string_view source, Progress& progress, match::QueryMatches& matches) const;

  /// The log10 ratio above which chance is no explanation: fewer than stats::kExplainedByChance strangers are
  /// expected there.
  double speaks_above() const;

  /// \throws InputError: stretches are asked for, and relatives are not weighed along the map
  void check_stretches() const { linked_.check_stretches(options_.linked, reader_.path()); }

  /// Whether relatives are weighed along the genetic map.
  bool along_map() const { return linked_.available(); }
  /// Whether the family is followed along the map with the missing member.
  bool follows(std::span<const stats::Member> members, std::size_t missing) const;
  /// Warns of typed members who do not fit the family. \throws InputError as stats::MissingMember does
  void warn_of_misfits(std::span<const stats::Member> members, std::string_view source) const;
  /// Notes for each listed row which other place in the family is likeliest; profiles are read again. \return
  /// the number of places not weighed, since they make the family too large
  std::size_t weigh_other_roles(std::span<const stats::Member> members, std::size_t missing,
                                std::string_view source, match::QueryMatches& matches) const;
  /// The least log10_lr that is listed; no value: kinship alone decides which rows are listed.
  std::optional<double> min_lr() const;
  /// Whether every profile goes through the chain: false where kinship decides which rows are listed.
  bool screens() const;
  /// The least kinship that is listed; no value: no limit.
  std::optional<double> min_kinship() const;
  /// Along the map: fills in the lengths that listed rows share with their query; profiles are read again.
  void share(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const;

  /// The parameters for the table's provenance.
  match::EvidenceParameters parameters() const;
  std::vector<match::PopulationFacts> populations() const;

  std::span<const stats::PopulationModel> models() const { return models_; }

 private:
  double log10_hypotheses() const;  ///< log10 of the number of hypotheses that are compared with "unrelated"
  MissingRatios ratios_of(std::span<const stats::Member> members, std::size_t missing,
                          std::string_view source, bool along_map) const;
  void follow(std::span<const stats::Member> members, std::size_t missing,
              match::QueryMatches& matches) const;
  bool may_follow_beside(std::span<const stats::Member> members, std::size_t missing) const;
  void put_ratio(const LowestRatio& ratio, match::MatchRow& row) const;
  void compare_with(const match::Queries& relatives, const RowView& stored, match::MatchRow& row) const;
  bool is_same_person(const RowView& relative, const RowView& stored) const;
  void look_at(const RowView& query, match::QueryMatches& matches) const;
  template <class Asked>
  void weigh_listed(const Asked& asked, const asking::ShortlistSource& source,
                    std::span<match::MatchRow> rows, bool of_several) const;
  void put_ratios(asking::RelationFindings found, match::MatchRow& row) const;
  void put_ratios(asking::LinkedFindings found, match::MatchRow& row) const;
  template <class Asked>
  void share(const Asked& asked, std::size_t population, std::span<match::MatchRow* const> rows,
             std::span<const RowView> stored) const;
  std::vector<asking::RelationFindings> unlinked(const RowView& asked, std::span<const RowView> stored) const;
  std::vector<asking::RelationFindings> unlinked(const SampleLikelihoods& asked,
                                                 std::span<const RowView> stored) const;
  template <class Asked>
  void weigh_some(const Asked& asked, std::span<match::MatchRow* const> rows,
                  std::span<const RowView> stored) const;
  void put_chance(match::MatchRow& row) const;

  const KinOptions& options_;
  const db::Reader& reader_;
  const asking::CountedSites& sites_;
  std::uint64_t searched_;
  std::optional<asking::BlocksOfPanel> blocks_;
  std::vector<stats::PopulationModel> models_;
  asking::RelationEvidence relations_;
  asking::LinkedEvidence linked_;
  asking::HeterozygosityCheck heterozygosity_;
  std::vector<stats::MatchProbability> probabilities_;  ///< of each population
};

}  // namespace fastid::kin
