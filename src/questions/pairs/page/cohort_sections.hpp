/// \file
/// Sections of a cohort's page: what was expected, the groups, the pairs.
#pragma once

#include <cstddef>
#include <string>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

inline constexpr std::size_t kMostRows = 500;    ///< rows of a table
inline constexpr std::size_t kMostMembers = 20;  ///< members, or exchanged labels, that a line names

/// How the expectation was met, and the labels that seem to be exchanged. \param cohort  has an expectation
std::string expectation_section(const CohortTable& cohort);

/// The matrix and the table of groups.
std::string groups_section(const CohortTable& cohort);

/// The picture and the table of pairs.
std::string pairs_section(const CohortTable& cohort);

}  // namespace fastid::pairs
