/// \file
/// What runs on a device for a worker: a kernel with a problem's queries and thresholds in the form that it
/// reads. Two of them, compare.cl (blocked_comparer.cpp) and compare_matrix.cl (matrix_comparer.hpp), as a
/// config shapes them; what they have in common (kernels/pair.h) is here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "engine/engine.hpp"
#include "model/config.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/worker/device_thresholds.hpp"

namespace fastid {

/// A rectangle of pairs: profiles of the tile x queries.
struct PairRange {
  std::size_t first_profile, end_profile, first_query, end_query;

  std::size_t profiles() const { return end_profile - first_profile; }
  std::size_t queries() const { return end_query - first_query; }
  std::size_t pairs() const { return profiles() * queries(); }
};

/// Words that may be read past a tile's last block: a step of compare_matrix.cl of 8 words of a block.
inline constexpr std::size_t kTilePadding = 8 * kLanes;

/// Where kernels append pairs that pass (kernels/thresholds.h).
struct FoundPairs {
  cl::Buffer buffer;
  cl_uint capacity = 0;  ///< pairs
};

/// A worker's memory on the device: planes with kTilePadding words besides, which hold anything. `called` is
/// `bits` where there is no called plane.
struct DeviceTile {
  cl::Buffer bits, called;
  cl::Buffer own_bits;  ///< a word for each profile
  FoundPairs found;
};

/// What a kernel reads of a problem's queries.
struct DeviceQueries {
  cl::Buffer queries;         ///< in the kernel's order, filled up to what it takes at once by rows of 0
  cl::Buffer called;          ///< their called sites, row by row, where FASTID_COMPARED (kernels/pair.h)
  ThresholdTable thresholds;  ///< as many rows as `queries`
  bool own_bits = false;      ///< the kernel takes each profile's own bits, counted once a tile
};

/// Tiles of so many rows, from row 0 on, that rows first .. end - 1 lie in.
constexpr std::size_t tiles_over(std::size_t first, std::size_t end, std::size_t tile) {
  return ceil_div(end, tile) - first / tile;
}

/// A worker's kernels with their arguments: of one thread at a time. What it enqueues runs in its queue's
/// order; nothing here waits. Each call appends the events of its kernels. All throw cl::Error.
class Comparer {
 public:
  virtual ~Comparer() = default;

  DeviceThresholds& thresholds() { return thresholds_; }

  /// Whether the device can make checksums of a problem's blocks.
  bool makes_checksums() const { return makes_checksums_; }
  /// Counts how many of the tile's first blocks have their checksums, which lie behind its bits from byte
  /// `at` on; into the tile's `found`.
  void count_sound(const cl::CommandQueue& queue, std::size_t n_blocks, std::size_t at,
                   std::vector<cl::Event>& events);

  /// What is done once for a tile of so many blocks, before its ranges.
  void prepare(const cl::CommandQueue& queue, std::size_t n_blocks, std::vector<cl::Event>& events);

  /// Appends the pairs of a range that pass to the tile's `found`.
  void compare(const cl::CommandQueue& queue, const PairRange& range, std::vector<cl::Event>& events);

 protected:
  Comparer(const cl::Context& context, const cl::Program& program, const Problem& problem,
           const KernelConfig& config, const DeviceTile& tile, const DeviceQueries& queries);

  /// Work-items of a run of `compare`, and of a work-group. May set the arguments that are its own, from
  /// kOwnArgument on.
  struct Launch {
    cl::NDRange items, group;
  };
  virtual Launch launch(cl::Kernel& kernel, const PairRange& range) = 0;

  /// Column tiles that a work-group takes one after the other: as many as each compute unit has work-groups
  /// for beyond `groups_a_unit`, if none took more than one, and `most` at most.
  std::size_t run_of(std::size_t groups, std::size_t groups_a_unit, std::size_t most) const {
    return std::clamp<std::size_t>(groups / (groups_a_unit * units_), 1, most);
  }
  static constexpr cl_uint kOwnArgument = 15;

  cl::Kernel& kernel() { return compare_; }

 private:
  void set_fixed_arguments(const Problem& problem, const DeviceTile& tile, const DeviceQueries& queries);

  std::size_t units_;  ///< compute units of the device
  DeviceThresholds thresholds_;
  cl::Kernel compare_, count_own_bits_, count_sound_;
  bool own_bits_, makes_checksums_;
  std::size_t own_bits_items_;  ///< of a work-group of count_own_bits_
};

/// Makes what compares a problem, given a worker's memory: its queries are packed already, and on the device.
/// They live as long as this. \throws cl::Error
using ComparerMaker = std::function<std::unique_ptr<Comparer>(const DeviceTile&)>;

/// Sites up to which products of two counts fit in 32 bits.
inline constexpr std::uint32_t kNarrowSites = 65535;

/// DeviceQueries::called of a problem.
cl::Buffer pack_called_sites(const cl::Context& context, const Problem& problem);

/// Options of either kernel's build for a problem that do not depend on a shape.
std::string problem_options(const Problem& problem);

/// Whether a pair's denominator is counted pair by pair where it depends on both sides: the stored side alone
/// bounds it closely where nearly all sites of each query are called, and few pairs then pass the bound that
/// fail the threshold. Always so for reverse mixtures with a called plane.
bool counts_pair_denominators(const Problem& problem);
/// Whether each query has nearly all of its sites called.
bool nearly_all_called(const Problem& problem);

/// How compare.cl is built for a problem.
struct BlockedShape {
  KernelConfig config;  ///< as it is compiled: fit for the device, with the N_R and the grid that are used
  bool fused = false;   ///< FASTID_FUSED
};

/// Options of compare.cl's build for a problem.
std::string blocked_options(const Problem& problem, const BlockedShape& shape);
/// The shape in which a config is used for a problem on a device with this much local memory.
BlockedShape blocked_shape(const Problem& problem, KernelConfig config, std::uint64_t local_bytes);
/// Bytes on the device besides the tile and the pairs: fixed, and for each block of a tile.
std::uint64_t blocked_bytes(const Problem& problem);
inline constexpr std::uint64_t kBlockedBytesABlock = kLanes * sizeof(Word) + sizeof(std::uint64_t);

/// The packers throw cl::Error; Failure where the queries are more than a kernel can number.
ComparerMaker pack_for_blocked(const cl::Context& context, const cl::Program& program, const Problem& problem,
                               const BlockedShape& shape);

}  // namespace fastid
