/// \file
/// The table of a cohort, made from its close pairs: who belongs together, what was expected and found, which
/// labels seem to be exchanged, and whom to keep so that nobody is related. Reports only print it.
///
/// Relations are the words of `fastid kin` (same, parent-child, sibling, half-sibling, cousin, unrelated),
/// "undecided" where chance explains a pair, and "close" where its counts do not tell. half-sibling stands
/// for the second degree, cousin for the third. The words are literals, so that they outlive every table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match/close_pair.hpp"
#include "match/match_table.hpp"
#include "panel/site_class.hpp"

namespace fastid::pairs {

/// A profile in the table.
struct CohortProfile {
  std::size_t database = 0;  ///< 0, or 1: the second one
  std::uint64_t row = 0;
  std::string id;
};

/// A pair that was found. Profiles here and below are indices of CohortTable::profiles.
struct CohortPair {
  std::size_t first = 0, second = 0;
  match::ClosePair close;
  std::string_view relation;  ///< the evidence's relation; where it names none, the kinship's
};

/// Profiles that are connected by pairs of relatives.
struct CohortGroup {
  struct Member {
    std::size_t profile = 0;
    /// From 1, within the group: members of the same number are connected by pairs of relation "same".
    std::size_t person = 0;
  };
  std::vector<Member> members;     ///< by profile
  std::vector<std::size_t> pairs;  ///< indices of CohortTable::pairs, in their order
  std::string_view closest;        ///< the closest relation of its pairs
  std::size_t n_persons = 0;
};

/// How an expected pair was met.
enum class Outcome {
  kFound,
  kOtherRelation,  ///< found, but as another relation
  kMissing,
  kUnexpected,   ///< found, but not expected
  kBelow,        ///< not found, and pairs of its relation need not pass the search's limits
  kNotCompared,  ///< the search did not compare the two
};
inline constexpr std::size_t kOutcomes = 6;

struct JudgedPair {
  std::size_t first = 0, second = 0;
  Outcome outcome = Outcome::kFound;
  std::string_view expected;        ///< the expected relation; "" where none was
  std::optional<std::size_t> pair;  ///< index of CohortTable::pairs, where it was found
};

/// Labels that seem to be exchanged: profiles[i] seems to be the person whose label profiles[i + 1] has, and
/// the last profile the person whose label the first one has. Two profiles have each other's labels.
struct LabelExchange {
  std::vector<std::size_t> profiles;  ///< the first is the lowest
  std::uint64_t missing_found = 0;    ///< expected pairs that are found once the labels are put right
  std::uint64_t unexpected_gone = 0;  ///< pairs, unexpected or of another relation, that are right then
  std::uint64_t made_wrong = 0;       ///< pairs that are wrong only then
  /// Other exchanges that repair as much, each like `profiles`. For example, where two people have two
  /// samples each, the other two samples may be the exchanged ones.
  std::vector<std::vector<std::size_t>> alternatives;

  std::uint64_t repairs() const { return missing_found + unexpected_gone; }
};

/// A profile whose X and Y contradict the sex that a pedigree states.
struct SexContradiction {
  std::size_t profile = 0;
  Sex stated = Sex::kUndecided, found = Sex::kUndecided;  ///< kMale, kFemale
};

/// The expectation and how it was met.
struct CohortExpectation {
  std::string path, sha256;
  std::string kind;                           ///< "pairs", "groups", "pedigree"
  std::uint64_t n_expected = 0;               ///< pairs
  std::uint64_t n_present = 0, n_absent = 0;  ///< pedigree: people who are in the cohort, and who are not
  std::uint64_t outcomes[kOutcomes] = {};     ///< number of `judged` with each outcome
  std::vector<JudgedPair> judged;             ///< by profiles
  std::vector<LabelExchange> exchanges;       ///< the exchanges that repair most come first
  bool exchanges_cut = false;                 ///< the search for exchanges was stopped early
  /// Pedigree: the number of profiles with a stated sex whose own sex is known, and the profiles where the
  /// two differ, by profile. Empty where the panel has no site of X or Y.
  std::uint64_t n_sexes = 0;
  std::vector<SexContradiction> sexes;

  /// Whether the file is a pedigree that relates no two profiles of the cohort, so that nothing is expected.
  bool links_nobody() const { return kind == "pedigree" && n_expected == 0; }
  std::uint64_t number(Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
  /// Whether all is as expected: no pair is missing, unexpected or of another relation, and no sex differs.
  bool met() const {
    return number(Outcome::kOtherRelation) + number(Outcome::kMissing) + number(Outcome::kUnexpected) == 0 &&
           sexes.empty();
  }
};

/// The largest set of profiles without a near pair, whatever the evidence says of the pair.
struct UnrelatedSet {
  std::optional<double> kinship =
      {};                         ///< two are near from this kinship on; no value: as PairsFacts limits pairs
  std::vector<std::string> ids;   ///< by row
  std::uint64_t n_profiles = 0;   ///< number of profiles that it was chosen from
  std::size_t greedy_groups = 0;  ///< groups too large to be solved exactly: there may be a larger set
  std::size_t greedy_members = 0;  ///< their profiles
};

struct CohortTable {
  match::PairsFacts facts;              ///< pairs that do not pass its limits are not known to the table
  std::vector<CohortProfile> profiles;  ///< by database and row
  std::vector<CohortPair> pairs;        ///< by first, then by second
  std::vector<CohortGroup> groups;      ///< groups with most members first, then by their first member
  std::optional<CohortExpectation> expectation;
  std::optional<UnrelatedSet> unrelated;
};

}  // namespace fastid::pairs
