/// \file
/// Where an event stands: which people are nobody's yet, which missing members are not found, and the ratios
/// of the ones with the others. The steps of an event change it one after the other.
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

/// A pair with a ratio below it is excluded: a true one has that once in 10^4 times, log10.
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
  const std::vector<std::size_t>& left() const { return left_; }  ///< those who are not found
  const Missing& wanted(std::size_t m) const { return findings_.missing[m]; }
  Missing& wanted(std::size_t m) { return findings_.missing[m]; }
  const stats::FamilyLikelihood& family_of(std::size_t m) const { return likelihoods_[wanted(m).family]; }
  const stats::FamilyLikelihood& family(std::size_t f) const {
    return likelihoods_[f];
  }  ///< with who is found
  /// The place among those of its family who are still missing.
  std::size_t place_of(std::size_t m) const;

  // People.
  std::size_t n_people() const { return people_.size(); }
  bool is_unplaced(std::size_t person) const { return unplaced_[person]; }
  const stats::PersonReadings& readings(std::size_t person) const { return people_.readings(person); }
  bool is_allowed(std::size_t m, std::size_t person) const { return people_.is_allowed(m, person); }
  double factor_of(std::size_t m, std::size_t person) const { return people_.factor_of(m, person); }

  /// log10 LR, with who is found; NaN where the pair is forbidden.
  double ratio(std::size_t m, std::size_t person) const { return ratios_[m][person]; }
  const std::vector<double>& ratios(std::size_t m) const { return ratios_[m]; }
  /// [asked][person], the lowest of all populations. \param asked  at most PeopleFound::kTogether
  std::vector<std::vector<double>> ratios_of(std::span<const AskedMember> asked) const {
    return people_.ratios_of(asked);
  }
  /// Unplaced people whose ratio is above `cut`, ascending; of one missing member, or of each.
  std::vector<std::size_t> candidates_of(std::size_t m, double cut) const;
  Candidates candidates_of(const std::vector<std::size_t>& missing, double cut) const;
  /// Those who could be the missing member as well, ascending. \param above  of those with a ratio above it
  std::vector<std::size_t> rivals_of(std::size_t m, double above) const;
  /// Whether every ratio of the missing member is 1.
  bool says_nothing(std::size_t m) const;
  /// What the ratio of the missing member's own remains would be before anybody was found.
  stats::ExpectedRatio expected_at_first(const Missing& missing, std::size_t person) const;

  /// Places a person; the remains type the family from then on. The family's ratios are then to be updated.
  void place(std::size_t m, std::size_t person);
  /// Makes the ratios of these missing members with everybody anew.
  void update_ratios(const std::vector<std::size_t>& of);

 private:
  EventInput input_;
  std::size_t threads_;
  std::vector<stats::FamilyLikelihood> at_first_,
      likelihoods_;  ///< of the families; the latter with who is found
  EventPeople people_;
  std::vector<bool> unplaced_;               ///< the people
  std::vector<std::size_t> left_;            ///< the missing members who are not found
  std::vector<std::vector<double>> ratios_;  ///< [missing][person], with who is found
  Findings findings_;
};

}  // namespace fastid::dvi
