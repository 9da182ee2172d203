/// \file
/// The queries' bars as kernels read them (kernels/bars.h), and the kernels by which a device closes them
/// itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/worker/lane_queue.hpp"

namespace fastid {

/// Lines of the bars' table, each one word for a row; as bars.h names them.
enum BarLine : std::size_t { kLimit, kMaxCount, kNum, kDen, kRatio, kOwnWeight, kNeed, kSlack, kBarLines };

/// A buffer of pairs on the device: four words, the first of which says how many came; then room for
/// `capacity` candidates.
struct DevicePairs {
  cl::Buffer buffer;
  cl_uint capacity = 0;
};

/// The bars' table before bars are set.
struct BarTable {
  std::uint32_t n_sites = 0;
  std::size_t n_rows = 0;
  std::vector<Word> words;  ///< n_rows for each line
};

/// \param n_rows  the problem's queries, and as many more as a kernel takes at once, which nothing passes
/// \param slack  of each query (bars.h); empty: the kernel needs none
BarTable make_bar_table(const Problem& problem, std::size_t n_rows, std::span<const std::int64_t> slack);

/// The bars of a lane's queries. What is done to them goes through the lane's queue, in order.
class DeviceBars {
 public:
  /// \param program  one of those that compare
  /// \param table  made for the problem
  DeviceBars(const cl::Context& context, const cl::Program& program, BarTable table);

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the table as it is: before bars are set, some that next to nothing passes.
  void send(LaneQueue& queue) const;
  /// Sends the bars, unless they are those that the device has. One for each query.
  void set(LaneQueue& queue, std::span<const Bar> bars);

  /// Tallies queries first .. first + n - 1 from now on, in `tallies` (PassTallies), whose first query is
  /// first_tallied.
  void start_tally(const cl::Buffer& tallies, std::size_t first_tallied, std::size_t first, std::size_t n);
  /// Tallies the pairs that have come since the last time, all of queries that are tallied, and closes their
  /// bars by the `keep` best of each that weigh min_weight or more, whoever tallied them.
  void tighten(const cl::CommandQueue& queue, const DevicePairs& pairs, std::uint32_t keep,
               std::uint32_t min_weight);
  /// Appends what still passes to `left`, which has room for as many.
  void sift(const cl::CommandQueue& queue, const DevicePairs& pairs, const DevicePairs& left);

  /// Has the shares brought that the device closes bars to by all that was queued so far. Null where the
  /// queue has no room for them.
  const Word* fetch_closed(LaneQueue& queue) const;
  /// Makes `bars`, which were set, what the device has closed them to since. \param fetched  by
  /// fetch_closed(), and waited for; null: the queue is waited for
  void take_closed(LaneQueue& queue, std::span<Bar> bars, const Word* fetched) const;

 private:
  void set_row(std::size_t row, const Bar& bar);
  Word& at(BarLine line, std::size_t row) { return table_.words[line * table_.n_rows + row]; }

  BarTable table_;         ///< as it was sent
  std::vector<Bar> sent_;  ///< that the device has; none where it has closed some
  cl::Buffer buffer_;
  cl::Kernel tally_, tighten_, sift_;
  std::size_t tighteners_;  ///< work-items of a group of tighten_
  std::size_t n_tallied_ = 0;
};

}  // namespace fastid
