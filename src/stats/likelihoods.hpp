/// \file
/// What a sample's genotype likelihoods say about a second person, whose genotypes are called, or about a
/// second sample that has likelihoods too.
///
/// With L(x) = P(what was read of the sample | x), a relation's probability of the reads and of the stored y
/// is the sum over x of L(x) P(x and y are seen | the relation). Each copy is misread with probability w
/// behind the reads as in a call (stats/internal/genotype_ratios.hpp), so that a call, L = 1 at one genotype,
/// weighs to the last digit what it weighs as a call.
///
/// Sources. Sums over unknown genotypes: T. S. Korneliussen, I. Moltke, NgsRelate, Bioinformatics 31 (2015).
/// Reads against a genotyped person: R. Nguyen et al., IBDGem, Journal of Heredity 114 (2023). Misreading in
/// both samples: M. M. Andersen et al., wgsLR.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "engine/weighted_count.hpp"
#include "stats/ibd_emissions.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/identity.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// A site's figures for each kind (stats/shown.hpp) that a stored person can show there.
struct SiteRatios {
  /// [y]: log10 of how much more probable the reads and y are under each relation than if the two are
  /// unrelated.
  std::array<RelationRatios, kGenotypes> of{};
  /// [y]: P(y | the reads are that person's own).
  std::array<double, kGenotypes> own{};
};

/// [y]: P(the reads and y) of two people. \param seen  their IbdEmissions, for one number of alleles
/// identical by descent
std::array<double, kGenotypes> with_reads(const std::array<std::array<double, kGenotypes>, kGenotypes>& seen,
                                          const GenotypeLikelihoods& likelihoods);

/// \param likelihoods  informative() \param by  kMinor: heterozygous and homozygous minor y are one kind, 1
SiteRatios site_ratios(const IbdEmissions& emissions, const GenotypeLikelihoods& likelihoods, Encoding by);

/// The ratios of all relations between two samples, at one site.
RelationRatios ratios_of_samples(const IbdEmissions& emissions, const GenotypeLikelihoods& one,
                                 const GenotypeLikelihoods& other);

/// Two people who both go by likelihoods, in one population.
class SamplePairs {
 public:
  /// 216 bytes for each site. \param model  must outlive this object
  explicit SamplePairs(const PopulationModel& model);

  /// The ratios of all relations over the sites where both say something.
  RelationRatios ratios(const SampleLikelihoods& one, const SampleLikelihoods& other) const;

 private:
  const PopulationModel& model_;
  std::vector<IbdEmissions> emissions_;  ///< of each site
};

/// Calls as likelihoods: 1 at the genotype that is called. \param row  with `major`
SampleLikelihoods likelihoods_of_calls(const RowView& row, std::uint32_t n_sites);
/// How many sites say something of both.
std::uint32_t compared_sites(const SampleLikelihoods& one, const SampleLikelihoods& other);

/// What the reads of a sample say about one stored person.
struct LikelihoodEvidence {
  RelationRatios relations;
  std::uint32_t compared = 0;  ///< sites where the likelihoods say something and the person is called
  /// What is expected of the log10 ratio of the same person to the alternative over the compared sites, if
  /// the reads are that person's own. With linkage blocks `sd` is an upper bound.
  Expected expected;

  /// By how many deviations `log10_lr` is above what is expected; no value where nothing varies.
  std::optional<double> deviations(double log10_lr) const;
};

/// Below so many deviations the reads are hardly all of that person: there is contamination, or the person is
/// a relative.
inline constexpr double kLeastDeviations = -4;

/// Log10 ratios in whole numbers, for an engine that ranks a database by them.
struct WholeWeights {
  double unit = 0;  ///< log10 ratio of a weight of 1; 0: nothing is said of anybody
  std::vector<engine::SiteWeightsByKind> weights;  ///< of each set of ratios
};

/// A site's log10 ratio is taken to be no lower than this. Where nothing is ever misread a genotype may be
/// impossible, which no sum can take back. Two misread copies in a million people are as much as a site may
/// say against a person.
inline constexpr double kLeastSiteRatio = -6;

/// [site][kind that a stored person shows there]: a log10 ratio.
using RatiosByKind = std::vector<std::array<double, kGenotypes>>;

/// Log10 ratios in whole numbers of one unit. \param sites  ascending \param exact  sets of ratios, each with
/// an entry for each of `sites`
WholeWeights whole_weights(std::span<const std::uint32_t> sites, std::span<const RatiosByKind> exact);

struct RelationPair;

/// What one sample's likelihoods say about stored people, in one population.
class LikelihoodRatios {
 public:
  /// 232 bytes for each site that says something.
  /// \param model, sample  must outlive this object; of the same sites
  /// \param by  what stored rows say, kAlleles: they have RowView::major
  /// \param alternative  the hypothesis that "same person" is compared with; not kSame
  LikelihoodRatios(const PopulationModel& model, Encoding by, const SampleLikelihoods& sample,
                   Relation alternative);

  /// The evidence about some people, who together take a fraction of the time.
  std::vector<LikelihoodEvidence> with(std::span<const RowView> stored) const;

 private:
  friend WholeWeights whole_weights(std::span<const LikelihoodRatios> populations,
                                    std::span<const RelationPair> pairs);
  RatiosByKind mean_ratios(std::span<const LikelihoodRatios> populations, const RelationPair& pair) const;

  struct SiteFigures {
    SiteRatios ratios;
    double mean = 0, variance = 0;  ///< of the log10 ratio, as LikelihoodEvidence::expected
  };

  void add_all(std::span<const RowView> stored, std::span<LikelihoodEvidence> all) const;
  LikelihoodEvidence weighed(const RowView& stored) const;

  const PopulationModel* model_;
  Encoding by_;
  const SampleLikelihoods* sample_;
  Relation alternative_;
  std::vector<SiteFigures> figures_;  ///< one for each of the sample's sites
};

/// The two hypotheses of a likelihood ratio.
struct RelationPair {
  Relation relation = Relation::kSame, against = Relation::kUnrelated;
};

/// Weights by the mean ratio over populations, which so share a shortlist. A site of a linkage block has its
/// share of the block's weight as if all of the sample's sites were called. \param populations  one or more,
/// of one sample
/// \param pairs  one or more, of one unit
WholeWeights whole_weights(std::span<const LikelihoodRatios> populations,
                           std::span<const RelationPair> pairs);

/// What a sample says of one stored person in all populations, each figure the worst for the claim that the
/// two are one person.
struct SampleHit {
  double log10_lr = 0, log10_lr_sibling = 0;
  std::size_t lr_population = 0;  ///< of log10_lr and `expected`
  Expected expected;              ///< of log10_lr, if the reads are that person's own
  std::uint32_t compared = 0;
  double log10_chance_matches = 0;  ///< log10 of min(N, N / R): stats/evidence.hpp
  std::size_t chance_population = 0;
  Suggestion suggests = Suggestion::kInconclusive;  ///< inconclusive also where chance explains the hit
  bool relative = false;                            ///< of the first or second degree
  bool below_expected = false;                      ///< below kLeastDeviations in the population of log10_lr
};

/// \param populations  what each says of the person \param alternative  what log10_lr is held against
/// \param n_profiles  N, of the whole database
SampleHit sample_hit(std::span<const LikelihoodEvidence> populations, Relation alternative,
                     std::uint64_t n_profiles);

}  // namespace fastid::stats
