/// \file
/// The queries' thresholds as kernels read them (kernels/thresholds.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/worker/worker_queue.hpp"

namespace fastid {

/// Lines of the thresholds' table, each one word for a row; as thresholds.h names them.
enum ThresholdLine : std::size_t {
  kLimit,
  kMaxCount,
  kNum,
  kDen,
  kRatio,
  kOwnDenominator,
  kNeed,
  kSlack,
  kThresholdLines
};

/// The thresholds' table before thresholds are set.
struct ThresholdTable {
  std::uint32_t n_sites = 0;
  std::size_t n_rows = 0;
  std::vector<Word> words;  ///< n_rows for each line
};

/// \param n_rows  the problem's queries, and as many more as a kernel takes at once, which nothing passes
/// \param slack  of each query (thresholds.h); empty: the kernel needs none
ThresholdTable make_threshold_table(const Problem& problem, std::size_t n_rows,
                                    std::span<const std::int64_t> slack);

/// The thresholds of a worker's queries. What is done to them goes through the worker's queue, in order.
class DeviceThresholds {
 public:
  /// \param table  made for the problem
  DeviceThresholds(const cl::Context& context, ThresholdTable table);

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the thresholds, unless they are those that the device has. One for each query.
  void set(WorkerQueue& queue, std::span<const Threshold> thresholds);

 private:
  void set_row(std::size_t row, const Threshold& threshold);
  Word& at(ThresholdLine line, std::size_t row) { return table_.words[line * table_.n_rows + row]; }

  ThresholdTable table_;         ///< as it was sent
  std::vector<Threshold> sent_;  ///< that the device has
  cl::Buffer buffer_;
};

}  // namespace fastid
