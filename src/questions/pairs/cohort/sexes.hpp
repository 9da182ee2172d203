/// \file
/// The sexes that a pedigree states, compared with the sexes of the profiles.
#pragma once

#include <cstdint>
#include <vector>

#include "panel/site_class.hpp"
#include "questions/pairs/cohort.hpp"
#include "questions/pairs/cohort/roster.hpp"
#include "questions/pairs/cohort/statements.hpp"

namespace fastid::pairs {

struct OtherSex {
  Node node = 0;
  Sex stated = Sex::kUndecided, found = Sex::kUndecided;
};

struct CheckedSexes {
  std::uint64_t n_checked = 0;         ///< profiles with a stated sex that are male or female by X and Y
  std::vector<OtherSex> contradicted;  ///< the checked profiles that have the other sex, in order
};

/// A profile whose sex is undecided contradicts nothing. \throws what `sexes` throws
CheckedSexes check_sexes(const Statements& statements, const Roster& roster, const SexesOfRows& sexes);

}  // namespace fastid::pairs
