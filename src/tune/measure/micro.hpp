/// \file
/// Microbenchmarks: what runs on a device (an interface, so that tests can stand in for one), and the
/// arithmetic from seconds to traits.
///
/// Latency is the time of a chain in which each instruction needs the one before. Throughput is that of many
/// chains, by as many thread groups as it takes until more gain nothing. Two instructions share a pipe where
/// both together take as long as one after the other; where they take as long as the slower, they do not.
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

/// kPopcount is a popcount and an ADD: counts of counts alone would soon stand still. AMD's GPUs have both in
/// one instruction.
/// kLogic has no ADD: it is an AND and an XOR, one instruction where there are those of three inputs.
enum class Op { kAdd, kAnd, kXor, kLogic, kPopcount };
std::string_view name_of(Op op);

/// Chains of steps in registers; kernels/bench_micro.cl has the picture.
struct ChainRun {
  Op first = Op::kAdd, second = Op::kAdd;  ///< the same: one operation
  bool latency = false;                    ///< one chain of `first`, else two of each
  std::uint32_t rounds = 1;                ///< of kChainSteps steps of each chain
  std::size_t group_items = 1, groups = 1;
};
inline constexpr double kChainSteps = 32;

enum class Way { kUp, kDown, kBoth };

/// A device that runs microbenchmarks. Seconds of one run. What a run computes is held against the host's own
/// result. \throws DeviceError where it is wrong, or the device fails.
class MicroDevice {
 public:
  virtual ~MicroDevice() = default;

  /// 32-bit words of a value: 1, or 16 where a work-item is a CPU's vector.
  virtual std::uint32_t words() const = 0;
  virtual double chains(const ChainRun& run) = 0;
  /// Reads of local memory, 16 a round and work-item, at `stride` words from one work-item to the next.
  virtual double local_reads(std::uint32_t stride, std::uint32_t rounds, std::size_t group_items,
                             std::size_t groups) = 0;
  /// Reads `bytes` of global memory.
  virtual double stream(std::size_t bytes) = 0;
  /// `bytes` between host and device, both ways at once where both.
  virtual double transfer(Way way, bool pinned, std::size_t bytes) = 0;
  /// `n` kernels that do next to nothing, one after the other.
  virtual double launches(std::size_t n) = 0;
  /// The most bytes of local memory that a work-group of a real kernel gets.
  virtual std::size_t usable_local() = 0;
};

/// Some of what was timed, for reports: "chains popcount+add".
struct MicroTiming : Timing {
  std::string what;
};

struct MicroOptions {
  double least_seconds = 1e-3;  ///< of one run, so that clocks and launches do not matter
  std::size_t most_runs = 15;   ///< of each measurement; medians are taken
  double seconds = 20;          ///< of all of them, about; what no time is left for stays unknown
  bool sweep = true;            ///< groups up to saturation; else as many as should suffice
};

struct MicroResult {
  model::DeviceTraits traits;  ///< what was measured, nothing else
  std::vector<MicroTiming> timings;
};

/// \param base  what is known and queried; compute units, thread group and, of a GPU, the clock are needed
MicroResult measure(MicroDevice& device, const model::DeviceTraits& base, const MicroOptions& options);

/// How much of the shorter time is lost where two things run together: 0 (pipes of their own) to 1 (one
/// pipe).
double shared(double first_seconds, double second_seconds, double both_seconds);

/// What an operation takes by itself.
struct Split {
  double own = 0, shares = 0;  ///< shares: how much of it is lost to ADDs, as shared() has it
};
/// From the time of an ADD, of a step (the operation and an ADD), and of a step and another ADD, all at
/// saturation and in the same unit. Where a step takes no longer than its ADD, one instruction does both.
Split split_step(double add, double step, double step_and_add);
/// The same where it is known how much the operation's pipe is shared with ADDs. Where a step takes no longer
/// than its ADD and the pipes are not the same, the operation is hidden behind it, and no slower than it.
double own_time(double add, double step, double shares);

/// Banks of local memory from the time by stride 1, 2, 4, ...: the stride from which on it does not grow. 0
/// where it never grew.
std::uint32_t banks_of(const std::vector<double>& seconds_by_stride);

/// A line through (size, seconds): seconds a byte and seconds besides. At least two sizes.
struct Line {
  double a_byte = 0, besides = 0;
};
Line fit_line(const std::vector<std::pair<double, double>>& size_seconds);

/// steady_median() of runs whose middle half is to lie within 2 %. \throws DeviceError where too few took a
/// time.
MicroTiming median_of_runs(const std::string& what, std::size_t most_runs,
                           const std::function<double()>& run);

}  // namespace fastid::tune
