/// \file
/// What relatives' rows are worth along the genetic map: `linked` weighs pairs, this applies it to a
/// database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/counted_sites.hpp"
#include "asking/linked_options.hpp"
#include "db/database.hpp"
#include "linked/linked_model.hpp"
#include "linked/pair_screen.hpp"
#include "linked/relations.hpp"
#include "linked/screen.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "stats/evidence.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// What was found of a pair.
struct LinkedFindings {
  match::LinkedFigures figures;
  double log10_any = 0;        ///< of any relative, in `population`
  std::size_t population = 0;  ///< that in which log10_any is lowest; the relation is called there
  double margin = 0;           ///< log10 of the likeliest degree's ratio to the next one
  std::string relation;        ///< kUndecided where the margin is too small or chance explains log10_any
};

/// What is said of a pair by a search for a person.
struct LinkedIdentity {
  double log10_lr_sibling = 0;  ///< the same person against full siblings, the lowest of all populations
  /// In the population where the ratio of the same person is lowest. A degree is suggested where it is ten
  /// times as probable as each other one, and chance does not explain the ratio of any relative; "unrelated"
  /// also where the third degree may be.
  stats::Suggestion suggests = stats::Suggestion::kInconclusive;
};

class LinkedEvidence {
 public:
  /// Says which map is taken, and how many sites are weighed. Not available() where relatives are to be
  /// weighed by the product over sites, and where the panel has no frequencies or none of the counted sites
  /// has a position. \param models  of each population \param margin  log10, that a relation or a degree
  /// needs to be named \param n_pairs  pairs in which strangers may look like relatives by chance \throws
  /// InputError (the map), UsageError
  LinkedEvidence(const LinkedOptions& options, const Panel& panel, std::span<const Word> sites,
                 std::span<const stats::PopulationModel> models, double margin, std::uint64_t n_pairs);

  bool available() const { return !models_.empty(); }
  const match::MapFacts& facts() const { return facts_; }
  /// Those that are weighed. \param population  a place among the models
  std::span<const MappedSite> sites(std::size_t population) const { return models_[population].sites(); }

  /// Of one with each of several others. \param first, others  rows with `major` of the models' sites
  std::vector<LinkedFindings> weigh(const RowView& first, std::span<const RowView> others) const;
  /// The same of somebody who goes by likelihoods.
  std::vector<LinkedFindings> weigh(const SampleLikelihoods& first, std::span<const RowView> others) const;

  /// The same of two who both do.
  std::vector<LinkedFindings> weigh(const SampleLikelihoods& first,
                                    std::span<const SampleLikelihoods* const> others) const;

  /// Of one with each of several others. \param relatives  of each: whether they may be relatives at all
  std::vector<LinkedIdentity> identities(const RowView& first, std::span<const RowView> others,
                                         const std::vector<bool>& relatives) const;
  std::vector<LinkedIdentity> identities(const SampleLikelihoods& first, std::span<const RowView> others,
                                         const std::vector<bool>& relatives) const;

  /// The chain that orders a database's profiles. \param queries  must outlive it
  std::unique_ptr<linked::Screen> screen(const match::Queries& queries) const {
    std::vector<const SampleLikelihoods*> samples;
    for (std::size_t q = 0; q < queries.sources.size(); ++q) samples.push_back(queries.likelihoods_of(q));
    return std::make_unique<linked::Screen>(models_, queries.rows, samples);
  }

  /// What chooses of all pairs those to be weighed: no pair is left out for its ratio that is a hundred times
  /// as likely of relatives as a listed one need be.
  std::unique_ptr<linked::PairScreen> pair_screen(double min_lr) const;

  /// What one shares with each of several others, by the frequencies of a population.
  std::vector<match::LinkedFigures::Shared> shared(const RowView& first, std::span<const RowView> others,
                                                   std::size_t population) const;
  std::vector<match::LinkedFigures::Shared> shared(const SampleLikelihoods& first,
                                                   std::span<const RowView> others,
                                                   std::size_t population) const;
  std::vector<match::LinkedFigures::Shared> shared(const SampleLikelihoods& first,
                                                   std::span<const SampleLikelihoods* const> others,
                                                   std::size_t population) const;
  /// The stretches that these figures count, and those with two alleles identical by descent.
  std::vector<std::vector<match::SharedStretch>> stretches(const RowView& first,
                                                           std::span<const RowView> others,
                                                           std::size_t population) const;
  std::vector<std::vector<match::SharedStretch>> stretches(const SampleLikelihoods& first,
                                                           std::span<const RowView> others,
                                                           std::size_t population) const;
  /// Throws where stretches are asked for, and relatives are not weighed along the map.
  /// \param options  those of the constructor \param source  the database, for messages \throws InputError
  void check_stretches(const LinkedOptions& options, const std::string& source) const;

 private:
  template <class First, class Other>
  std::vector<match::LinkedFigures::Shared> shared_with(const First& first, std::span<const Other> others,
                                                        const linked::LinkedModel& model) const;
  std::vector<LinkedFindings> of_all(std::span<const std::vector<linked::Ratios>> by_population) const;
  LinkedFindings of(std::span<const linked::Ratios> ratios) const;
  /// Of each population the ratios with each of the others.
  template <class First, class Other>
  std::vector<std::vector<linked::Ratios>> by_population(const First& first,
                                                         std::span<const Other> others) const;
  std::vector<LinkedIdentity> identities_of(std::span<const std::vector<linked::Ratios>> by_population,
                                            const std::vector<bool>& relatives) const;
  LinkedIdentity identity_of(std::span<const linked::Ratios> ratios, bool relatives) const;

  template <class First>
  std::vector<std::vector<match::SharedStretch>> stretches_with(const First& first,
                                                                std::span<const RowView> others,
                                                                const linked::LinkedModel& model) const;

  std::vector<linked::LinkedModel> models_;  ///< of each population
  match::MapFacts facts_;
  double margin_;
  double speaks_above_;  ///< a log10 ratio above it is not explained by chance
};

}  // namespace fastid::asking
