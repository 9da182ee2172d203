/// \file
/// What relatives' rows are worth: `stats` weighs pairs, this applies it to shortlists.
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

/// What is asked beside the missing member of a family is followed along the map if it takes no more bits.
inline constexpr unsigned kMostBitsBeside = 12;

class KinEvidence {
 public:
  /// Says what is to be said of the panel's frequencies. `options`, `reader` and `sites` must outlive this
  /// object. \param searched  how many profiles are \throws InputError (no such population), UsageError
  KinEvidence(const KinOptions& options, const db::Reader& reader, const asking::CountedSites& sites,
              std::uint64_t searched);

  bool available() const { return !models_.empty(); }

  /// Along the map: the chain that orders all profiles. \param queries  must outlive it
  std::unique_ptr<linked::Screen> screen(const match::Queries& queries) const {
    return linked_.screen(queries);
  }

  /// Fills in the counts of rows that the chain has found, and leaves out those without a kinship, or with
  /// less than was asked for.
  void count(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const;

  /// Fills in the counts and, where there are frequencies, the evidence of each query's rows, reading their
  /// profiles again, and what is to be said of the queries. `progress` counts rows.
  void weigh(const match::Queries& queries, Progress& progress,
             std::vector<match::QueryMatches>& matches) const;

  /// The same of the candidates for a missing member, whose rows have the counts of one relative or another.
  /// They get those of the relative with the highest kinship, and KinFigures::member where the evidence names
  /// the two the same person. Along the map those who are not followed are left out, with
  /// QueryMatches::more_may_match where chance does not explain the ratio of one. \param relatives  the typed
  /// ones
  void weigh(const match::Queries& relatives, std::span<const stats::Member> members, std::size_t missing,
             std::string_view source, Progress& progress, match::QueryMatches& matches) const;

  /// A log10 ratio above it is not explained by chance: fewer than stats::kExplainedByChance strangers have
  /// one.
  double speaks_above() const;

  /// \throws InputError: stretches are asked for, and relatives are not weighed along the map
  void check_stretches() const { linked_.check_stretches(options_.linked, reader_.path()); }

  /// Whether relatives are weighed along the genetic map.
  bool along_map() const { return linked_.available(); }
  /// Whether the family is followed along the map with the missing member.
  bool follows(std::span<const stats::Member> members, std::size_t missing) const;
  /// Warns of typed members who do not fit the family. \throws InputError as stats::MissingMember does
  void warn_of_misfits(std::span<const stats::Member> members, std::string_view source) const;
  /// Says of each listed row which other place in the family is likeliest, reading their profiles again.
  /// \return how many places are not weighed, since they make the family too large
  std::size_t weigh_other_roles(std::span<const stats::Member> members, std::size_t missing,
                                std::string_view source, match::QueryMatches& matches) const;
  /// The least log10_lr that is listed; no value: kinship alone says which rows are.
  std::optional<double> min_lr() const;
  /// Whether every profile goes through the chain: not where kinship says what is listed.
  bool screens() const;
  /// The least kinship that is listed; no value: any is.
  std::optional<double> min_kinship() const;
  /// Along the map: fills in what listed rows share with their query, reading their profiles again.
  void share(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const;

  /// For the table's provenance.
  match::EvidenceParameters parameters() const;
  std::vector<match::PopulationFacts> populations() const;

  std::span<const stats::PopulationModel> models() const { return models_; }

 private:
  double log10_hypotheses() const;  ///< that are held against "unrelated"
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
