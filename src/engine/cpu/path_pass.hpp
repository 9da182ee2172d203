/// \file
/// Likeliest paths (engine/path_score.hpp) of many profiles side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/path_score.hpp"

namespace fastid {

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

using PathPass = void (*)(const PathTable&, std::span<const PathScores>, const std::uint8_t*, std::size_t,
                          std::uint8_t*);
/// path_pass() with an instruction set, for tests; null where this CPU lacks it. Not thread-safe.
PathPass path_pass_of(const std::string& target);

}  // namespace fastid
