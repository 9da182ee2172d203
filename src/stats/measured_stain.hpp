/// \file
/// The reads of a stain's alleles, as the model of reads takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bits/allele_signal.hpp"
#include "stats/internal/read_counts.hpp"
#include "stats/internal/signal.hpp"

namespace fastid::stats {

struct MeasuredStain {
  std::vector<AlleleReads> reads;  ///< [site]; none where nothing is left above the threshold
  std::uint32_t threshold = 1;     ///< fewer reads of an allele stand as 0
  double median = 0;               ///< of the reads of sites that have some
};

/// Whether all numbers are whole and small enough to be of reads, and some are not 0.
bool holds_reads(const SampleSignal& signal);

/// \param signal  holds_reads() \param threshold  no value: 10 where the median depth is above 200, else 1
MeasuredStain measured_stain(const SampleSignal& signal, std::optional<std::uint32_t> threshold);

/// What the models take of some sites, which have reads.
std::unique_ptr<Signals> signals_at(const MeasuredStain& stain, std::span<const std::size_t> sites);

/// The least share of a contributor that can be told from none: 1 %, or what hides an allele of a
/// heterozygote below the threshold at half of the sites.
double least_share(const MeasuredStain& stain);

}  // namespace fastid::stats
