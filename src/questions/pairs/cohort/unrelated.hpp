/// \file
/// The largest set of profiles of which no two are near: a largest independent set of the graph whose edges
/// are near pairs. It is chosen for each connected set of them alone. One of up to kMostExact members is
/// solved exactly, by branching on the profile with most relatives, within a bound on steps; a larger one, or
/// one that takes more steps, by taking the profile with fewest relatives first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

inline constexpr std::size_t kMostExact = 64;
inline constexpr std::uint64_t kMostSteps = 1'000'000;  ///< branches for one group

/// What is chosen of a group, as indices of its members, in order.
struct ChosenMembers {
  std::vector<std::size_t> members;
  bool exact = false;
};

/// Two people in a graph are relatives; of equally large sets the choice depends on the graph alone.
/// \param n  members; \param relatives  pairs of members, each once
ChosenMembers largest_unrelated(std::size_t n, std::span<const std::pair<std::size_t, std::size_t>> relatives,
                                std::uint64_t most_steps = kMostSteps);

}  // namespace fastid::pairs
