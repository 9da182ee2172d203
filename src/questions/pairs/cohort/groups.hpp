/// \file
/// Profiles that are connected by pairs of relatives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

/// The groups of two and more profiles, in the order of CohortTable::groups. Pairs that
/// are not is_related() do not connect. \param n_profiles  one more than the highest profile of the pairs
std::vector<CohortGroup> groups_of(std::span<const CohortPair> pairs, std::size_t n_profiles);

}  // namespace fastid::pairs
