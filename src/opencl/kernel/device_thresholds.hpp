/// \file
/// The queries' thresholds as kernels read them (kernels/thresholds.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/memory/worker_queue.hpp"

namespace fastid::opencl {

/// Lines of the threshold table, each with one word for each row; kernels/thresholds.h describes them.
enum ThresholdLine : std::size_t { kLimit, kRatio, kOffset, kOwnDenominator, kNeed, kSlack, kThresholdLines };

/// The table of the queries' thresholds, which has a row for each query.
struct ThresholdTable {
  std::uint32_t most_count = 0;  ///< of a pair
  std::uint32_t ratio_bits = 0;
  std::uint32_t most_ratio = 0;  ///< the largest fraction that RATIO can hold
  std::size_t n_rows = 0;
  std::vector<Word> words;  ///< n_rows words for each line

  Word& at(ThresholdLine line, std::size_t row) { return words[line * n_rows + row]; }
  /// Lets through all pairs that pass the threshold, and few others.
  void set(std::size_t row, const engine::Threshold& threshold);
};

/// FASTID_WIDE and RATIO_BITS (kernels/thresholds.h).
bool is_wide(const engine::Problem& problem);
std::uint32_t ratio_bits(const engine::Problem& problem);

/// Makes a table in which no pair passes before thresholds are set.
/// \param n_rows  the number of queries, padded to what a kernel takes at once
/// \param slack  of each query (thresholds.h); empty: the kernel does not use it
ThresholdTable make_threshold_table(const engine::Problem& problem, std::size_t n_rows,
                                    std::span<const std::int64_t> slack);

/// The thresholds of a worker's queries on the device. They are written through the worker's queue, in order.
class DeviceThresholds {
 public:
  /// \param table  made for the problem
  DeviceThresholds(const cl::Context& context, ThresholdTable table);

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the thresholds, one for each query, unless the device has the same already.
  void set(WorkerQueue& queue, std::span<const engine::Threshold> thresholds);

 private:
  ThresholdTable table_;                 ///< as it was sent last
  std::vector<engine::Threshold> sent_;  ///< the thresholds that the device has
  cl::Buffer buffer_;
};

}  // namespace fastid::opencl
