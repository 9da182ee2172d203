/// \file
/// Identifies this program, for bug reports and court reports.
#pragma once

#include <string_view>

namespace fastid {

/// "0.1.0", from CMakeLists.txt.
std::string_view version();

/// Git revision of the source, with "-dirty" where files were changed; "unknown" outside a checkout.
std::string_view revision();

/// "GNU 12.2.0, RelWithDebInfo".
std::string_view compiler();

}  // namespace fastid
