/// \file
/// Microbenchmarks: the interface of a device that runs them (tests can substitute one), and the computation
/// of traits from seconds.
///
/// Latency is the time of a chain in which each instruction needs the one before. Throughput is measured with
/// many chains, on as many thread groups as it takes until more bring no gain. Two instructions share a pipe
/// where both together take as long as one after the other; where they take as long as the slower, they do
/// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/traits.hpp"
#include "tune/measure/timing.hpp"

namespace fastid::tune {

/// kPopcount is a popcount and an ADD, since repeated popcounts alone would soon reach a fixed point. AMD's
/// GPUs do both in one instruction. kLogic has no ADD: it is an AND and an XOR, one instruction where the
/// device has three-input instructions.
enum class Op { kAdd, kAnd, kXor, kLogic, kPopcount };
std::string_view name_of(Op op);

/// Chains of steps in registers; kernels/bench_micro.cl has the picture.
struct ChainRun {
  Op first = Op::kAdd, second = Op::kAdd;  ///< equal: one operation
  bool latency = false;                    ///< true: one chain of `first`; else two chains of each
  std::uint32_t rounds = 1;                ///< rounds of kChainSteps steps of each chain
  std::size_t group_items = 1, groups = 1;
};
inline constexpr double kChainSteps = 32;

/// The bits of a round of kernels/bench_matrix.cl: eight products of 16 x 8 x 256 bits.
inline constexpr double kBitsOfProducts = 8.0 * 16 * 8 * 256;

enum class Way { kUp, kDown, kBoth };

/// A device that runs microbenchmarks. Its functions return the seconds of one run; each result is compared
/// with the host's. \throws DeviceError where it is wrong, or the device fails.
class MicroDevice {
 public:
  virtual ~MicroDevice() = default;

  /// 32-bit words in a value: 1, or 16 on a CPU, where a work-item is a vector.
  virtual std::uint32_t words() const = 0;
  virtual double chains(const ChainRun& run) = 0;
  /// Reads local memory, 16 times for each round and work-item, with `stride` words from one work-item to the
  /// next.
  virtual double local_reads(std::uint32_t stride, std::uint32_t rounds, std::size_t group_items,
                             std::size_t groups) = 0;
  /// Reads `bytes` of global memory. \param groups  work-groups that do it; 0: as many as keep it busy
  virtual double stream(std::size_t bytes, std::size_t groups) = 0;
  /// Multiplies matrices of bits by NVIDIA's instruction, kBitsOfProducts in each round of each thread group.
  /// Call only for devices that have it.
  virtual double matrix_products(std::uint32_t rounds, std::size_t thread_groups) = 0;
  /// Transfers `bytes` between host and device; kBoth transfers both ways at the same time.
  virtual double transfer(Way way, bool pinned, std::size_t bytes) = 0;
  /// Runs `n` almost empty kernels, one after the other.
  virtual double launches(std::size_t n) = 0;
  /// The most bytes of local memory that a work-group of a real kernel can get.
  virtual std::size_t usable_local() = 0;
};

/// One timing, for reports: "chains popcount+add".
struct MicroTiming : Timing {
  std::string what;
};

struct MicroOptions {
  double least_seconds = 1e-3;  ///< shortest run, so that clock resolution and launches do not matter
  std::size_t most_runs = 15;   ///< most runs of each measurement; medians are taken
  double seconds = 20;          ///< approximate limit for all; traits for which no time is left stay unknown
  /// Increases the number of groups up to saturation; else uses a number that should suffice.
  bool sweep = true;
};

struct MicroResult {
  model::DeviceTraits traits;  ///< measured traits only
  std::vector<MicroTiming> timings;
};

/// \param base  known and queried traits; compute units, thread group and, for a GPU, the clock are required
MicroResult measure(MicroDevice& device, const model::DeviceTraits& base, const MicroOptions& options);

/// The share of the shorter time that is lost when two operations run together: 0 (separate pipes) to 1 (one
/// pipe).
double shared(double first_seconds, double second_seconds, double both_seconds);

/// The time that an operation takes by itself.
struct Split {
  double own = 0, shares = 0;  ///< shares: shared() of the operation with ADDs
};
/// Computed from the time of an ADD, of a step (the operation and an ADD), and of a step and another ADD, all
/// at saturation and in the same unit. Where a step takes no longer than its ADD, one instruction does both.
Split split_step(double add, double step, double step_and_add);
/// Split::own where it is known how much the operation's pipe is shared with ADDs. Where a step takes no
/// longer than its ADD and the pipes differ, the ADD hides the operation, which is then taken to be as fast
/// as the ADD.
double own_time(double add, double step, double shares);

/// The number of banks of local memory, from the times at strides 1, 2, 4, ...: the stride from which on the
/// time does not grow; 0 where it never grew.
std::uint32_t banks_of(const std::vector<double>& seconds_by_stride);

/// A line fitted to (size, seconds) at two or more sizes: seconds for each byte, and fixed seconds.
struct Line {
  double a_byte = 0, besides = 0;
};
Line fit_line(const std::vector<std::pair<double, double>>& size_seconds);

/// steady_median() of runs whose middle half should lie within 2 %. \throws DeviceError where too few runs
/// have a time.
MicroTiming median_of_runs(const std::string& what, std::size_t most_runs,
                           const std::function<double()>& run);

}  // namespace fastid::tune
