/// \file
/// Every assignment of people to the missing members of a component, and the posteriors of pairs that follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "questions/dvi/event/findings.hpp"

namespace fastid::dvi {

/// [missing member]: the people who are candidates.
using Candidates = std::vector<std::vector<std::size_t>>;

/// The product of (candidates + 1) over missing members: the number of assignments, including any that use a
/// person twice.
double n_choices(const Candidates& candidates);
/// Whether there are more than `most` assignments.
bool are_more(const Candidates& candidates, std::uint64_t most);

/// All assignments, most probable first; equal ones in the order of the candidates.
/// \param weight  log10 of an assignment: the person of each missing member
std::vector<Assignment> all_assignments(
    const Candidates& candidates,
    const std::function<double(std::span<const std::optional<std::size_t>>)>& weight);

/// The finding on a person and a set of missing members.
struct PairFinding {
  std::size_t person = 0;
  double posterior = 0, glr = 0;  ///< glr: log10; infinity where every assignment has the pair
};

/// A finding for each person whom some assignment makes one of the set; the most probable first.
/// \param set  places of the component's missing members
std::vector<PairFinding> findings_of(std::span<const Assignment> assignments,
                                     std::span<const std::size_t> set);

}  // namespace fastid::dvi
