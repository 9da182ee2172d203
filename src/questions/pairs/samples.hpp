/// \file
/// Everyone against everyone in some files of samples: the pairs of `fastid pairs --panel`. Samples of few
/// reads go by the likelihoods of their genotypes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/linked_evidence.hpp"
#include "asking/relation_evidence.hpp"
#include "import/import.hpp"
#include "match/close_pair.hpp"
#include "match/queries.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "questions/pairs/run.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::pairs {

/// The samples, and the panel with their sites and frequencies.
struct SampleFiles {
  std::string panel;  ///< as panel_of() takes it; "": pairs are of databases
  std::vector<std::string> files;
  imports::ImportOptions import;
};

class SamplePairSearch {
 public:
  /// Reads the panel and the samples. A called genotype counts as a likelihood of 1. \param options  on
  /// evidence, limits and threads; options on databases are not read \throws InputError, UsageError
  SamplePairSearch(const PairsOptions& options, const SampleFiles& samples);
  SamplePairSearch(const SamplePairSearch&) = delete;  // its members point to each other
  SamplePairSearch& operator=(const SamplePairSearch&) = delete;

  const match::PairsFacts& facts() const { return facts_; }

  /// Passes on the pairs whose best ratio reaches the limit, ordered by the later sample, then by the earlier
  /// one. \return the number of pairs \throws Interrupted; Failure where there are more than max_pairs
  std::uint64_t run(const PairSearch::Take& take) const;

 private:
  /// Some pairs of one sample with earlier ones.
  struct Piece {
    std::size_t later, begin, end;
  };

  void choose_sites();
  void take_samples();
  void weigh_by(std::span<const stats::PopulationModel> models);
  std::vector<match::NamedPair> pairs_of(const Piece& piece) const;
  void weigh(const Piece& piece, std::span<match::NamedPair> pairs) const;
  void count(std::size_t first, std::size_t second, match::ClosePair& pair) const;
  bool passes(const match::ClosePair& pair, double log10_best) const;

  PairsOptions options_;
  Panel panel_;
  SiteClasses classes_;
  match::Queries queries_;
  std::vector<SampleLikelihoods> samples_;
  match::PairsFacts facts_;
  double min_lr_;
  std::vector<stats::PopulationModel> models_;
  std::optional<asking::LinkedEvidence> linked_;       ///< along the map
  std::optional<asking::RelationEvidence> relations_;  ///< site by site, else no value
  std::vector<stats::SamplePairs> site_pairs_;         ///< of each population, for `relations_`
};

}  // namespace fastid::pairs
