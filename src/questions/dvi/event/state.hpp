/// \file
/// The state of an event: the people who are not placed, the missing members who are not found, and the
/// ratios between the two. The steps of an event change it one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "questions/dvi/event/assignments.hpp"
#include "questions/dvi/event/findings.hpp"
#include "questions/dvi/event/first_figures.hpp"
#include "stats/family_likelihood.hpp"

namespace fastid::dvi {

/// The log10 ratio below which a pair is excluded: a true pair lies there at most once in 10^4 times.
inline constexpr double kExcluded = -4;

class EventState {
 public:
  /// All but `first` must outlive this object. \param first  of all families
  EventState(const EventInput& input, std::vector<stats::FamilyLikelihood> likelihoods, FirstFigures first,
             std::size_t threads);

  const std::vector<Family>& families() const { return *input_.families; }
  const Rules& rules() const { return *input_.rules; }
  std::size_t threads() const { return threads_; }
  const Findings& findings() const { return findings_; }
  Findings take() { return std::move(findings_); }

  // Missing members, by their places among all of them.
  const std::vector<std::size_t>& left() const { return left_; }  ///< missing members who are not found
  const Missing& wanted(std::size_t m) const { return findings_.missing[m]; }
  Missing& wanted(std::size_t m) { return findings_.missing[m]; }
  const stats::FamilyLikelihood& family_of(std::size_t m) const { return likelihoods_[wanted(m).family]; }
  const stats::FamilyLikelihood& family(std::size_t f) const {
    return likelihoods_[f];
  }  ///< with the people found so far
  /// The place among the members of its family who are still missing.
  std::size_t place_of(std::size_t m) const;

  // People.
  std::size_t n_people() const { return people_.size(); }
  bool is_unplaced(std::size_t person) const { return unplaced_[person]; }
  const stats::PersonReadings& readings(std::size_t person) const { return people_.readings(person); }
  bool is_allowed(std::size_t m, std::size_t person) const { return people_.is_allowed(m, person); }
  double factor_of(std::size_t m, std::size_t person) const { return people_.factor_of(m, person); }

  /// log10 LR, given the people found so far; NaN where the pair is forbidden.
  double ratio(std::size_t m, std::size_t person) const { return ratios_[m][person]; }
  const std::vector<double>& ratios(std::size_t m) const { return ratios_[m]; }
  /// [asked][person], the lowest of all populations. \param asked  at most PeopleFound::kTogether
  std::vector<std::vector<double>> ratios_of(std::span<const AskedMember> asked) const {
    return people_.ratios_of(asked);
  }
  /// Unplaced people whose ratio is above `cut`, ascending; for one missing member, or for each.
  std::vector<std::size_t> candidates_of(std::size_t m, double cut) const;
  Candidates candidates_of(const std::vector<std::size_t>& missing, double cut) const;
  /// Other people who could be the missing member as well, ascending. \param above  only people with a ratio
  /// above this
  std::vector<std::size_t> rivals_of(std::size_t m, double above) const;
  /// Whether every ratio of the missing member is 1.
  bool says_nothing(std::size_t m) const;
  /// The ratio expected of the missing member's own remains before anybody was found.
  stats::ExpectedRatio expected_at_first(const Missing& missing, std::size_t person) const;

  /// Places a person, whose remains type the family from then on. Call update_ratios() for the family
  /// afterwards.
  void place(std::size_t m, std::size_t person);
  /// Computes the ratios of these missing members with everybody anew.
  void update_ratios(const std::vector<std::size_t>& of);

 private:
  EventInput input_;
  std::size_t threads_;
  std::vector<stats::FamilyLikelihood> at_first_,
      likelihoods_;  ///< of the families; `likelihoods_` with the people found so far
  EventPeople people_;
  std::vector<bool> unplaced_;               ///< the people
  std::vector<std::size_t> left_;            ///< the missing members who are not found
  std::vector<std::vector<double>> ratios_;  ///< [missing][person], given the people found so far
  Findings findings_;
};

}  // namespace fastid::dvi
