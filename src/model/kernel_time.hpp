/// \file
/// How long comparing takes on a device: compare_seconds(), the one prediction that everybody uses. Bringing
/// the tiles there is model/transfer.hpp's.
///
/// What a config's author has measured is believed (RATE_*, START_*). Without it a kernel takes what
/// kernels/compare.cl does by the device's traits: what each pipe has to do for a word of a pair, and what
/// starting and testing a count takes. The paper's peak is that of the slowest pipe. Here a pipe may serve
/// several instructions (on AMD's GPUs ADD and AND share one, on NVIDIA's the popcount has its own), and full
/// adders move work from one pipe to another. A device of which nothing is known is taken for the least that
/// any GPU is.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/config.hpp"
#include "model/traits.hpp"

namespace fastid::model {

struct Workload {
  std::uint64_t queries = 0, profiles = 0;
  std::uint32_t sites = 0;
  std::uint32_t planes = 1;  ///< of the database: bits, and where it has them called sites

  double bits() const {
    return static_cast<double>(queries) * static_cast<double>(profiles) * static_cast<double>(sites);
  }
  double words() const { return std::ceil(sites / 32.0); }  ///< of a profile and plane
  double bytes() const { return static_cast<double>(profiles) * words() * 4 * planes; }
};

/// What a micro-kernel, kPopcount or kMatrix, does for each stored profile.
struct KernelWork {
  MicroKernel kernel = MicroKernel::kPopcount;
  std::uint64_t profiles = 0;
  std::uint64_t rows = 0;   ///< queries, filled up to what it takes at once
  std::uint64_t sites = 0;  ///< of each, filled up as well; twice as many where it makes two products
  std::uint64_t bytes = 0;  ///< that it reads of a profile, in all its passes
};

/// The work of a kernel with one product and no masks: compare.cl takes M_C queries and 32 sites at once and
/// reads the profiles for each M_C anew, compare_matrix.cl 16 queries and 256 sites, and reads them once.
KernelWork kernel_work(MicroKernel kernel, const KernelConfig& config, const Workload& work);

/// Seconds that a kernel takes to compare, launches apart: the longer of comparing and of reading the
/// profiles, the latter where the memory's rate is known. compare_matrix.cl without a rate is taken for
/// compare.cl. More than 0 where there is work.
double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const KernelWork& work);

/// Whether compare_matrix.cl is expected to take less time than compare.cl. Never where the config has no
/// matrix kernel, or no rate for it; always where it has a rate for that one alone. With few queries both
/// wait for the memory; with few sites a step of 256 of them wastes most of its work.
bool matrix_is_faster(const KernelConfig& config, const DeviceTraits& device, const KernelWork& popcount,
                      const KernelWork& matrix);

/// Seconds by the faster one of the config's kernels.
double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const Workload& work);

/// Bits that the device counts in a second; 0: not known. The paper's peak.
double popcount_peak(const DeviceTraits& traits);

/// The shape that the model makes for a device, the rest of the config as it is by default: the paper's
/// equations where they fit compare.cl, and full adders where the pipes' rates say that they gain.
KernelConfig model_shape(const DeviceTraits& traits, const Workload& work);

}  // namespace fastid::model
