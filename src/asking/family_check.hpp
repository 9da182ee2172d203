/// \file
/// Says which members do not fit their family: whose relation is not what the file says, or whose sample is
/// somebody else's.
#pragma once

#include <optional>
#include <string_view>

namespace fastid::asking {

/// Warns where what was read of a member is ten times as probable of somebody unrelated.
/// \param family  "" where a file holds one family \param log10_ratio
/// of "the member is the family's" against "somebody unrelated"
void warn_of_misfit(std::string_view family, std::string_view member,
                    const std::optional<double>& log10_ratio);

}  // namespace fastid::asking
