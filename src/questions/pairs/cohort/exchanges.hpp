/// \file
/// Finds the labels of a cohort that seem to be exchanged: greedily, the exchanges of two labels that repair
/// most wrong pairs (missing, unexpected, of another relation).
///
/// Expected pairs belong to labels, and found pairs to profiles; an exchange puts two labels on each other's
/// profiles. Only an exchange that puts some expected pair on a found pair can repair anything. So for each
/// label with a wrong pair only a few other labels are tried, and no exchange is missed. The exchange that
/// repairs most is made, then the next one, until none repairs two pairs or more: a single wrong pair says
/// nothing about labels, and neither do labels with the same expected pairs. Among equal exchanges, one with
/// labels that were exchanged already comes first, then the one with the lowest rows. Exchanges are reported
/// as cycles: three labels that went round are one finding.
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
  std::vector<NodeExchange> exchanges;  ///< the exchanges that repair most come first
  bool cut = false;                     ///< ended by `most_steps`
};

/// Looking at one pair of one label is a step.
inline constexpr std::uint64_t kMostExchangeSteps = 1'000'000'000;

/// \param expected, found  in order
FoundExchanges find_exchanges(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                              const Absence& absence, const Roster& roster,
                              std::uint64_t most_steps = kMostExchangeSteps);

}  // namespace fastid::pairs
