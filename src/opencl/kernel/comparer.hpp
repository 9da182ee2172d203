/// \file
/// What runs on a device for a worker: a kernel with a problem's queries and thresholds in the form that it
/// reads. There are two kernels, compare.cl (blocked_comparer.hpp) and compare_matrix.cl
/// (matrix_comparer.hpp), each in the shape that a config gives it. What they have in common (kernels/pair.h)
/// is here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "engine/engine.hpp"
#include "engine/rectangle.hpp"
#include "model/config.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// A worker's memory on the device. Planes have kTilePadding more words, whose contents do not matter.
/// `second` is `bits` if there is no second plane.
struct DeviceTile {
  cl::Buffer bits, second;
  cl::Buffer own_bits;  ///< a word for each profile
  FoundPairs found;
};

/// Lines of the threshold table, each with one word for each row; kernels/pair.h describes them.
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

/// FASTID_WIDE (kernels/pair.h).
bool is_wide(const engine::Problem& problem);

/// Makes a table in which no pair passes before thresholds are set.
/// \param n_rows  the number of queries, padded to what a kernel takes at once
/// \param slack  of each query (pair.h); empty: the kernel does not use it
ThresholdTable make_threshold_table(const engine::Problem& problem, std::size_t n_rows,
                                    std::span<const std::int64_t> slack);

/// The thresholds of a worker's queries on the device. They are written through the worker's queue, in order.
class DeviceThresholds {
 public:
  /// \param table  made for the problem
  DeviceThresholds(const cl::Context& context, ThresholdTable table);

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the thresholds, one for each query, unless the device has the same already.
  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds);

 private:
  ThresholdTable table_;                 ///< as it was sent last
  std::vector<engine::Threshold> sent_;  ///< the thresholds that the device has
  cl::Buffer buffer_;
};

/// The thresholds of a problem's queries for kernels of counts that a problem has of its own: limit_of()
/// each, with a denominator of 1.
class QueryLimits {
 public:
  /// \param most  the largest count of a pair
  QueryLimits(const cl::Context& context, std::size_t n_queries, std::uint32_t most);

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the limits of the thresholds, unless the device has the same already.
  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds);

 private:
  std::uint32_t most_;
  cl::Buffer buffer_;
  std::vector<cl_uint> sent_;
};

/// What a kernel reads of a problem's queries.
struct DeviceQueries {
  cl::Buffer queries;         ///< in the kernel's order, padded with rows of 0 to what it takes at once
  cl::Buffer called;          ///< their called sites, row by row, if FASTID_COMPARED (kernels/pair.h)
  ThresholdTable thresholds;  ///< with as many rows as `queries`
  bool own_bits = false;      ///< the kernel needs each profile's own bits, counted once for a tile
};

/// What finds pairs of a tile with some of a problem's queries. Used by one thread at a time. Kernels are
/// enqueued and run in the queue's order; no call waits for them. All throw cl::Error.
class PairKernel {
 public:
  virtual ~PairKernel() = default;

  /// Sends the queries' thresholds, one for each, unless the device has the same already.
  virtual void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) = 0;

  /// Appends the pairs of some rows, profiles of the tile, with some columns, queries, that may pass to the
  /// tile's `found`, with their counts: every pair that passes its threshold, and few others.
  virtual void compare(DeviceQueue& queue, const engine::Rectangle& pairs) = 0;
};

/// Makes what finds a problem's pairs by a count of their own in a worker's tiles. It owns the buffers of
/// what is packed, as a ComparerMaker those of queries. \throws cl::Error
using PairKernelMaker = std::function<std::unique_ptr<PairKernel>(const DeviceTile&)>;

/// A worker's kernels with their arguments.
class Comparer : public PairKernel {
 public:
  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) override {
    thresholds_.set(queue, thresholds);
  }

  /// Whether the device can compute checksums of a problem's blocks.
  bool makes_checksums() const { return makes_checksums_; }
  /// Counts, into the tile's `found`, how many of its first n_blocks blocks match their checksums, which are
  /// behind its bits from byte `at` on.
  void count_sound(DeviceQueue& queue, std::size_t n_blocks, std::size_t at);

  /// What is done once for a tile of n_blocks blocks, before its ranges are compared.
  void prepare(DeviceQueue& queue, std::size_t n_blocks);

  void compare(DeviceQueue& queue, const engine::Rectangle& pairs) override;

 protected:
  Comparer(const cl::Context& context, const cl::Program& program, const engine::Problem& problem,
           const model::KernelConfig& config, const DeviceTile& tile, const DeviceQueries& queries);

  /// How a rectangle is cut into work-groups. May set the kernel's own arguments, from kOwnArgument on.
  virtual KernelLaunch launch(cl::Kernel& kernel, const engine::Rectangle& pairs) = 0;

  std::size_t units() const { return units_; }
  /// Where the arguments of both kernels `compare` begin: of the problem and the tile's memory, the tile's
  /// blocks, its pairs, where pairs are appended, and what only one of them has.
  enum Argument : cl_uint { kFixed = 0, kBlocks = 7, kPairs = 8, kFound = 12, kOwnArgument = 14 };

  cl::Kernel& kernel() { return compare_; }

 private:
  void set_fixed_arguments(const engine::Problem& problem, const DeviceTile& tile,
                           const DeviceQueries& queries);

  std::size_t units_;  ///< compute units of the device
  DeviceThresholds thresholds_;
  cl::Kernel compare_, count_found_, count_own_bits_, count_sound_;
  bool own_bits_, makes_checksums_;
  std::size_t own_bits_items_;  ///< most in a work-group of count_own_bits_
};

/// Makes a problem's comparer for a worker's memory. It owns the buffers of the packed queries, which a
/// kernel does not retain, so it must outlive the comparers that it makes. \throws cl::Error
using ComparerMaker = std::function<std::unique_ptr<Comparer>(const DeviceTile&)>;

/// Work-items of a group: the most that the device takes for the kernel, up to `most`.
std::size_t group_items(const cl::Kernel& kernel, const cl::Context& context, std::size_t most = SIZE_MAX);

/// DeviceQueries::called of a problem.
cl::Buffer pack_called_sites(const cl::Context& context, const engine::Problem& problem);

/// Build options of both kernels for a problem that do not depend on a shape.
std::string problem_options(const engine::Problem& problem);

/// Whether a denominator that depends on both sides is counted pair by pair. Where nearly all sites of each
/// query are called it is not: then the stored side alone is a close bound, and few pairs pass the bound but
/// fail the threshold. For reverse mixtures with a called plane it always is. Where both alleles are counted
/// it never is.
bool counts_pair_denominators(const engine::Problem& problem);
/// Whether each query has nearly all of its sites called.
bool nearly_all_called(const engine::Problem& problem);

}  // namespace fastid::opencl
