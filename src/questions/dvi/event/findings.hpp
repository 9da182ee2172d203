/// \file
/// The input of an event, and the findings from its remains and families together.
///
/// Source. M. D. Vigeland, T. Egeland, Joint DNA-based disaster victim identification, Scientific Reports 11
/// (2021), 13661: joint assignments and their posteriors; T. Egeland, M. D. Vigeland, FSI: Genetics (2025),
/// doi 10.1016/j.fsigen.2025.103270: generalised ratios and symmetric matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panel/site_class.hpp"
#include "stats/family_likelihood.hpp"
#include "stats/person_readings.hpp"

namespace fastid::dvi {

/// A sample of remains.
struct Remains {
  std::string id;
  std::optional<Sex> sex;  ///< where it is known
  stats::PersonReadings readings;
};

/// A family with at least one missing member.
struct Family {
  std::string name;
  std::vector<stats::Relative> members;   ///< with their readings, which must outlive the event
  std::vector<std::optional<Sex>> sexes;  ///< of the members
  std::vector<std::size_t> missing;       ///< places of members, in the file's order
};

struct Rules {
  double bar = 4;             ///< least log10 ratio of an undisputed pair, and least generalised ratio
  double posterior = 0.9995;  ///< least posterior of an assignment that is named
  std::optional<double>
      odds;          ///< of one identification before anything is read; none: 1 / max(people, missing)
  bool pool = true;  ///< pool the remains of one person
  std::uint64_t most_assignments = 100'000;  ///< most assignments that are listed for a component
  /// The factor of other evidence for a missing member (of any family, by name) and a sample of remains; 0
  /// forbids.
  std::map<std::pair<std::string, std::string>, double> factors;
};

/// A person whose remains were found.
struct Person {
  std::vector<std::size_t> remains;  ///< ascending
  std::optional<Sex> sex;
  bool sexes_differ = false;  ///< the sexes of the remains differ
  std::size_t called = 0;     ///< sites read
};

enum class Conclusion { kUndisputed, kJoint, kSymmetric, kDisputed, kOpen, kNone, kUninformative };

/// "undisputed", "joint" ...
const char* name_of(Conclusion conclusion);

/// A typed member without whose readings somebody would be identified as the missing member. The relation may
/// be wrong, or samples exchanged.
struct Suspect {
  std::size_t member = 0, person = 0;
  double log10_lr = 0;
};

struct Missing {
  std::size_t family = 0, member = 0;
  std::vector<double> log10_lr;     ///< [person], at first; NaN where sex or other evidence forbids
  std::vector<std::size_t> people;  ///< the best, or each of a symmetric set; then rivals; empty: nobody
  std::size_t n_best = 0;           ///< how many of `people` are not rivals
  std::optional<double> best_lr, glr, posterior;  ///< log10 LR, log10 GLR and posterior of the best person
  std::optional<stats::ExpectedRatio> expected;   ///< at the best person's sites
  Conclusion conclusion = Conclusion::kNone;
  std::vector<std::size_t> alike;  ///< the members of a symmetric set, as places among the missing
  std::vector<Suspect> suspects;
  std::optional<double> left_out;  ///< log10 ratio; candidates at or below it were left out
};

struct Assignment {
  double log10_weight = 0;  ///< the ratios of the families and the odds of the identifications
  std::vector<std::optional<std::size_t>> person;  ///< of each missing member of the component; none: nobody
};

/// Missing members who share a family or a candidate, and all their assignments.
struct Component {
  std::vector<std::size_t> missing;
  std::vector<Assignment> assignments;  ///< most probable first
  double least_lr = 0;                  ///< log10 ratio; pairs at or below it were left out
};

struct Findings {
  std::vector<Person> people;
  std::vector<Missing> missing;
  std::vector<Component> components;
  std::vector<std::vector<std::optional<double>>> consistency;  ///< [family][member]
  std::vector<std::optional<stats::FamilyPower>> power;         ///< [missing], where asked for
  double log10_odds = 0;
};

}  // namespace fastid::dvi
