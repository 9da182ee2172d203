/// \file
/// Pictures of a cohort: its groups as a matrix, and its pairs by kinship and IBS0. Each is a figure (html)
/// with a caption that says what was left out.
///
///   A ####            members of the largest groups against each other, group by group;
///   B ####            a square's colour is the pair's relation
///   C     ####
///   D     ####
#pragma once

#include <cstddef>
#include <string>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

inline constexpr std::size_t kMostNamedMembers = 40;    ///< members of several groups, with their names
inline constexpr std::size_t kMostMatrixMembers = 100;  ///< members of a larger group, shown alone
inline constexpr std::size_t kMostDots = 1000;          ///< dots of each relation

/// The matrix of groups; empty where the cohort has no group.
std::string groups_figure(const CohortTable& cohort);

/// The pairs by kinship and IBS0; empty where no pair has a kinship.
std::string kinship_figure(const CohortTable& cohort);

}  // namespace fastid::pairs
