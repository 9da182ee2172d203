#include "import/match/variants_only.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/match/chance.hpp"

namespace fastid::imports {
namespace {

constexpr double kBeyondChance = -6;  ///< log10
constexpr double kMostRare = 0.5;     ///< the highest frequency of a rarer allele

/// The mean of (1 - q)^2k over all calls, with the frequencies of one population.
template <class Frequency>
double expected_share(std::span<const ReferenceTally> tallies, unsigned people, const Frequency& minor_freq) {
  double expected = 0, called = 0;
  for (std::size_t s = 0; s < tallies.size(); ++s) {
    if (tallies[s].called == 0) continue;
    expected += tallies[s].called * std::pow(1 - minor_freq(s), 2 * people);
    called += tallies[s].called;
  }
  return expected / called;
}

double least_expected_share(const Panel& panel, std::span<const ReferenceTally> tallies, unsigned people) {
  if (panel.populations().empty())
    return expected_share(tallies, people, [](std::size_t) { return kMostRare; });
  double least = 1;
  for (const Population& population : panel.populations())
    least = std::min(
        least, expected_share(tallies, people, [&](std::size_t s) { return population.minor_freq[s]; }));
  return least;
}

}  // namespace

void refuse_variants_only(const Panel& panel, std::span<const ReferenceTally> tallies, unsigned people,
                          const std::string& file) {
  std::uint64_t sites = 0, called = 0, major = 0;
  for (const ReferenceTally& tally : tallies) {
    sites += tally.called > 0;
    called += tally.called;
    major += tally.major;
  }
  if (sites == 0) return;
  const double share = static_cast<double>(major) / static_cast<double>(called);
  const double expected = least_expected_share(panel, tallies, people);
  if (log10_chance(share, sites, expected / 2) > kBeyondChance) return;
  throw InputError(file, "",
                   fmt::format("holds variants only, or little else: {} of {} calls ({:.1f} %) are "
                               "homozygous reference, where the "
                               "panel's frequencies let expect {:.1f} %",
                               with_commas(major), with_commas(called), 100 * share, 100 * expected),
                   "give a gVCF, or call the panel's sites too; --absent-as-reference takes what the file "
                   "leaves out for reference");
}

}  // namespace fastid::imports
