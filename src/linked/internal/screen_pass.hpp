/// \file
/// The chain of two states of linked/screen.hpp in single precision, as it is computed: its constants, and
/// the pass along the sites for many profiles side by side. Each profile's arithmetic is its own, in one
/// order on every processor.
///
/// With t = P(the state stays as it is), k = kScreenShare and a = 1 - (1 - t) k, a step from site to site is
///
///   none' / a = none + b one                  b = (1 - t) (1 - k) / a
///   one' / a  = (c none + g one) emission     c = (1 - t) k / a,  g = (t + (1 - t) k) / a
///
/// and with one = c u, where c is that of the site, five operations are left:
///
///   none <- none + (b c_before) u,    u <- (none + (g c_before / c) u) emission
///
/// The factors a come back once for a group of sites, when both are divided by a power of 2.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid::linked {

/// A chain with one allele identical by descent or none that stands for relatives of any degree: one with the
/// share kScreenShare at first, and left with kScreenRate changes a Morgan, so that r crossovers a meiosis
/// keep it with (1 - 2 r)^(kScreenRate / 2).
inline constexpr float kScreenShare = 1.F / 16;
inline constexpr double kScreenRate = 6;

struct ScreenStep {
  float from_one = 0;      ///< b c_before
  float stays = 0;         ///< g c_before / c
  std::uint32_t odd = 0;   ///< whether the site's bit in its word has an odd number
  std::uint32_t even = 0;  ///< the number, less that
};

/// Sites of one word that follow each other along the map, after which figures are brought back near 1.
struct ScreenGroup {
  std::size_t word = 0;                ///< of a profile
  std::size_t first = 0, n_sites = 0;  ///< among the steps
  float norm = 1;                      ///< the product of the sites' a
  float one = 1;                       ///< c of the last site
};

struct ScreenTable {
  std::vector<ScreenStep> steps;  ///< of each site
  /// [site][Seen of the query][Seen of the profile]: how much more probable that is if they share an allele.
  std::vector<std::array<std::array<float, 4>, 4>> emissions;
  std::vector<ScreenGroup> groups;
};

/// Where a chain has come to: none + one c is how probable all that was seen is, against unrelated people,
/// over 2^exponent.
struct ScreenState {
  float none = 1 - kScreenShare, one = kScreenShare;
  std::int32_t exponent = 0;
};

/// The ratio of a chain's end as a count that falls as the ratio rises: a fixed point of 12 bits, which are
/// those of the ratio's mantissa, and so a straight line from one power of 2 to the next. In [0, 2^31).
inline constexpr int kScreenBits = 12, kMostScreenExponent = (1 << 18) - 1, kMantissaBits = 23;
inline constexpr std::uint32_t kScreenOfOne = std::uint32_t{1} << 30;  ///< the count of a ratio of 1
std::uint32_t screen_count(const ScreenState& end, float one);

/// Neighbouring lanes of a view, half of a block, whose profiles are compared with one query.
inline constexpr std::size_t kScreenSlot = kLanes / 2;

/// Passes along all sites with each profile of a view of Encoding::kAlleles. \param emissions  of each slot's
/// query, four at each site of the table, by Seen of the profile \param counts  32 for each block; those of
/// unused lanes have no meaning
void pass_screens(const ScreenTable& table, const float* const* const* emissions, const BlocksView& view,
                  std::uint32_t* counts);
/// The same with one query.
void pass_screen(const ScreenTable& table, const float* const* emissions, const BlocksView& view,
                 std::uint32_t* counts);

using ScreenPass = void (*)(const ScreenTable&, const float* const* const*, const BlocksView&,
                            std::uint32_t*);
/// pass_screens() with an instruction set, for tests; null where this CPU lacks it. Not thread-safe.
ScreenPass screen_pass_of(const std::string& target);

}  // namespace fastid::linked
