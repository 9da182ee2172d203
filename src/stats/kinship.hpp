/// \file
/// How two people are related, by the genotypes that are seen of them: a count that needs no frequencies
/// (KING) and likelihood ratios that use them. Sites at which either person is not called are left out. Sites
/// are taken to be unlinked, except that the sites of a linkage block weigh as one in the ratios.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/comparison.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// The KING-robust estimate of the kinship coefficient, at most 1/2: about 1/2 of the same person, 1/4, 1/8,
/// 1/16 of relatives of the first, second, third degree, 0 of unrelated people, less if their populations
/// differ. No value where either person has no heterozygous site among those compared.
///
///   phi = 1/2 - (4 ibs0 + sites at which just one of the two is heterozygous) / (4 min(het1, het2))
///
/// Source. A. Manichaikul et al., Robust relationship inference in genome-wide association studies,
/// Bioinformatics 26 (2010), equation 11.
std::optional<double> king_kinship(const engine::GenotypeCounts& counts);

enum class Degree { kSame, kFirst, kSecond, kThird, kUnrelated };

/// "same", "first-degree", "second-degree", "third-degree", "unrelated".
std::string_view name_of(Degree degree);

/// KING's classes: above .354 same (or an identical twin), above .177, .0884 and .0442 relatives of the
/// first, second and third degree.
Degree degree_of(double kinship);

/// The lower bound of kinships of this degree. \param degree  not kUnrelated
double least_kinship(Degree degree);

/// The standard deviation of the kinship that unrelated people of one population show, by the delta method:
/// sqrt(3 sum h^2 + (1 - 2 / pi) / 2 sum h (1 - h)) / (2 sum h), where h = 2 q (1 - q) is how many are
/// heterozygous at a site of frequency q. The second term comes from dividing by the lesser of two numbers of
/// heterozygous sites. Sites are taken to be unlinked and all called. \return no value where no site varies
std::optional<double> kinship_spread(std::span<const double> minor_freq);

/// The most distant degree that a kinship can tell: fewer than one stranger in ten thousand lies above KING's
/// bound for the degree, and at least four relatives in five do. Relatives vary by the sites counted and by
/// what they inherited, of the first, second and third degree with a standard deviation of .02, .0165 and
/// .012.
/// \param spread  kinship_spread() \return kSame where no degree can be told
///
/// Source of the deviations: W. Hill, B. Weir, Variation in actual relationship as a consequence of Mendelian
/// sampling and linkage, Genetics Research 93 (2011), table 2.
Degree most_distant_degree(double spread);

/// Likelihood ratios of two people's relation in one population.
class KinshipModel {
 public:
  /// Takes the model's frequencies, theta, error rate and blocks. 432 bytes for each site.
  explicit KinshipModel(const PopulationModel& model);

  /// For each relation its log10 ratio against "unrelated". \param first, second  rows with the model's sites
  /// and `major`
  RelationRatios ratios(const RowView& first, const RowView& second) const;
  /// The ratios of one person with each of several others, which together take a fraction of the time.
  std::vector<RelationRatios> ratios(const RowView& first, std::span<const RowView> others) const;

  const GenotypeRatios& at(std::size_t site) const { return sites_[site]; }

 private:
  std::vector<GenotypeRatios> sites_;
  std::shared_ptr<const LinkageBlocks> blocks_;
};

/// The relation that makes the genotypes most probable. This is not a probability: it does not take into
/// account how common relatives are.
struct RelationCall {
  Relation likeliest = Relation::kUnrelated, next = Relation::kUnrelated;
  double log10_lr = 0;   ///< of the likeliest against "unrelated"
  double margin = 0;     ///< log10 ratio of the likeliest to the next; infinity where the next is impossible
  bool decided = false;  ///< the margin is at least the one that was asked for; else "undecided"
};

/// The margin that a relation needs where none is stated: ten times as probable as the next.
inline constexpr double kLeastMargin = 1;

/// \param least_margin  log10, at least 0
RelationCall likeliest_relation(const RelationRatios& ratios, double least_margin = kLeastMargin);

/// log10 of a bound on how many unrelated profiles, in a database of N, are expected to have a log10 ratio of
/// at least x for one stated relation against "unrelated": N 10^-x, and at most N.
///
/// For unrelated people a likelihood ratio against "unrelated" has mean 1, so at most 1 in r of them have a
/// ratio of r or more. This holds for any query, and for linked sites too, as long as the frequencies are
/// right for the strangers and their sites are independent of each other (no linkage disequilibrium). For the
/// best of several relations the bound is multiplied by their number.
///
/// Source. The inequality is Markov's; that the mean is 1 goes back to A. Turing: I. J. Good, Probability and
/// the Weighing of Evidence (1950). D. Taylor, J. Buckleton, I. Evett, Testing likelihood ratios produced
/// from complex DNA profiles, Forensic Science International: Genetics 16 (2015).
double log10_expected_strangers(double log10_lr, std::uint64_t n_profiles);

}  // namespace fastid::stats
