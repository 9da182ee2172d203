/// \file
/// Every assignment of people to the missing members of a component, and what they say together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "questions/dvi/event/findings.hpp"

namespace fastid::dvi {

/// The candidates of each missing member, for whom assignments are listed.
using Candidates = std::vector<std::vector<std::size_t>>;

/// The product of what each may be: how many assignments there are, with those that give one person twice.
double n_choices(const Candidates& candidates);
/// Whether there are more than `most` assignments.
bool are_more(const Candidates& candidates, std::uint64_t most);

/// All of them, most probable first, of equal ones the first in the order of the candidates.
/// \param weight  log10 of an assignment: the person of each missing member
std::vector<Assignment> all_assignments(
    const Candidates& candidates,
    const std::function<double(std::span<const std::optional<std::size_t>>)>& weight);

/// What assignments say of a person and a set of missing members.
struct PairFinding {
  std::size_t person = 0;
  double posterior = 0, glr = 0;  ///< glr: log10; infinity where every assignment has the pair
};

/// Of each person whom some assignment makes one of the set; the most probable first.
/// \param set  places of the component's missing members
std::vector<PairFinding> findings_of(std::span<const Assignment> assignments,
                                     std::span<const std::size_t> set);

}  // namespace fastid::dvi
