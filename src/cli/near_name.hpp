/// \file
/// What somebody who misspelt a name may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastid::cli {

/// "; did you mean 'build'?", where a name is near enough to have been meant, else "".
std::string meant(std::string_view said, const std::vector<std::string>& names);

}  // namespace fastid::cli
