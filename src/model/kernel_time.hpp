/// \file
/// How long kernels/compare.cl takes on a device, from its traits: what each pipe has to do for a word of a
/// pair, what starting and testing a count takes, and what the memory must bring.
///
/// The paper's peak is that of the slowest pipe. Here a pipe may serve several instructions (on AMD's GPUs
/// ADD and AND share one, on NVIDIA's the popcount has its own), and full adders move work from one pipe to
/// another.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/traits.hpp"

namespace fastid::model {

/// The shape of the kernel: the numbers of a config that it is compiled with, under a config's names.
struct KernelShape {
  std::uint32_t m_c = 0, k_c = 0, m_r = 0, n_r = 0, n_vec = 0;
  std::uint32_t group_rows = 0, group_columns = 0;
  std::uint32_t carry_levels = 0, popcount = 1;

  std::uint32_t group_items() const { return group_rows * group_columns; }
  std::uint32_t columns() const { return group_columns == 0 ? 0 : n_r / group_columns; }
};

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

/// What one pair costs a compute unit, in clocks of each pipe: for each word, and besides for each pair.
struct PairCost {
  double logic = 0, popcount = 0, loads = 0, issue = 0;
  /// All of them beside each other.
  double clocks() const;
  std::string_view bound() const;  ///< "logic", "popcount", "loads", "issue"
};
PairCost word_cost(const DeviceTraits& traits, const KernelShape& shape);
PairCost fixed_cost(const DeviceTraits& traits, const KernelShape& shape);

struct KernelEstimate {
  double seconds = 0;  ///< 0: too little is known of the device
  double compute_seconds = 0, memory_seconds = 0;
  std::string bound;  ///< "logic", "popcount", "loads", "issue", "memory", "launch"
};
KernelEstimate predict_kernel(const DeviceTraits& traits, const KernelShape& shape, const Workload& work);

/// Bits that the device counts in a second; 0: not known. The paper's peak.
double popcount_peak(const DeviceTraits& traits);

/// The shape that the model makes for a device: the paper's equations where they fit this kernel, and full
/// adders where the pipes' rates say that they gain.
KernelShape model_shape(const DeviceTraits& traits, const Workload& work);

}  // namespace fastid::model
