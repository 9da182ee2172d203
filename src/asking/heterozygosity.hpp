/// \file
/// Whether a profile shows both alleles at more sites than one person does: then it is of several people.
///
/// A person of two parents, of populations with frequencies q and r at a site, is heterozygous there with
/// probability q (1 - r) + r (1 - q). Of all pairs of the panel's populations, each with itself too, the one
/// with the most heterozygous sites is what is expected, so that people of mixed ancestry do not count as
/// several. Related parents make fewer heterozygous sites, and linked sites make their number vary more: up
/// to 1.3 times the expected one was seen. A profile is of several people where it has, of kLeastSites called
/// sites or more, more than kTimes as many heterozygous ones as expected, and kErrors standard errors more.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "match/match_table.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

class HeterozygosityCheck {
 public:
  static constexpr std::uint32_t kLeastSites = 50;
  static constexpr double kTimes = 1.4, kErrors = 4;

  /// \param populations  all of the panel's, with the same sites; none: nothing is said of any profile
  explicit HeterozygosityCheck(std::span<const stats::PopulationModel> populations);

  /// The profile's, where it is of several people. \param row  with `major`, of the populations' sites
  std::optional<match::SeveralPeople> of_several(const RowView& row) const;

 private:
  std::vector<double> expected_;   ///< at each site of whole words; empty without populations
  double sum_ = 0, variance_ = 0;  ///< over all sites
};

}  // namespace fastid::asking
