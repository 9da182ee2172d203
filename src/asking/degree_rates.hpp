/// \file
/// What a panel can tell of relatives along the genetic map, before any search: how often the degree is named
/// of simulated people, whose stretches are inherited along that map.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "panel/panel.hpp"
#include "stats/kinship.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

/// Of pairs of one degree.
struct DegreeRates {
  std::string_view name;  ///< "same", "parent-child", "sibling", "1.5", "2" to "5", "unrelated"
  std::size_t pairs = 0;
  std::size_t right = 0;      ///< of which the true degree is named, whatever chance explains
  std::size_t undecided = 0;  ///< of which none is named

  double right_rate() const { return static_cast<double>(right) / static_cast<double>(pairs); }
  double undecided_rate() const { return static_cast<double>(undecided) / static_cast<double>(pairs); }
};

/// 8 pairs of each of 19 relations to the fifth degree and 24 of strangers, and of fewer than 4,000 sites up
/// to four times as many; the same ones each time: every site is called, and alleles are misread at the
/// model's rate. Sites are thinned as by default (kThinCm); the map is the panel's build's, else 1.2 cM a Mb.
/// Empty where no autosomal site has a position. Some tenths of a second. \param model  of the panel's
/// autosomal sites
std::vector<DegreeRates> degree_rates(const Panel& panel, const stats::PopulationModel& model,
                                      double least_margin = stats::kLeastMargin);

}  // namespace fastid::asking
