/// \file
/// The likeliest path of the chain of two states (internal/screen_pass.hpp) in whole numbers of 8 bits: a
/// test that leaves few of all pairs for the chain, in a tenth of its time.
///
/// A step has four neighbouring sites. With d = log(P(one allele identical by descent) / P(none)), each of
/// the likeliest path, and p(i, j) = P(from i to j alleles), a step is
///
///   score += max(0, d - most)                      most  = log(p(0, 0) / p(1, 0)):  a stretch has ended
///   d = clamp(d, least, most) + score_of_sites     least = log(p(0, 1) / p(1, 1)):  or begins
///
/// and the path's ratio is 10^(score / kPathScale) times that of the path without a stretch. Where a stretch
/// begins and ends is uncertain: so that the path stands for all that differ in it, its ends are made
/// kPathEnds times as probable.
///
/// That holds where sites are dense. Where few are compared, the many paths that differ between them add up
/// to far more than the likeliest one, which pays for every step of the map: with nothing called the chain's
/// ratio is 1, and this path's the price of no stretch. So a pair's bound falls with the sites that it lacks,
/// by three times their share of that price, and a pair that lacks more than most_missing is not tested.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "linked/internal/screen_pass.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

inline constexpr int kPathScale = 16;  ///< to a power of ten
inline constexpr double kPathEnds = 6;
inline constexpr std::size_t kPathCodes = 16;  ///< what can be seen at two sites
inline constexpr std::size_t kPathLanes = 64;  ///< profiles that are packed together

/// Eight sites of a profile's word: two steps, and four scores, each of two sites.
struct PathUnit {
  std::size_t word = 0;
  std::uint32_t byte = 0;
};
inline constexpr std::size_t kUnitSites = 8, kUnitScores = 4, kStepScores = 2;

using PathScores = std::array<std::int8_t, kPathCodes>;  ///< by the profile's code

struct PathTable {
  /// The same byte four times.
  struct Bounds {
    std::uint32_t least = 0x81818181, most = 0x7f7f7f7f;  // of -127 and 127: no move
  };
  std::vector<Bounds> bounds;                              ///< of each step
  std::vector<std::array<PathScores, kPathCodes>> scores;  ///< [of two sites][code of the query]
  std::uint8_t least_score = 0;                            ///< of a pair that passes, if all sites are called
  std::uint32_t of_missing = 0;    ///< by so much each site less lowers it, in 1/65,536
  std::uint32_t most_missing = 0;  ///< a pair that lacks more passes

  /// \param missing  sites that are not called in the one, and those in the other
  bool passes(std::uint8_t score, std::uint32_t missing) const {
    return score >= least_score || missing > most_missing ||
           (std::uint64_t{score} << 16) + std::uint64_t{of_missing} * missing >= std::uint64_t{least_score}
                                                                                     << 16;
  }
};

/// Those that hold at least one of some places in profiles, ascending.
std::vector<PathUnit> path_units(std::span<const std::uint32_t> places);

/// \param table, places  of the model, as screen_table() has them \param units  with all of the places \param
/// min_log10  the chain's ratio that pairs must reach
PathTable path_table(const ScreenTable& table, const LinkedModel& model,
                     std::span<const std::uint32_t> places, std::span<const PathUnit> units,
                     double min_log10);

/// What a row has at each two sites.
std::vector<std::uint8_t> path_codes(std::span<const PathUnit> units, const RowView& row);

/// Of a query at each two sites. \param codes  path_codes() of it
std::vector<PathScores> path_scores(const PathTable& table, std::span<const std::uint8_t> codes);

/// Bytes of kPathLanes packed profiles.
inline std::size_t packed_path_bytes(std::size_t units) {
  return units * 2 * kPathLanes;
}

/// Packs the profiles of a view of Encoding::kAlleles as path_pass() reads them, kPathLanes together.
void pack_paths(std::span<const PathUnit> units, const BlocksView& view, std::uint8_t* packed);

/// Scores packed profiles. \param query  path_scores() \param groups  of kPathLanes profiles \param scores
/// as many as profiles; those of unused lanes have no meaning
void path_pass(const PathTable& table, std::span<const PathScores> query, const std::uint8_t* packed,
               std::size_t groups, std::uint8_t* scores);

/// The definition, of one profile.
std::uint8_t plain_path_score(const PathTable& table, std::span<const PathUnit> units,
                              std::span<const PathScores> query, const BlocksView& view,
                              std::uint64_t profile);

using PathPass = void (*)(const PathTable&, std::span<const PathScores>, const std::uint8_t*, std::size_t,
                          std::uint8_t*);
/// path_pass() with an instruction set, for tests; null where this CPU lacks it. Not thread-safe.
PathPass path_pass_of(const std::string& target);

}  // namespace fastid::linked
