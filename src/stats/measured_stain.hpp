/// \file
/// The reads of a stain's alleles, or the heights of their peaks, as read_counts.hpp and peak_heights.hpp
/// take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bits/allele_signal.hpp"
#include "bits/rows.hpp"
#include "stats/internal/read_counts.hpp"
#include "stats/internal/signal.hpp"

namespace fastid::stats {

struct MeasuredStain {
  std::vector<AlleleReads> reads;  ///< [site]; none where nothing is left above the threshold
  std::uint32_t threshold = 1;     ///< fewer reads of an allele stand as 0
  double median = 0;               ///< of the reads (heights) of sites that have some
  /// Each read of the sites with few reads, by site; empty where the file does not list single reads.
  std::vector<SiteRead> few = {};
  /// The heights of each replicate; empty where the stain has reads instead of peaks.
  std::vector<SampleSignal> heights = {};
  double drop_in = .005;  ///< of peaks

  bool of_peaks() const { return !heights.empty(); }
  /// How many of the called sites of `shown` are weighed read by read.
  std::uint32_t sites_read_by_read(const RowView& shown) const;
  /// Whether a peak of the allele is as high as the threshold in any replicate.
  bool shows_peak(std::size_t site, double AlleleSignal::*allele) const;
};

/// Whether all numbers are whole and small enough to be of reads, and some are not 0.
bool holds_reads(const SampleSignal& signal);

/// \param signal  holds_reads() \param threshold  no value: 10 where the median depth is above 200, else 1
/// \param few  as MeasuredStain::few; not taken where there is a threshold
MeasuredStain measured_stain(const SampleSignal& signal, std::optional<std::uint32_t> threshold,
                             std::span<const SiteRead> few = {});

/// A stain of peaks. \param threshold  no value: 50
MeasuredStain measured_peaks(std::vector<SampleSignal> replicates, std::optional<std::uint32_t> threshold,
                             double drop_in);

/// The Signals of some sites, all of which have reads or heights. \param minor_freq  of all sites
std::unique_ptr<Signals> signals_at(const MeasuredStain& stain, std::span<const std::size_t> sites,
                                    std::span<const double> minor_freq);

/// What is expected of the share of minor reads at a site.
struct ExpectedShare {
  double mean = 0, sd = 0;
};

/// The expected share at a site with so many reads, if `minor_share` of the copies are minor alleles.
/// \param reads  at least 1
/// \param parameters  concentration and error of reads
ExpectedShare expected_share(double minor_share, double reads, const SignalParameters& parameters);

/// The least share of a contributor that can be told from none: 1 %, or what hides an allele of a
/// heterozygote below the threshold at half of the sites.
double least_share(const MeasuredStain& stain);

}  // namespace fastid::stats
