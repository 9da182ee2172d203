/// \file
/// What a panel can prove of relatives, before any search: of two random people of the population with a
/// stated relation, with every site called in both and each allele misread at the model's rate. Loci are
/// taken to be unlinked; linkage leaves the means as they are and widens the spread.
#pragma once

#include <array>

#include "stats/internal/identity.hpp"
#include "stats/kinship.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

struct KinPower {
  /// Figures of people with one relation.
  struct Kin {
    Expected log10_lr;     ///< of their relation against "unrelated"; 0 for kUnrelated
    double right = 0;      ///< probability that likeliest_relation() decides for their relation
    double wrong = 0;      ///< for another one
    double undecided = 1;  ///< for none
  };
  std::array<Kin, kRelations> kin;  ///< [relation]

  const Kin& operator[](Relation relation) const { return kin[static_cast<std::size_t>(relation)]; }
};

/// Means and standard deviations are exact. Rates are counted among pairs that are drawn site by site, the
/// same ones each time: 20,000 of a panel of up to 100 sites, 2,000 of 1,000 and 500 of more than 4,000,
/// which gives rates near 1/2 a standard error of 0.004, 0.011 and 0.022. Takes some tenths of a second.
///
/// \param model  with an error rate above 0, so that no genotypes are impossible
KinPower kin_power(const PopulationModel& model, double least_margin = kLeastMargin);

}  // namespace fastid::stats
