/// \file
/// The table of scores for the likeliest path of the chain of two states (internal/screen_pass.hpp), in whole
/// numbers of 8 bits (engine/path_score.hpp).
///
/// With d = log(P(one allele identical by descent) / P(none)), each of the likeliest path, and p(i, j) =
/// P(from i to j alleles), the bounds of a step are
///
///   most  = log(p(0, 0) / p(1, 0))
///   least = log(p(0, 1) / p(1, 1))
///
/// and the path's ratio is 10^(score / kPathScale) times that of the path without a stretch. The ends of a
/// stretch are uncertain. So that the path stands for all paths that differ only there, its ends are made
/// kPathEnds times as probable.
///
/// That holds where sites are dense. Where few are compared, the many paths that differ between them add up
/// to far more than the likeliest one, which pays for every step of the map: with nothing called the chain's
/// ratio is 1, while the likeliest path's is the probability of no stretch. So a pair's bound falls with the
/// sites that it lacks, by three times their share of that probability's log, and a pair that lacks more than
/// most_missing is not tested.
#pragma once

#include <cstdint>
#include <span>

#include "engine/path_score.hpp"
#include "linked/internal/screen_pass.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

inline constexpr int kPathScale = 16;  ///< score units for a power of ten
inline constexpr double kPathEnds = 6;

/// \param table, places  screen_table() of the model and its places \param units  the path units, with all of
/// the places \param min_log10  the chain's ratio that pairs must reach
engine::PathTable path_table(const engine::ScreenTable& table, const LinkedModel& model,
                             std::span<const std::uint32_t> places, std::span<const engine::PathUnit> units,
                             double min_log10);

}  // namespace fastid::linked
