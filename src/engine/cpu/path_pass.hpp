/// \file
/// Likeliest paths (engine/path_score.hpp) of many profiles side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/path_score.hpp"

namespace fastid::engine {

inline constexpr std::size_t kPathLanes = 64;  ///< profiles that are packed together

/// Bytes of kPathLanes packed profiles.
inline std::size_t packed_path_bytes(std::size_t units) {
  return units * 2 * kPathLanes;
}

/// Packs the profiles of a view of Encoding::kAlleles as path_pass() reads them, kPathLanes together.
void pack_paths(std::span<const PathUnit> units, const BlocksView& view, std::uint8_t* packed);

/// Scores packed profiles. \param query  path_scores() \param groups  of kPathLanes profiles \param scores
/// of each lane of the groups; those of unused lanes have no meaning
void path_pass(const PathTable& table, std::span<const PathScores> query, const std::uint8_t* packed,
               std::size_t groups, std::uint8_t* scores);

}  // namespace fastid::engine
