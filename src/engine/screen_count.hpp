/// \file
/// The chain of two states of linked/screen.hpp in single precision, as it is computed: its constants, and
/// its definition for one pair. Each pair's arithmetic is its own, in one order on every processor.
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
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {

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

  std::uint32_t bit() const { return even + odd; }
};

/// Sites of one word that follow each other along the map, after which figures are brought back near 1.
struct ScreenGroup {
  std::size_t word = 0;                ///< of a profile
  std::size_t first = 0, n_sites = 0;  ///< among the steps
  float norm = 1;                      ///< the product of the sites' a
  float one = 1;                       ///< c of the last site
};

inline constexpr std::size_t kMostSitesOfGroup = 16;  ///< that devices have room for

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

/// Of a query at each site, by Seen of the profile.
using QueryEmissions = std::vector<const float*>;

/// Of a query by what its row has at the table's sites.
QueryEmissions emissions_of(const ScreenTable& table, const RowView& row);

/// The definition, in the order of operations that every engine has.
ScreenState plain_end(const ScreenTable& table, std::span<const float* const> emissions,
                      const BlocksView& view, std::uint64_t profile);

/// Of some sites those that the profile has called.
std::uint32_t compared_sites(std::span<const Word> sites, const BlocksView& view, std::uint64_t profile);

/// The definition of a ScreenCount whose queries go by their rows.
PairCounts screen_pair(std::span<const ScreenTable* const> tables, const RowView& query,
                       const BlocksView& view, std::uint64_t profile);

/// A count by chains that devices know: the lowest ratio of all tables, denominator 1, and the sites that
/// both have called.
class ScreenCount : public CustomCount {
 public:
  /// Of each population, at least one, with one site at least.
  virtual std::vector<const ScreenTable*> tables() const = 0;
  /// Whether all of the problem's queries go by their rows.
  virtual bool by_rows() const { return true; }
  /// How many times as fast as by the chains of all pairs the CPU engine is.
  virtual double cpu_gain() const { return 1; }
};

/// The count of chains that a problem asks for; null: another one.
const ScreenCount* screen_of(const Problem& problem);

}  // namespace fastid::engine
