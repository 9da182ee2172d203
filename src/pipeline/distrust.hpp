/// \file
/// What is said of a device that was seen to be wrong.
#pragma once

#include <string_view>

namespace fastid {

inline constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

}  // namespace fastid
