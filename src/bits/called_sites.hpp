/// \file
/// The called sites of 32 profiles at once.
#pragma once

#include <array>
#include <cstdint>

#include "bits/blocks.hpp"

namespace fastid {

/// The numbers of called sites of a block's profiles; 0 in lanes that no profile has.
std::array<std::uint32_t, kLanes> called_in_block(const BlocksView& blocks, std::uint64_t block);

}  // namespace fastid
