#include "tune/measure/micro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid::tune {
namespace {

using model::DeviceTraits;
using model::Source;

constexpr double kSteady = 0.02;           // distance of the quartiles, as a share of the median
constexpr double kNoGain = 1.03;           // smaller gains from more groups do not count
constexpr std::size_t kMostGroups = 64;    // for each compute unit, of 256 work-items
constexpr std::size_t kEnoughGroups = 16;  // likewise
constexpr double kLeastLatency = 0.25;     // clocks: a CPU's actual clock may be above the stated one
constexpr double kMostClusters = 4;
constexpr double kHidden = 1.25;  // a step that takes less than this many ADDs is taken to be as long as one

// Makes one measurement after the other, while there is time, and collects them in a MicroResult.
class Measurer {
 public:
  Measurer(MicroDevice& device, const DeviceTraits& base, const MicroOptions& options)
      : device_(device), base_(base), options_(options), words_(device.words()) {
    in_step_ = static_cast<std::size_t>(std::max(1.0, base.thread_group.value_or(1)));
    units_ = std::max(1.0, base.compute_units.value);
    const double most = std::max(1.0, base.group_items.value_or(256));
    items_ = in_step_ == 1 ? 1 : static_cast<std::size_t>(std::min(256.0, most));
  }

  MicroResult run() {
    launches();
    clock();
    throughputs();  // first, since predictions need them most
    memory();
    transfers();
    local_memory();
    latencies();
    return std::move(result_);
  }

 private:
  bool time_left() const {
    check_interrupt();
    return watch_.seconds() < options_.seconds;
  }
  void learn(model::Trait& trait, double value) {
    if (std::isfinite(value) && value >= 0) trait.learn(value, Source::kMeasured);
  }
  DeviceTraits& traits() { return result_.traits; }

  double timed(const std::string& what, const std::function<double()>& run) {
    result_.timings.push_back(median_of_runs(what, options_.most_runs, run));
    return result_.timings.back().seconds;
  }

  // The number of rounds, doubled until a run is long enough.
  std::uint32_t rounds_for(const std::function<double(std::uint32_t)>& run) const {
    std::uint32_t rounds = 16;
    while (rounds < (1u << 20) && run(rounds) < options_.least_seconds) rounds *= 2;
    return rounds;
  }

  // Seconds of one step of a chain of dependent operations.
  double latency_seconds(Op op) {
    ChainRun run{.first = op, .second = op, .latency = true, .group_items = in_step_, .groups = 1};
    run.rounds = rounds_for([&](std::uint32_t rounds) {
      run.rounds = rounds;
      return device_.chains(run);
    });
    const double launch = traits().launch_seconds.value;
    const double all = timed(fmt::format("latency {}", name_of(op)), [&] { return device_.chains(run); });
    return std::max(0.0, all - std::min(launch, all / 4)) / (kChainSteps * run.rounds);
  }

  // A CPU's driver may not state the clock. It is then measured by ADDs, which take one clock each.
  void clock() {
    if (base_.clocks() > 0 || in_step_ != 1) return;
    learn(traits().clock_mhz, 1e-6 / latency_seconds(Op::kAdd));
    base_.clock_mhz = traits().clock_mhz;
  }

  double clocks_of(double seconds) const { return base_.clocks() * seconds; }

  // A latency of less than a fraction of a clock shows that the compiler has merged steps, although the
  // result is right.
  void learn_latency(model::Trait& trait, double clocks) {
    if (clocks >= kLeastLatency) learn(trait, clocks);
  }

  void latencies() {
    if (!time_left() || base_.clocks() <= 0) return;
    const double add = clocks_of(latency_seconds(Op::kAdd));
    learn_latency(traits().add_latency, add);
    const auto own = [&](Op op) {
      const double step = clocks_of(latency_seconds(op));
      return step - add > add / 4 ? step - add : step;  // else one instruction does both operations
    };
    learn_latency(traits().popcount_latency, own(Op::kPopcount));
    if (!time_left()) return;
    learn_latency(traits().logic_latency, clocks_of(latency_seconds(Op::kLogic)));
    learn_latency(traits().and_latency, own(Op::kAnd));
    learn_latency(traits().xor_latency, own(Op::kXor));
  }

  // A compute unit's clocks for one step of both operations, for one work-item and word, at saturation.
  double step_clocks(Op first, Op second) {
    ChainRun run{.first = first, .second = second, .group_items = items_};
    double best = INFINITY;
    std::size_t without_gain = 0;
    for (std::size_t groups = options_.sweep ? 1 : kEnoughGroups; groups <= kMostGroups; groups *= 2) {
      const double clocks = clocks_with(run, groups);
      without_gain = clocks * kNoGain < best ? 0 : without_gain + 1;
      best = std::min(best, clocks);
      if (!options_.sweep || without_gain == 2 || !time_left()) break;
    }
    return best;
  }

  double clocks_with(ChainRun& run, std::size_t groups) {
    run.groups = groups * static_cast<std::size_t>(units_);
    run.rounds = rounds_for([&](std::uint32_t rounds) {
      run.rounds = rounds;
      return device_.chains(run);
    });
    const double seconds =
        timed(fmt::format("chains {}+{}, {} groups", name_of(run.first), name_of(run.second), run.groups),
              [&] { return device_.chains(run); });
    const double steps = 2 * kChainSteps * run.rounds * words_;  // for each of the two operations
    const double items = static_cast<double>(run.groups * run.group_items);
    return base_.clocks() * seconds * units_ / (steps * items);
  }

  // The clocks of a step of one operation alone: both kinds of chains run that operation.
  double alone(Op op) { return step_clocks(op, op) / 2; }

  // A rate above what all vector elements of all clusters can do in a clock shows that the compiler has
  // merged steps, although the result is right.
  void learn_rate(model::Trait& trait, double clocks) {
    const double elements = static_cast<double>(in_step_) * words_ * base_.clusters.value_or(kMostClusters);
    if (clocks > 0 && 1 / clocks <= 2 * elements) learn(trait, 1 / clocks);
  }

  void throughputs() {
    if (!time_left() || base_.clocks() <= 0) return;
    const double add = alone(Op::kAdd), logic = alone(Op::kLogic), counted = alone(Op::kPopcount);
    learn_rate(traits().adds, add);
    learn_rate(traits().logic, logic);
    const Split count = split_step(add, counted, step_clocks(Op::kPopcount, Op::kAdd));
    learn_rate(traits().popcounts, count.own);
    learn(traits().popcount_shares_add, count.shares);
    const double shares = shared(logic, add, step_clocks(Op::kLogic, Op::kAdd));
    learn(traits().logic_shares_add, shares);
    if (!time_left()) return;
    learn(traits().popcount_shares_logic, popcount_shares_logic(add, logic, count, shares));
    learn_rate(traits().ands, own_time(add, alone(Op::kAnd), shares));
    learn_rate(traits().xors, own_time(add, alone(Op::kXor), shares));
  }

  // Two operations that both share the ADD's pipe share it with each other; if only one does, they do not
  // share. Otherwise both are run together.
  double popcount_shares_logic(double add, double logic, const Split& count, double logic_shares) {
    if (count.shares > 0.5 || logic_shares > 0.5) return count.shares > 0.5 && logic_shares > 0.5 ? 1 : 0;
    const double together = step_clocks(Op::kPopcount, Op::kLogic);
    const double apart = std::max({count.own, logic, add}), joint = std::max(count.own + logic, add);
    return joint > apart ? std::clamp((together - apart) / (joint - apart), 0.0, 1.0) : 0;
  }

  void launches() {
    constexpr std::size_t kMany = 200;
    const double many = timed("200 launches", [&] { return device_.launches(kMany); });
    learn(traits().launch_seconds, many / kMany);
  }

  void local_memory() {
    if (!time_left()) return;
    learn(traits().local_bytes, static_cast<double>(device_.usable_local()));
    if (in_step_ == 1) return;  // no bank conflicts where work-items run one after the other
    const std::size_t groups = static_cast<std::size_t>(units_) * 8;
    std::vector<double> seconds;
    const std::uint32_t rounds =
        rounds_for([&](std::uint32_t n) { return device_.local_reads(1, n, in_step_, groups); });
    for (std::uint32_t stride = 1; stride <= 64 && time_left(); stride *= 2)
      seconds.push_back(timed(fmt::format("local memory, stride {}", stride),
                              [&] { return device_.local_reads(stride, rounds, in_step_, groups); }));
    if (const std::uint32_t banks = banks_of(seconds); banks > 0) learn(traits().banks, banks);
    const double wide = timed("local memory", [&] { return device_.local_reads(1, rounds, items_, groups); });
    const double bytes = 4.0 * 16 * rounds * static_cast<double>(items_ * groups);
    if (base_.clocks() > 0) learn(traits().local_rate, bytes / (wide * base_.clocks() * units_));
  }

  void memory() {
    if (!time_left()) return;
    const double most = base_.allocation_bytes.value_or(double{1 << 28});
    const auto bytes =
        static_cast<std::size_t>(std::min(most / 2, in_step_ == 1 ? double{1 << 26} : double{1 << 29}));
    const std::size_t whole = bytes / 4096 * 4096;
    if (whole > 0)
      learn(traits().memory_rate,
            static_cast<double>(whole) / timed("global memory", [&] { return device_.stream(whole, 0); }));
  }

  // A line through three sizes gives the time of a byte and the fixed time of an upload.
  void transfers() {
    std::vector<std::pair<double, double>> up;
    constexpr std::size_t kMiB = 1 << 20, kLargest = 64 * kMiB;
    for (const std::size_t bytes : {kMiB, 8 * kMiB, kLargest}) {
      if (!time_left()) return;
      up.emplace_back(static_cast<double>(bytes), transfer(Way::kUp, true, bytes));
    }
    const Line line = fit_line(up);
    learn(traits().upload_seconds, std::max(0.0, line.besides));
    learn(traits().upload_pinned, line.a_byte > 0 ? 1 / line.a_byte : kLargest / up.back().second);
    const auto rate = [&](Way way, bool pinned) {
      return (way == Way::kBoth ? 2.0 : 1.0) * kLargest / transfer(way, pinned, kLargest);
    };
    if (time_left()) learn(traits().upload_pageable, rate(Way::kUp, false));
    if (time_left()) learn(traits().download_pinned, rate(Way::kDown, true));
    if (time_left()) learn(traits().download_pageable, rate(Way::kDown, false));
    if (time_left()) learn(traits().both_ways, rate(Way::kBoth, true));
  }
  double transfer(Way way, bool pinned, std::size_t bytes) {
    constexpr std::string_view kWays[] = {"up", "down", "both ways"};
    return timed(fmt::format("{} MiB {}, {}", bytes >> 20, kWays[static_cast<int>(way)],
                             pinned ? "pinned" : "pageable"),
                 [&] { return device_.transfer(way, pinned, bytes); });
  }

  MicroDevice& device_;
  DeviceTraits base_;
  MicroOptions options_;
  double words_;
  double units_ = 1;
  std::size_t in_step_ = 1, items_ = 1;
  Stopwatch watch_;
  MicroResult result_;
};

}  // namespace

std::string_view name_of(Op op) {
  constexpr std::string_view kNames[] = {"add", "and", "xor", "logic", "popcount"};
  return kNames[static_cast<int>(op)];
}

double shared(double first_seconds, double second_seconds, double both_seconds) {
  const double longer = std::max(first_seconds, second_seconds);
  const double shorter = std::min(first_seconds, second_seconds);
  return shorter > 0 ? std::clamp((both_seconds - longer) / shorter, 0.0, 1.0) : 0;
}

Split split_step(double add, double step, double step_and_add) {
  if (step < kHidden * add) return {step, 1};
  const double apart = std::max(step, 2 * add), joint = step + add;
  const double shares = std::clamp((step_and_add - apart) / (joint - apart), 0.0, 1.0);
  return {shares > 0.5 ? step - add : step, shares};
}

double own_time(double add, double step, double shares) {
  if (step < kHidden * add) return shares > 0.5 ? step : add;
  return shares > 0.5 ? step - add : step;
}

// With each doubling of the stride, conflicts double the part of the time that local memory takes. At the
// last step that adds at least a third, all work-items of a group use the same bank.
std::uint32_t banks_of(const std::vector<double>& seconds_by_stride) {
  std::uint32_t banks = 0;
  for (std::size_t i = 1; i < seconds_by_stride.size(); ++i)
    if (seconds_by_stride[i] > 1.33 * seconds_by_stride[i - 1]) banks = 1u << i;
  return banks;
}

Line fit_line(const std::vector<std::pair<double, double>>& size_seconds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, seconds] : size_seconds) {
    const double weight = 1 / (seconds * seconds);  // minimises relative errors
    n += weight;
    x += weight * size;
    y += weight * seconds;
    xx += weight * size * size;
    xy += weight * size * seconds;
  }
  const double spread = n * xx - x * x;
  if (!(spread > 0)) return {};
  const double a_byte = (n * xy - x * y) / spread;
  return {a_byte, (y - a_byte * x) / n};
}

MicroTiming median_of_runs(const std::string& what, std::size_t most_runs,
                           const std::function<double()>& run) {
  const Timing timing = steady_median({kSteady, most_runs}, run);
  if (timing.runs == 0)
    throw DeviceError(fmt::format("{}: the device's clock does not tell how long it took", what));
  return {timing, what};
}

MicroResult measure(MicroDevice& device, const DeviceTraits& base, const MicroOptions& options) {
  return Measurer(device, base, options).run();
}

}  // namespace fastid::tune
