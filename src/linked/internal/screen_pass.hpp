/// \file
/// The pass along the sites of a chain of two states (engine/screen_count.hpp) for many profiles side by
/// side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bits/blocks.hpp"
#include "engine/screen_count.hpp"

namespace fastid::linked {

/// Neighbouring lanes of a view, half of a block, whose profiles are compared with one query.
inline constexpr std::size_t kScreenSlot = fastid::kLanes / 2;

/// Passes along all sites with each profile of a view of Encoding::kAlleles. \param emissions  of each slot's
/// query, four at each site of the table, by Seen of the profile \param counts  32 for each block; counts of
/// unused lanes have no meaning
void pass_screens(const engine::ScreenTable& table, const float* const* const* emissions,
                  const BlocksView& view, std::uint32_t* counts);
/// pass_screens() with one query for all slots.
void pass_screen(const engine::ScreenTable& table, const float* const* emissions, const BlocksView& view,
                 std::uint32_t* counts);

}  // namespace fastid::linked
