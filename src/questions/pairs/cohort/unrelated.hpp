/// \file
/// The largest set of profiles without a near pair: a largest independent set of the graph whose edges are
/// near pairs. It is chosen for each connected group alone. A group of up to kMostExact members is solved
/// exactly, by branching on the profile with most relatives, within a bound on steps; a larger group, or one
/// that takes more steps, by taking the profile with fewest relatives first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

inline constexpr std::size_t kMostExact = 64;
inline constexpr std::uint64_t kMostSteps = 1'000'000;  ///< branches for one group

/// The chosen members of a group, as indices in ascending order.
struct ChosenMembers {
  std::vector<std::size_t> members;
  bool exact = false;
};

/// Chooses members without relatives among them. Among equally large sets the choice depends on the graph
/// alone.
/// \param n  members; \param relatives  pairs of members, each once
ChosenMembers largest_unrelated(std::size_t n, std::span<const std::pair<std::size_t, std::size_t>> relatives,
                                std::uint64_t most_steps = kMostSteps);

}  // namespace fastid::pairs
