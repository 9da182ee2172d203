#include "stats/measured_stain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.hpp"
#include "stats/internal/peak_heights.hpp"

namespace fastid::stats {

bool holds_reads(const SampleSignal& signal) {
  constexpr double kMost = 1e9;
  const auto whole = [](double number) { return number <= kMost && number == std::floor(number); };
  return std::ranges::all_of(signal,
                             [&](const AlleleSignal& at) { return whole(at.major) && whole(at.minor); }) &&
         std::ranges::any_of(signal, [](const AlleleSignal& at) { return at.total() > 0; });
}

MeasuredStain measured_stain(const SampleSignal& signal, std::optional<std::uint32_t> threshold,
                             std::span<const SiteRead> few) {
  constexpr double kDeep = 200;
  constexpr std::uint32_t kOfDeep = 10;
  std::vector<double> depths;
  for (const AlleleSignal& at : signal)
    if (at.total() > 0) depths.push_back(at.total());
  MeasuredStain stain{.reads = std::vector<AlleleReads>(signal.size()),
                      .median = depths.empty() ? 0 : median(depths)};
  stain.threshold = std::max(threshold.value_or(stain.median > kDeep ? kOfDeep : 1), std::uint32_t{1});
  const auto kept = [&](double number) {
    return number < stain.threshold ? 0 : static_cast<std::uint32_t>(number);
  };
  for (std::size_t site = 0; site < signal.size(); ++site)
    stain.reads[site] = {.minor = kept(signal[site].minor), .major = kept(signal[site].major)};
  if (stain.threshold == 1) stain.few.assign(few.begin(), few.end());
  return stain;
}

bool MeasuredStain::shows_peak(std::size_t site, double AlleleSignal::*allele) const {
  return std::ranges::any_of(heights, [&](const SampleSignal& replicate) {
    return replicate[site].*allele >= static_cast<double>(threshold);
  });
}

std::uint32_t MeasuredStain::sites_read_by_read(const RowView& shown) const {
  std::uint32_t sites = 0;
  for (std::size_t r = 0; r < few.size(); ++r) {
    const std::uint32_t site = few[r].site;
    const bool first = r == 0 || few[r - 1].site != site;
    sites += first && (shown.called[site / kWordBits] >> site % kWordBits & 1) != 0;
  }
  return sites;
}

MeasuredStain measured_peaks(std::vector<SampleSignal> replicates, std::optional<std::uint32_t> threshold,
                             double drop_in) {
  constexpr std::uint32_t kUsual = 50;
  std::vector<double> heights;
  for (const SampleSignal& replicate : replicates)
    for (const AlleleSignal& at : replicate)
      if (at.total() > 0) heights.push_back(at.total());
  return {.reads = {},
          .threshold = threshold.value_or(kUsual),
          .median = heights.empty() ? 0 : median(heights),
          .heights = std::move(replicates),
          .drop_in = drop_in};
}

std::unique_ptr<Signals> signals_at(const MeasuredStain& stain, std::span<const std::size_t> sites,
                                    std::span<const double> minor_freq) {
  if (stain.of_peaks()) {
    std::vector<SampleSignal> heights(stain.heights.size());
    std::vector<double> freq;
    for (const std::size_t site : sites) {
      freq.push_back(minor_freq[site]);
      for (std::size_t r = 0; r < heights.size(); ++r) heights[r].push_back(stain.heights[r][site]);
    }
    return std::make_unique<PeakHeights>(
        std::move(heights), std::move(freq),
        PeakRule{.threshold = static_cast<double>(stain.threshold), .drop_in = stain.drop_in});
  }
  std::vector<AlleleReads> some;
  some.reserve(sites.size());
  std::vector<std::span<const SiteRead>> few;
  for (const std::size_t site : sites) {
    some.push_back(stain.reads[site]);
    if (stain.few.empty()) continue;
    const auto here = std::ranges::equal_range(stain.few, site, {}, &SiteRead::site);
    few.emplace_back(here.begin(), here.end());
  }
  return std::make_unique<ReadCounts>(some, stain.threshold, few);
}

ExpectedShare expected_share(double minor_share, double reads, const SignalParameters& parameters) {
  const auto [concentration, error] = parameters;
  const double mean = error + (1 - 2 * error) * minor_share;
  return {mean, std::sqrt(mean * (1 - mean) / reads * (concentration + reads) / (concentration + 1))};
}

double least_share(const MeasuredStain& stain) {
  constexpr double kLeast = .01;
  if (stain.of_peaks()) return kLeast;
  return std::max(kLeast, 2. * (stain.threshold - 1) / std::max(1., stain.median));
}

}  // namespace fastid::stats
