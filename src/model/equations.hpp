/// \file
/// The paper's way from a device to a kernel's shape, its equations (4) to (7), as pure functions.
///
/// Source: E. Binder, T. M. Low, D. T. Popovici, "A Portable GPU Framework for SNP Comparisons", 2019, Tables
/// I and II. Its text gives m_c for each cluster of a compute unit, its Table II the total over the clusters.
/// Both are here; (7) needs the first.
#pragma once

#include <cstdint>

#include "model/traits.hpp"

namespace fastid::model {

struct PaperShape {
  std::uint32_t m_r = 0;          ///< (4) queries of a work-item: the words that it loads at once
  std::uint32_t m_c_cluster = 0;  ///< (5) as the text has it: N_b / N_cl
  std::uint32_t m_c = 0;          ///< (5) as Table II has it: over all clusters, N_b
  std::uint32_t k_c = 0;          ///< (6) 32-bit words, without the local memory that the driver reserves
  std::uint32_t n_r_least = 0;    ///< (7) fewer profiles do not hide the popcount's latency
  /// More would spill: counts may take half of the registers, the other half is for words and addresses. A
  /// work-item's own limit (255 or 256 registers) binds only where work-groups are small.
  std::uint32_t n_r_most = 0;
};

/// Needs load_words, banks, clusters, local_bytes, thread_group, popcount_latency and registers; a result is
/// 0 where a number that it needs is not known.
PaperShape paper_shape(const DeviceTraits& traits);

}  // namespace fastid::model
