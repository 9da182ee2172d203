/// \file
/// What runs on a device for a lane: a kernel with a problem's queries and bars in the form that it reads.
/// Three of them: compare.cl and compare_matrix.cl (matrix_comparer.hpp) as a config shapes them, and the
/// plain compare_ref.cl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/worker/device_bars.hpp"

namespace fastid {

/// A rectangle of pairs: profiles of the tile x queries.
struct PairRange {
  std::size_t first_profile, end_profile, first_query, end_query;

  std::size_t profiles() const { return end_profile - first_profile; }
  std::size_t queries() const { return end_query - first_query; }
  std::size_t pairs() const { return profiles() * queries(); }
};

/// Blocks first .. end - 1 of the tile.
struct BlockRange {
  std::size_t first = 0, end = 0;

  std::size_t size() const { return end - first; }
};

/// Words that may be read past a tile's last block: a step of compare_matrix.cl of 8 words of a block.
inline constexpr std::size_t kTilePadding = 8 * kLanes;

/// A lane's memory on the device: planes with kTilePadding words besides, which hold anything. `called` is
/// `bits` where there is no called plane.
struct DeviceTile {
  cl::Buffer bits, called;
  cl::Buffer weights;  ///< a word for each profile
  DevicePairs found;
};

/// Checksums of a tile's blocks, 64 bits each.
struct DeviceSums {
  cl::Buffer buffer;
  std::uint64_t first = 0;  ///< the first block's place, in units of 64 bits
};

/// A lane's kernels with their arguments: of one thread at a time. What it enqueues runs in its queue's
/// order; nothing here waits. Each call appends the events of its kernels. All throw cl::Error.
class Comparer {
 public:
  virtual ~Comparer() = default;

  DeviceBars& bars() { return bars_; }

  /// Copies profiles of a plane, shape.n_profiles of them, to the start of another one. `places`: each one's
  /// place.
  void gather(const cl::CommandQueue& queue, const cl::Buffer& plane, const BlockShape& shape,
              const cl::Buffer& places, const cl::Buffer& to, std::vector<cl::Event>& events);

  /// Whether the device can make checksums of a problem's blocks.
  bool makes_checksums() const { return makes_checksums_; }
  /// Adds to `n_sound`, one word, how many of these blocks of a tile have their checksums.
  void count_sound(const cl::CommandQueue& queue, const DeviceTile& tile, const BlockRange& blocks,
                   const DeviceSums& sums, const cl::Buffer& n_sound, std::vector<cl::Event>& events);

  /// Works on these planes and weights from now on, in place of those of the tile that it was made with.
  virtual void read_from(const DeviceTile& tile) = 0;

  /// What is done once for blocks of the tile, before its ranges of them. Appends its events.
  virtual void prepare(const cl::CommandQueue& queue, const BlockRange& blocks,
                       std::vector<cl::Event>& events) = 0;

  /// Appends the pairs of a range that pass to the tile's `found`.
  virtual void compare(const cl::CommandQueue& queue, const PairRange& range, std::size_t end_block,
                       std::vector<cl::Event>& events) = 0;

  /// Every count of the profiles of `series` with queries first_query .. first_query + n_queries - 1, as
  /// Lane::count() orders them.
  void count(const cl::CommandQueue& queue, const BlockSeries& series, std::size_t n_profiles,
             std::size_t first_query, std::size_t n_queries, const cl::Buffer& counts,
             std::vector<cl::Event>& events);

 protected:
  /// \param count  the name of the program's kernel that counts every pair; its arguments from 6 on are set
  /// here \param bars  made for the problem
  Comparer(const cl::Context& context, const cl::Program& program, const char* count, const Problem& problem,
           BarTable bars);

  cl::Kernel& count_kernel() { return count_; }

 private:
  DeviceBars bars_;
  cl::Kernel count_, gather_, count_sound_;
  bool makes_checksums_;
};

/// Makes what compares a problem, given a lane's memory: its queries are packed already, and on the device.
/// They live as long as this. \throws cl::Error
using ComparerMaker = std::function<std::unique_ptr<Comparer>(const DeviceTile&)>;

/// Sites up to which products of two counts fit in 32 bits.
inline constexpr std::uint32_t kNarrowSites = 65535;

/// How compare.cl is built for a problem.
struct BlockedShape {
  KernelConfig config;  ///< as it is compiled: fit for the device, with the N_R and the grid that are used
  bool fused = false;   ///< FASTID_FUSED
};

/// Options of compare.cl's build for a problem.
std::string blocked_options(const Problem& problem, const BlockedShape& shape);
/// The shape in which a config is used for a problem on a device with this much local memory.
BlockedShape blocked_shape(const Problem& problem, KernelConfig config, std::uint64_t local_bytes);
/// Bytes on the device besides the tile and the candidates: fixed, and for each block of a tile.
std::uint64_t blocked_bytes(const Problem& problem);
inline constexpr std::uint64_t kBlockedBytesABlock = kLanes * sizeof(Word) + sizeof(std::uint64_t);

/// The packers throw cl::Error; Failure where the queries are more than a kernel can number.
ComparerMaker pack_for_blocked(const cl::Context& context, const cl::Program& program, const Problem& problem,
                               const BlockedShape& shape);

std::string plain_options(const Problem& problem);
ComparerMaker pack_for_plain(const cl::Context& context, const cl::Device& device, const cl::Program& program,
                             const Problem& problem);

}  // namespace fastid
