/// \file
/// Two people's relation by the stretches that they inherited, in one population: likelihood ratios of 19
/// relations, and where alleles are identical by descent.
///
/// Neighbouring sites are inherited together. Along each chromosome a relation is a hidden Markov chain: its
/// state says how many alleles are identical by descent (IBD), and turns from site to site as often as
/// meioses cross over (recombination(), Haldane). Given the state, what is seen at a site has the probability
/// of stats::ibd_emissions(), with theta and the error rate. A site that is not called in both adds nothing.
/// Chromosomes are independent; sites without a position are left out.
///
/// That holds where a population's alleles are independent from site to site (linkage equilibrium). On dense
/// panels they are not, and chance makes large ratios. So sites are thinned, or weighed by blocks: an
/// emission is taken to the power of 1 / m, m being the compared sites of its block. For strangers the mean
/// of a ratio stays 1 at most (Hoelder's inequality, stats/linkage_blocks.hpp).
///
/// Sources. E. Lander, P. Green, Construction of multilocus genetic linkage maps in humans, PNAS 84 (1987);
/// E. Thompson, Identity by descent: variation in meiosis, across genomes, and in populations, Genetics 194
/// (2013); W. Hill, B. Weir, Variation in actual relationship as a consequence of Mendelian sampling and
/// linkage, Genetics Research 93 (2011).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "linked/relations.hpp"
#include "panel/genetic_map.hpp"
#include "stats/linkage_blocks.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::linked {

struct Emission;  // internal/passes.hpp
struct Lanes;

/// One site for each stretch of `cm` from a chromosome's start: the one with the most frequent rarer allele
/// (min(q, 1 - q)), the first of equal ones. \param sites  mapped_sites() \param minor_freq  of the panel's
/// sites \param cm  at least 0; 0: all sites
std::vector<MappedSite> thinned(std::span<const MappedSite> sites, std::span<const double> minor_freq,
                                double cm);

/// Probabilities at a site.
struct SharedAlleles {
  double one = 0, two = 0;  ///< P(so many alleles are identical by descent)
};

/// A sample's emissions at each site of a model: how much more probable its likelihoods and what the other
/// person shows are if one or two alleles are shared than for strangers; 1 where the likelihoods say nothing.
struct SampleEmissions {
  using ByShown = std::array<double, 4>;  ///< stats::Shown of the other person

  std::vector<ByShown> one, two;  ///< of each site
  std::vector<Word> mask;         ///< sites of the panel where the likelihoods say something
};

/// One of two people who both go by likelihoods, at a model's sites.
struct SampleSums {
  /// [alleles identical by descent][y]: P(the sample's reads, and y of the other).
  using ByGenotype = std::array<std::array<double, stats::kGenotypes>, 3>;

  std::vector<ByGenotype> sums;       ///< of each site; 0 where the likelihoods say nothing
  std::vector<std::uint32_t> places;  ///< [site of the panel]: its place among the model's sites, or kNoPlace
  std::vector<Word> mask;             ///< as SampleEmissions has it

  static constexpr std::uint32_t kNoPlace = UINT32_MAX;
};

class LinkedModel {
 public:
  /// Takes the model's frequencies, theta, error rate and blocks. 184 bytes for each site.
  /// \param sites  in the order of mapped_sites() \param relations  that are considered
  LinkedModel(const stats::PopulationModel& model, std::span<const MappedSite> sites,
              std::span<const Relation> relations);

  std::span<const MappedSite> sites() const { return sites_; }
  /// recombination_before()
  std::span<const double> recombination() const { return recombination_; }
  /// Null: all sites weigh 1.
  const stats::LinkageBlocks* blocks() const { return blocks_.get(); }
  /// How much more probable x and y minor copies are for two people who share an allele than for strangers.
  double emission_of_one(std::size_t site, std::size_t x, std::size_t y) const {
    return emissions_[site].one[stats::kGenotypes * x + y];
  }

  SampleEmissions emissions_of(const SampleLikelihoods& sample) const;
  SampleSums sums_of(const SampleLikelihoods& sample) const;

  /// The ratios of one person with each of several others; eight others take as long as one.
  /// \param first, others  rows with the panel's sites and `major`
  std::vector<Ratios> ratios(const RowView& first, std::span<const RowView> others) const;

  /// For each of several others and each site, P(alleles are shared | all that is seen), as the mean over
  /// relations by the pair's weights (1 minus their sum is "unrelated"). Eight others take little longer than
  /// one. \param weights  one for each of `others`
  std::vector<std::vector<SharedAlleles>> shared(const RowView& first, std::span<const RowView> others,
                                                 std::span<const Weights> weights) const;

  /// ratios() and shared() of a person who goes by likelihoods.
  std::vector<Ratios> ratios(const SampleEmissions& first, std::span<const RowView> others) const;
  std::vector<std::vector<SharedAlleles>> shared(const SampleEmissions& first,
                                                 std::span<const RowView> others,
                                                 std::span<const Weights> weights) const;
  /// ratios() and shared() of two people who both go by likelihoods.
  std::vector<Ratios> ratios(const SampleSums& first, std::span<const SampleLikelihoods* const> others) const;
  std::vector<std::vector<SharedAlleles>> shared(const SampleSums& first,
                                                 std::span<const SampleLikelihoods* const> others,
                                                 std::span<const Weights> weights) const;

 private:
  class Group;
  template <class First, class Other>
  std::vector<Ratios> ratios_with(const First& first, std::span<const Other> others) const;
  template <class First, class Other>
  std::vector<std::vector<SharedAlleles>> shared_with(const First& first, std::span<const Other> others,
                                                      std::span<const Weights> weights) const;
  SampleSums::ByGenotype sums_at(std::size_t s, const GenotypeLikelihoods& likelihoods) const;
  void add(Relation relation, const Lanes& weight, Group& group, std::span<Emission> sums) const;
  /// [3 x + y]: an emission by what is seen of the two; 1 where either is not called (kNotSeen).
  using ByCode = std::array<double, 10>;
  struct SiteEmissions {
    ByCode one, two;
  };

  std::vector<MappedSite> sites_;
  std::vector<double> recombination_;
  std::vector<double> minor_freq_;  ///< of each of `sites_`
  stats::Parameters parameters_;
  std::vector<SiteEmissions> emissions_;
  std::size_t rescaled_after_ = 1;
  std::vector<Relation> relations_;
  std::shared_ptr<const stats::LinkageBlocks> blocks_;
};

}  // namespace fastid::linked
