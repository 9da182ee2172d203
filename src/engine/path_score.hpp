/// \file
/// The likeliest path of a pair through a chain of two states along the sites, in whole numbers of 8 bits:
/// one allele identical by descent, or none. It costs a tenth of what the chain does, and leaves few of all
/// pairs for it; what the numbers stand for is in linked/internal/path_table.hpp.
///
/// A step has four neighbouring sites. With the ratio of the likeliest path that has an allele identical
/// there to the likeliest one that has none, a step is
///
///   score += max(0, ratio - most)                  a stretch has ended
///   ratio = clamp(ratio, least, most)              or begins
///   ratio += score of two sites, then of the other two; saturated to 8 bits
///
/// and the score, at most 255, is what the path with its stretches gains over the path without one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/internal/coded_word.hpp"

namespace fastid::engine {

/// Eight sites of a profile's word: two steps, and four scores, each of two sites.
struct PathUnit {
  std::size_t word = 0;
  std::uint32_t byte = 0;
};
inline constexpr std::size_t kUnitSites = 8, kUnitScores = kByteCodes, kStepScores = 2;

using PathScores = std::array<std::int8_t, kPairCodes>;  ///< by the profile's code

/// Of one population.
struct PathTable {
  /// The same byte four times.
  struct Bounds {
    std::uint32_t least = 0x81818181, most = 0x7f7f7f7f;  // of -127 and 127: no move
  };
  std::vector<Bounds> bounds;                              ///< of each step
  std::vector<std::array<PathScores, kPairCodes>> scores;  ///< [of two sites][code of the query]
  std::uint8_t least_score = 0;                            ///< of a pair that passes, if all sites are called
  std::uint32_t of_missing = 0;    ///< by so much each site less lowers it, in 1/65,536
  std::uint32_t most_missing = 0;  ///< a pair passes if more of its sites are missing

  /// \param missing  sites that are not called in the one, and those in the other
  bool passes(std::uint8_t score, std::uint32_t missing) const {
    return score >= least_score || missing > most_missing ||
           (std::uint64_t{score} << 16) + std::uint64_t{of_missing} * missing >= std::uint64_t{least_score}
                                                                                     << 16;
  }
};

/// Those that hold at least one of some places in profiles, ascending.
std::vector<PathUnit> path_units(std::span<const std::uint32_t> places);

/// What a row has at each two sites.
std::vector<std::uint8_t> path_codes(std::span<const PathUnit> units, const RowView& row);

/// Of a query at each two sites. \param codes  path_codes() of it
std::vector<PathScores> path_scores(const PathTable& table, std::span<const std::uint8_t> codes);

/// The definition, of one profile.
std::uint8_t plain_path_score(const PathTable& table, std::span<const PathUnit> units,
                              std::span<const PathScores> query, const BlocksView& view,
                              std::uint64_t profile);

}  // namespace fastid::engine
