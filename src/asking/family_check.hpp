/// \file
/// Says which members do not fit their family: whose relation is not what the file says, or whose sample is
/// somebody else's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stats/pedigree.hpp"
#include "stats/population_model.hpp"

namespace fastid {

/// Warns where what was read of a member is ten times as probable of somebody unrelated.
/// \param family  "" where a file holds one family \param log10_ratio
/// stats::FamilyLikelihood::consistency() of the member
void warn_of_misfit(std::string_view family, std::string_view member,
                    const std::optional<double>& log10_ratio);

/// The same of each typed member. \param models  none: nothing is said \throws InputError
void warn_of_misfits(std::span<const stats::PopulationModel> models, std::span<const stats::Member> members,
                     const std::string& source);

}  // namespace fastid
