/// \file
/// The first figures of an event: which remains are one person's, how each member fits the family, and the
/// ratios of all people with all missing members. Machines share this work by families.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "bits/shard.hpp"
#include "questions/dvi/event/findings.hpp"
#include "stats/family_likelihood.hpp"
#include "stats/person_readings.hpp"

namespace fastid::dvi {

/// The input of an event. All objects must outlive the holder.
struct EventInput {
  const stats::AlleleModel* model = nullptr;
  const std::vector<Family>* families = nullptr;
  const std::vector<Remains>* remains = nullptr;
  const Rules* rules = nullptr;
};

/// A missing member, as a place among a family's missing members.
struct AskedMember {
  const stats::FamilyLikelihood* family = nullptr;
  std::size_t missing = 0;
};

/// The families' missing members, in order, without findings.
std::vector<Missing> missing_of(const std::vector<Family>& families);

/// All people whose remains were found.
class EventPeople {
 public:
  /// \param groups  the remains of each person
  EventPeople(const EventInput& input, const std::vector<std::vector<std::size_t>>& groups);

  std::size_t size() const { return readings_.size(); }
  const std::vector<Person>& people() const { return people_; }
  const stats::PersonReadings& readings(std::size_t person) const { return readings_[person]; }

  /// log10 of the factor of other evidence; -infinity forbids. \param missing  a place among all missing
  /// members
  double factor_of(std::size_t missing, std::size_t person) const;
  /// Whether neither sexes nor other evidence forbid the pair.
  bool is_allowed(std::size_t missing, std::size_t person) const;
  /// [asked][person], the lowest of all populations. \param asked  at most PeopleFound::kTogether
  std::vector<std::vector<double>> ratios_of(std::span<const AskedMember> asked) const;
  /// Sets the ratios of a missing member to NaN for pairs that are not allowed.
  void forbid(std::size_t missing, std::vector<double>& ratios) const;

 private:
  EventInput input_;
  std::vector<Missing> missing_;
  std::vector<Person> people_;
  std::vector<stats::PersonReadings> readings_;
  std::unique_ptr<stats::PeopleFound> matrix_;
};

struct FirstFigures {
  std::vector<std::vector<std::size_t>> groups;  ///< the remains of each person, for all people
  // Figures of some neighbouring families and their missing members:
  std::vector<std::vector<std::optional<double>>> consistency;  ///< [family][member]
  std::vector<std::optional<stats::FamilyPower>> power;         ///< [missing], where asked for
  std::vector<std::vector<double>> ratios;                      ///< [missing][person]; NaN: forbidden
};

/// The missing members of some neighbouring families, as places among all.
Range missing_of(const std::vector<Family>& families, const Range& some);

/// \param likelihoods  of all families \param some  families \throws Interrupted
FirstFigures first_figures(const EventInput& input, std::span<const stats::FamilyLikelihood> likelihoods,
                           const std::vector<std::vector<std::size_t>>& groups, const Range& some, bool power,
                           std::size_t threads, ProgressMode progress);

}  // namespace fastid::dvi
