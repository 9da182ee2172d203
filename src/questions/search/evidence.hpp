/// \file
/// The evidence of a search: the limits that are chosen before it, which rows of a shortlist are listed, and
/// their figures. `stats` computes them; this applies it to the database and fills in the table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/blocks_file.hpp"
#include "asking/counted_sites.hpp"
#include "asking/heterozygosity.hpp"
#include "asking/linked_evidence.hpp"
#include "asking/matches.hpp"
#include "asking/options.hpp"
#include "asking/queries.hpp"
#include "asking/stored_profiles.hpp"
#include "base/progress.hpp"
#include "bits/rows.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"
#include "questions/search/deconvolved.hpp"
#include "questions/search/reads.hpp"
#include "questions/search/stain_ranking.hpp"
#include "stats/average_weight.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {

/// As reports have it.
match::MixtureSupport support_of(const stats::StainSupport& support, bool of_peaks);
/// The same again, without its weight.
stats::StainSupport support_from(const match::MixtureSupport& support);

class Evidence {
 public:
  /// Prints a note if the panel has no allele frequencies, since figures are then NA, or if they were counted
  /// in few people, or only in the database's own. `reader` must outlive this object.
  /// \param by  kAlleles: queries, known and stored people all say which alleles were seen \param sites  that
  /// are counted, in queries and known people already; of Y and M, which are one haplotype each, there is no
  /// evidence \param searched  how many profiles are \param known  the people of options.known \param top
  /// most rows listed for each query \param measured  of the queries; must outlive this object \param threads
  /// that make tables of sites; 0: one for each CPU \throws InputError (no such population; no frequencies,
  /// and an option that takes them), UsageError.
  Evidence(const asking::EvidenceOptions& options, engine::Comparison comparison, Encoding by,
           const db::Reader& reader, const asking::CountedSites& sites, std::uint64_t searched,
           match::Queries known, const MeasuredQueries& measured, std::uint64_t top, std::size_t threads);

  Evidence(const Evidence&) = delete;  // its parts point to each other
  Evidence& operator=(const Evidence&) = delete;

  /// Whether rows are listed by likelihood ratio, which takes a shortlist longer than `top`.
  bool orders() const { return listing_.by_evidence; }

  /// Explains all mixtures among the queries, once for all that is asked of them. To be called before
  /// anything else. `progress` counts queries.
  void explain(const match::Queries& queries, std::size_t threads, Progress& progress);
  /// Whether queries are mixtures that have been explained, and rows are listed by likelihood ratio.
  bool explains() const { return orders() && comparison_ == engine::Comparison::kMixture; }
  /// What each query is ranked by. explains() \param problem  of the queries, which outlive the result
  StainRanking stain_ranking(const match::Queries& queries, const engine::Problem& problem,
                             std::size_t threads) const;

  /// The largest count that may be listed, for each query; empty without --max-chance-matches, and with
  /// --reverse, where each match's own figure decides, as it does of queries that go by their likelihoods,
  /// which have no value. `progress` counts queries.
  std::vector<std::optional<match::ChosenLimit>> limits(const match::Queries& queries, std::size_t threads,
                                                        Progress& progress) const;

  /// What each query's pairs are ranked by; empty unless orders(), where fractions decide, as they do of
  /// queries that go by their likelihoods.
  std::vector<match::PairWeights> pair_weights(const match::Queries& queries, std::size_t threads) const;

  /// Reads the stored profiles of all shortlists again, fills in the evidence of queries and rows, leaves the
  /// rows that are listed (asking/matches.hpp), and explains the histograms, if there are any.
  ///
  /// With --reverse the evidence of a row depends on the stored mixture, and many queries may list the same
  /// one: rows are then weighed mixture by mixture, else query by query. `progress` counts queries and rows.
  void weigh(const match::Queries& queries, bool with_loci, std::size_t threads, Progress& progress,
             std::vector<match::QueryMatches>& matches);

  /// For the table's provenance.
  match::EvidenceParameters parameters() const;
  std::vector<match::PopulationFacts> populations() const;

  std::span<const stats::PopulationModel> models() const { return models_; }

  const stats::Question& question() const { return question_; }

  /// Whether what is said of near relatives follows stretches along the genetic map.
  bool along_map() const { return linked_.has_value(); }

  /// The contributors of a mixture, in the population that supports a match least. \param name  of the
  /// mixture
  DeconvolvedMixture deconvolve(const ProfileRows& queries, std::size_t q, const std::string& name) const;

 private:
  bool available() const { return !models_.empty(); }
  /// Mixtures are held against stored mixtures.
  bool against_stains() const {
    return comparison_ == engine::Comparison::kMixture && reader_.header().kind == db::Kind::kMixtures;
  }
  /// People are held against mixtures.
  bool weighs_contributors() const {
    return comparison_ != engine::Comparison::kIdentity && !against_stains();
  }
  void follow_map(const Panel& panel);
  bool reverse() const { return comparison_ == engine::Comparison::kReverseMixture; }
  bool question_by_peaks() const { return options_.mixtures.model == stats::StainModelChoice::kGamma; }
  void check_frequencies() const;
  void weigh_by_likelihoods(const SampleLikelihoods& sample, const asking::ShortlistSource& source,
                            Progress& progress, match::QueryMatches& matches) const;
  void weigh_query(const ProfileRows& queries, std::size_t q, const asking::ShortlistSource& source,
                   Progress& progress, match::QueryMatches& matches) const;
  void weigh_stored_mixtures(const ProfileRows& queries, const BlockSource& source, std::size_t threads,
                             Progress& progress, std::vector<match::QueryMatches>& matches) const;
  void put_shared(std::size_t query, const stats::Stain& stain, const stats::Stain& stored,
                  const stats::StainExplanations& of_stored, match::MatchRow& row) const;
  void weigh_against_stains(const ProfileRows& queries, std::size_t threads, Progress& progress,
                            std::vector<match::QueryMatches>& matches);
  stats::Stain stain_of(const ProfileRows& queries, std::size_t q) const;
  stats::QueryEvaluator evaluator(const ProfileRows& queries, std::size_t q) const;
  match::QueryEvidence query_evidence(const stats::QueryEvaluator& figures, const stats::Stain& query) const;
  match::QueryEvidence person_evidence(const RowView& person) const;
  match::MixtureEvidence mixture_evidence(const stats::QueryEvaluator& figures,
                                          const stats::Stain& mixture) const;
  void look_for_better_population(const RowView& mixture, match::MixtureEvidence& evidence) const;
  void look_at_contributors(const ProfileRows& queries, std::size_t q, match::QueryMatches& matches) const;
  std::string known_like(const RowView& stored) const;
  void put_figures(const stats::QueryEvaluator& figures, const stats::HitReport& hit,
                   match::MatchRow& row) const;
  std::optional<match::SeveralPeople> several_people(const RowView& stored) const;
  void look_for_several(const asking::ShortlistSource& source, std::size_t threads);
  void look_for_several(const RowView& stored, bool query_of_several, match::MatchRow& row) const;
  std::vector<match::DifferingLocus> differing_loci(const stats::Stain& query, const RowView& stored,
                                                    const match::MatchRow& row) const;
  double log10_lr_at(std::size_t site, const stats::Stain& query, const RowView& stored,
                     const match::MatchRow& row) const;

  asking::EvidenceOptions options_;
  engine::Comparison comparison_;
  const db::Reader& reader_;
  const asking::CountedSites& sites_;
  match::Queries known_;
  const MeasuredQueries& measured_;
  std::vector<RowView> known_rows_;
  std::optional<asking::BlocksOfPanel> blocks_;
  std::vector<stats::PopulationModel> models_;
  std::vector<stats::PopulationModel> others_;  ///< mixtures: the panel's that were not asked for
  std::vector<stats::IdentityModel> people_;    ///< with --reverse: of the queries, one for each population
  asking::ListingRule listing_;
  stats::Question question_;
  stats::AverageWeights weights_;
  stats::Question of_stored_;  ///< against_stains(): of a stored mixture, of which no option says anything
  std::vector<stats::StainExplanations> explained_;  ///< of each query, where these are mixtures
  /// By row, of stored mixtures that have been weighed: a longer shortlist has them again.
  std::map<std::uint64_t, stats::StainExplanations> explained_stored_;
  std::optional<asking::HeterozygosityCheck> heterozygosity_;  ///< of people, by alleles
  /// By row, of all profiles where they are in memory.
  std::vector<std::optional<match::SeveralPeople>> several_;
  std::optional<asking::LinkedEvidence> linked_;  ///< of people, by alleles; of contributors
};

}  // namespace fastid::search
