/// \file
/// The pairs that are expected in a cohort, and how they were met.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "questions/pairs/cohort/statements.hpp"
#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

/// first < second.
struct ExpectedPair {
  Node first = 0, second = 0;
  std::string_view relation;  ///< not "unrelated", which is expected of all others
};

/// All pairs that the statements imply, in order: a name that is stated to be the same person as another has
/// the other's relations too. \throws InputError naming the line where two statements contradict each other,
/// or that implies more pairs than kMostExpected.
std::vector<ExpectedPair> expected_pairs(const Statements& statements);

/// The expectation of a cohort.
struct Expected {
  Statements from;
  std::vector<ExpectedPair> pairs;  ///< expected_pairs(from)
};

/// A pair that was found, of relatives, or "undecided" and expected. first < second.
struct FoundPair {
  Node first = 0, second = 0;
  std::string_view relation;
  std::size_t index = 0;  ///< index in CohortTable::pairs
};

/// Whether a pair that is expected must be found: kMissing, else kBelow or kNotCompared.
using Absence = std::function<Outcome(const ExpectedPair&)>;

struct Judged {
  Node first = 0, second = 0;
  Outcome outcome = Outcome::kFound;
  std::string_view expected;
  std::optional<std::size_t> pair;
};

/// How a pair was met. \param expected, found  null: the pair is not expected, or not found
Outcome outcome_of(const ExpectedPair* expected, const FoundPair* found, const Absence& absence);

/// \param expected, found  in order
std::vector<Judged> judge(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                          const Absence& absence);

}  // namespace fastid::pairs
