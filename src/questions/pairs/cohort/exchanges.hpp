/// \file
/// Which labels of a cohort seem to be exchanged: the exchanges of two labels that repair most wrong pairs
/// (missing, unexpected, of another relation), found greedily.
///
/// A label keeps what is expected of it, and a profile what was found of it; an exchange puts two labels on
/// each other's profiles. Only an exchange by which some expected pair comes to lie on a pair that was found
/// can repair anything, so that of each label with a wrong pair only few others are tried, and none is
/// missed. The exchange that repairs most is made, then the next one, until none repairs two pairs or more:
/// a wrong pair alone says nothing of labels, and neither do labels of which the same is expected. Of equal
/// exchanges one of labels that were exchanged already comes first, then that of the lowest rows. What was
/// exchanged is told by cycles: three labels that went round are one finding.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "questions/pairs/cohort/expectation.hpp"

namespace fastid::pairs {

struct NodeExchange {
  std::vector<Node> nodes;  ///< as LabelExchange::profiles
  std::uint64_t missing_found = 0, unexpected_gone = 0, made_wrong = 0;
  std::vector<std::vector<Node>> alternatives;
};

struct FoundExchanges {
  std::vector<NodeExchange> exchanges;  ///< those that repair most first
  bool cut = false;                     ///< ended by `most_steps`
};

/// Looking at one pair of one label is a step.
inline constexpr std::uint64_t kMostExchangeSteps = 1'000'000'000;

/// \param expected, found  in order
FoundExchanges find_exchanges(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                              const Absence& absence, const Roster& roster,
                              std::uint64_t most_steps = kMostExchangeSteps);

}  // namespace fastid::pairs
