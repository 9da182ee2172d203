/// \file
/// How long comparing takes on a device: compare_seconds() is the only prediction of it. model/transfer.hpp
/// predicts how long it takes to bring the tiles to the device.
///
/// Rates that were measured and put into the config are used (RATE_*, START_*). Without them the time of
/// kernels/compare.cl is estimated from the device's traits: the work of each pipe for a word of a pair, and
/// the cost of starting and testing a count. The paper's peak is the rate of the slowest pipe. Here, unlike
/// in the paper, a pipe may serve several instructions (on AMD's GPUs ADD and AND share one, on NVIDIA's the
/// popcount has its own), and full adders move work from one pipe to another. A device without any known
/// trait is taken to be as fast as the slowest GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/config.hpp"
#include "model/traits.hpp"

namespace fastid::model {

struct Workload {
  std::uint64_t queries = 0, profiles = 0;
  std::uint32_t sites = 0;
  std::uint32_t planes = 1;  ///< of the database: the bits and, where it has that plane, the called sites

  double bits() const {
    return static_cast<double>(queries) * static_cast<double>(profiles) * static_cast<double>(sites);
  }
  double words() const { return std::ceil(sites / 32.0); }  ///< of a profile and plane
  double bytes() const { return static_cast<double>(profiles) * words() * 4 * planes; }
};

/// The work of a micro-kernel, kPopcount or kMatrix.
struct KernelWork {
  MicroKernel kernel = MicroKernel::kPopcount;
  std::uint64_t profiles = 0;
  std::uint64_t rows = 0;  ///< queries, rounded up to a multiple of what the kernel takes at once
  /// Sites of each profile, rounded up as well; twice as many where the kernel computes two products.
  std::uint64_t sites = 0;
  std::uint64_t bytes = 0;  ///< bytes of a profile that the kernel reads in all its passes
};

/// The work of a kernel with one product and no masks. compare.cl takes M_C queries and 32 sites at once and
/// reads the profiles again for each M_C queries; compare_matrix.cl takes 16 queries and 256 sites at once
/// and reads the profiles once.
KernelWork kernel_work(MicroKernel kernel, const KernelConfig& config, const Workload& work);

/// Seconds that a kernel takes, without launches: the longer of comparing and, where the memory's rate is
/// known, of reading the profiles. compare_matrix.cl without a rate is predicted as compare.cl. The result is
/// above 0 where there is work.
double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const KernelWork& work);

/// Whether compare_matrix.cl is expected to take less time than compare.cl. False where the config has no
/// matrix kernel, or no rate for it; else true where it has no rate for compare.cl. With few queries both
/// kernels wait for the memory; with few sites, most of the work of a step of 256 sites is wasted.
bool matrix_is_faster(const KernelConfig& config, const DeviceTraits& device, const KernelWork& popcount,
                      const KernelWork& matrix);

/// Seconds that the faster of the config's kernels takes.
double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const Workload& work);

/// The paper's peak: bits that the device counts in a second; 0: not known.
double popcount_peak(const DeviceTraits& traits);

/// A config with the shape that the model chooses for a device and defaults for the rest. The model uses the
/// paper's equations where they fit compare.cl, and full adders where they are faster by the pipes' rates.
KernelConfig model_shape(const DeviceTraits& traits, const Workload& work);

}  // namespace fastid::model
