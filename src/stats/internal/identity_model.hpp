/// \file
/// What each site says about two profiles being of one person, in one population: by bits or by the alleles
/// that were seen. x and y are kinds of stats/shown.hpp.
#pragma once

#include <vector>

#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/poisson_binomial.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

class IdentityModel {
 public:
  /// 240 bytes for each site by bits, 504 by alleles. \param population  must outlive this object
  IdentityModel(const PopulationModel& population, Encoding by);

  const PopulationModel& population() const { return *population_; }
  Encoding by() const { return by_; }
  std::size_t kinds() const { return kinds_; }
  std::uint32_t n_sites() const { return population_->n_sites(); }

  /// log10 P(x and y are seen of people with a relation) / P(the same of unrelated people).
  const RelationRatios& ratios(std::size_t site, std::size_t x, std::size_t y) const {
    return ratios_[(site * kinds_ + x) * kinds_ + y];
  }
  /// By how much an unrelated person differs from one who shows x: by bits 0 or 1, by alleles the difference
  /// in minor copies. Without errors.
  const Event& differs(std::size_t site, std::size_t x) const { return differs_[site * kinds_ + x]; }

 private:
  void add_bits(double q);
  void add_genotypes(double q);

  const PopulationModel* population_ = nullptr;
  Encoding by_ = Encoding::kMinor;
  std::size_t kinds_ = 0;
  std::vector<RelationRatios> ratios_;  ///< [site][x][y]
  std::vector<Event> differs_;          ///< [site][x]
};

/// [x][y]: P(one of two people with this relation shows x and the other y), without errors, but for the same
/// person as they are read. By bits only kinds 0 and 1 are used.
JointGenotypes joint_shown(double q, const Parameters& parameters, Relation relation, Encoding by);

/// [g][h]: P(a stranger has h minor copies | a person has g). A heterozygote gives odds too where theta is 1
/// and there is none.
JointGenotypes genotypes_after(double q, double theta);

/// By how much the second differs from the first, who shows x; by nothing where nobody does.
Event differs_given(const JointGenotypes& shown, std::size_t x);

}  // namespace fastid::stats
