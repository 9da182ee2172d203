/// \file
/// The plan of a simulated disaster, drawn from the seed: families, bodies, and which samples there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/internal/kindred.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// A person of a plan: a member of a kindred.
struct PlannedPerson {
  std::size_t kindred = 0, member = 0;

  friend bool operator==(const PlannedPerson&, const PlannedPerson&) = default;
};

/// A sample of remains.
struct PlannedRemains {
  PlannedPerson of;
  double called = 1;       ///< share of the sites that can be read
  bool sex_known = false;  ///< the database states it
};

/// A sample of a typed member.
struct PlannedSample {
  PlannedPerson named, of;  ///< the person whose name it has, and the person it is from
};

struct DisasterPlan {
  std::vector<Kindred> kindreds;           ///< the families; then one for each stranger
  std::size_t n_families = 0;              ///< the first n_families kindreds are families
  std::vector<std::uint32_t> populations;  ///< population of each kindred
  std::vector<PlannedRemains> remains;     ///< in the order of the database
  std::vector<PlannedSample> samples;      ///< in the order of the families

  /// \param options  with a disaster that check_disaster() accepts
  explicit DisasterPlan(const SimulateOptions& options);

  bool is_stranger(const PlannedPerson& person) const { return person.kindred >= n_families; }
  const Kin& kin(const PlannedPerson& person) const {
    return kindreds[person.kindred].members[person.member];
  }
  std::string family_name(std::size_t kindred) const;
  /// "F01-child", "X003".
  std::string name(const PlannedPerson& person) const;
};

/// \throws UsageError where more families are to be wrong than there are
void check_disaster(const PlantedDisaster& disaster);

/// The name of a sample of remains.
std::string remains_id(std::size_t row);

}  // namespace fastid::simulate
