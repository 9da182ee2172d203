/// \file
/// A picture of a mixture's reads: each site by its depth and its share of minor reads, before the bands
/// where the fitted explanation expects the sites of each set of the contributors' genotypes.
///
///   100 %|...............:::::::::  2 + 2
///        |    ..  ............      2 + 1
///    50 %|  .  .   ..............   1 + 1
///        |   .  . ............      0 + 1
///     0 %|...............:::::::::  0 + 0
///        +------------------------
///         1     10     100  reads
#pragma once

#include <string>

#include "match/match_table.hpp"

namespace fastid::report {

/// The figure as html; "" where no reads of the mixture are weighed. \param id  of the picture, unique in its
/// page
std::string reads_figure(const match::QueryMatches& query, const std::string& id);

}  // namespace fastid::report
