/// \file
/// What runs on a device for a worker: kernels that find pairs of a problem's queries. compare.cl
/// (blocked_kernel.cpp) and compare_matrix.cl (matrix_kernel.cpp), each in the shape that a config gives it,
/// differ in how queries are packed and pairs cut into work-groups; what they have in common (kernels/pair.h)
/// is in comparer.cpp. A problem's custom count has a kernel of its own (screener.hpp,
/// weigher.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "engine/engine.hpp"
#include "engine/rectangle.hpp"
#include "model/config.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// A worker's memory on the device. Planes have kTilePadding more words, whose contents do not matter.
/// `second` is `bits` if there is no second plane.
struct DeviceTile {
  cl::Buffer bits, second;
  cl::Buffer own_bits;  ///< a word for each profile
  FoundPairs found;
};

/// What finds pairs of a tile with some of a problem's queries. Used by one thread at a time. Kernels are
/// enqueued and run in the queue's order; no call waits for them. All throw cl::Error.
class PairKernel {
 public:
  virtual ~PairKernel() = default;

  /// Sends the queries' thresholds, one for each, unless the device has the same already.
  virtual void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) = 0;

  /// What is done once for a tile of n_blocks blocks, before its ranges are compared.
  virtual void prepare(DeviceQueue&, std::size_t /*n_blocks*/) {}

  /// Appends the pairs of some rows, profiles of the tile, with some columns, queries, that may pass to the
  /// tile's `found`, with their counts: every pair that passes its threshold, and few others.
  virtual void compare(DeviceQueue& queue, const engine::Rectangle& pairs) = 0;

  /// Whether count_sound() can compute the checksums of the problem's blocks.
  virtual bool makes_checksums() const { return false; }
  /// Counts, into the tile's `found`, how many of its first n_blocks blocks match their checksums, which are
  /// behind its bits from byte `at` on.
  virtual void count_sound(DeviceQueue&, std::size_t /*n_blocks*/, std::size_t /*at*/) {}
};

/// Makes what finds a problem's pairs in a worker's tiles. It owns the buffers of the packed queries, which a
/// kernel does not retain, so it must outlive what it makes. \throws cl::Error
using PairKernelMaker = std::function<std::unique_ptr<PairKernel>(const DeviceTile&)>;

/// Queries that one kernel finds pairs of, packed for it.
struct QueryGroup {
  engine::Problem problem;
  std::vector<std::uint32_t> places;  ///< of its queries among all; empty: it has all of `problem`
  PairKernelMaker make;

  std::size_t size() const { return places.empty() ? problem.queries->n_rows() : places.size(); }
};

/// Lines of the threshold table, each with one word for each query; kernels/pair.h describes them, and
/// numbers them alike.
enum ThresholdLine : std::size_t {
  kLimit,
  kRatio,
  kOffset,
  kQueryDenominator,
  kNeed,
  kSlack,
  kThresholdLines
};

/// The table of the queries' thresholds.
struct ThresholdTable {
  std::uint32_t most_count = 0;  ///< of a pair
  std::uint32_t ratio_bits = 0;
  std::uint32_t most_ratio = 0;  ///< the largest fraction that RATIO can hold
  std::size_t n_padded_queries = 0;
  std::vector<Word> words;  ///< n_padded_queries words for each line

  Word& at(ThresholdLine line, std::size_t query) { return words[line * n_padded_queries + query]; }
  /// Lets through all pairs that pass the threshold, and few others.
  void set(std::size_t query, const engine::Threshold& threshold);
};

/// FASTID_WIDE (kernels/pair.h).
bool is_wide(const engine::Problem& problem);

/// Makes a table in which no pair passes before thresholds are set.
/// \param n_padded_queries  the number of queries, padded to what a kernel takes at once
/// \param slack  of each query (pair.h); empty: the kernel does not use it
ThresholdTable make_threshold_table(const engine::Problem& problem, std::size_t n_padded_queries,
                                    std::span<const std::int64_t> slack);

/// The thresholds of a problem's queries for kernels of custom counts: limit_of() each, with a
/// denominator of 1.
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

/// A problem's queries as compare.cl or compare_matrix.cl takes them.
struct DeviceQueries {
  cl::Buffer queries;         ///< in the kernel's order, padded with words of 0 to what it takes at once
  ThresholdTable thresholds;  ///< of as many queries as `queries` has, padding included
  bool own_bits = false;      ///< the kernel needs each profile's own bits, counted once for a tile
  /// How pairs are cut into work-groups. Sets the arguments that only this kernel has, from kLaunchArgument
  /// on.
  std::function<KernelLaunch(cl::Kernel& kernel, const engine::Rectangle& pairs)> launch;
};
/// The arguments before it are the same for both kernels (comparer.cpp).
inline constexpr cl_uint kLaunchArgument = 14;

/// Work-items of a group: the most that the device takes for the kernel, up to `most`.
std::size_t group_items(const cl::Kernel& kernel, const cl::Context& context, std::size_t most = SIZE_MAX);

/// Build options of both kernels for a problem that do not depend on a shape.
std::string problem_options(const engine::Problem& problem);

/// Whether a denominator that depends on both sides is counted pair by pair. Where nearly all sites of each
/// query are called it is not: then the stored side alone is a close bound, and few pairs pass the bound but
/// fail the threshold. For reverse mixtures with a called plane it always is. Where both alleles are counted
/// it never is.
bool counts_pair_denominators(const engine::Problem& problem);
/// Whether each query has nearly all of its sites called.
bool nearly_all_called(const engine::Problem& problem);

/// How compare.cl is built for a problem.
struct BlockedShape {
  model::KernelConfig
      config;          ///< as compiled: adapted to the device, with the N_R and the grid that are used
  bool fused = false;  ///< FASTID_FUSED
};

/// Build options of compare.cl for a problem.
std::string blocked_options(const engine::Problem& problem, const BlockedShape& shape);
/// The shape in which a config is used for a problem on a device with this much local memory.
BlockedShape blocked_shape(const engine::Problem& problem, const model::KernelConfig& config,
                           std::uint64_t local_bytes);
/// Bytes on the device for a problem's queries, apart from the tile and the pairs.
std::uint64_t blocked_bytes(const engine::Problem& problem);
/// Bytes on the device for each block of a tile, apart from its planes: own bits and a checksum.
inline constexpr std::uint64_t kExtraBytesABlock = kLanes * sizeof(Word) + sizeof(std::uint64_t);

/// Packs the queries for compare.cl. \throws cl::Error; Failure if there are more queries than a kernel can
/// number
DeviceQueries pack_for_blocked(const cl::Context& context, const engine::Problem& problem,
                               const BlockedShape& shape);

/// How compare_matrix.cl is built for a problem.
struct MatrixShape {
  model::KernelConfig config;
  std::uint32_t tiles = 1;        ///< tiles of 16 queries that a warp takes
  std::uint32_t blocks = 1;       ///< blocks of 32 profiles that a warp takes
  std::uint32_t ahead = 1;        ///< steps that are loaded before they are multiplied
  std::uint32_t query_warps = 1;  ///< how many of a work-group's warps are along the queries
  bool holds = false;             ///< registers hold a warp's queries for a whole run of profile tiles
  bool exact = false;             ///< masks and denominators are counted pair by pair, not bounded
  bool own_bits = false;          ///< profiles' own bits are counted once for a tile, not in each warp

  /// Queries that a work-group takes.
  std::size_t group_queries() const { return std::size_t{kMatrixTile} * tiles * query_warps; }
};

/// compare.cl or compare_matrix.cl, as its shape says, built for problems of a kind.
using CompareProgram = ProgramOn<std::variant<BlockedShape, MatrixShape>>;

/// Packs a problem's queries for a program of its kind. \param threads  that pack
/// \throws cl::Error; Failure if there are more queries than a kernel can number
PairKernelMaker pack_compared(const CompareProgram& built, const engine::Problem& problem,
                              std::size_t threads);

/// The shape in which a config's matrix kernel is used for a problem, no larger than its queries need.
MatrixShape matrix_shape(const engine::Problem& problem, const model::KernelConfig& config);

/// How many products of 16 x 8 x 256 bits a step takes for 16 queries and 8 profiles: 1 to 3, or as many as
/// the table of questions has where both alleles are counted.
std::size_t matrix_products(const engine::Problem& problem, const MatrixShape& shape);

/// What a warp's step reads and counts. Queries that registers hold are not read.
engine::KernelStep matrix_step(const engine::Problem& problem, const MatrixShape& shape);

/// Build options of compare_matrix.cl for a problem.
std::string matrix_options(const engine::Problem& problem, const MatrixShape& shape);

/// Bytes on the device for a problem's queries, apart from the tile and the pairs.
std::uint64_t matrix_bytes(const engine::Problem& problem, const MatrixShape& shape);

/// Packs the queries for compare_matrix.cl. \param threads  that pack \throws cl::Error
DeviceQueries pack_for_matrix(const cl::Context& context, const engine::Problem& problem,
                              const MatrixShape& shape, std::size_t threads);

}  // namespace fastid::opencl
