#include "model/kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "model/equations.hpp"

namespace fastid::model {
namespace {

// Numbers of instructions in the inner loop of kernels/compare.cl.
constexpr double kFullAdder = 2;      // with three-input operations; without them a compiler needs five
constexpr double kSoftPopcount = 12;  // adds up neighbouring groups of bits, with shifts and a multiplication
constexpr double kTest = 4;  // subtracting the limit, testing the sign, collecting pairs that pass, the loop
// For each counter: setting its start value, adding its share to the total.
constexpr double kClearAndTotal = 2;
constexpr double kReadAtOnce = 4;  // words of neighbouring queries that one load from local memory reads

// Assumed for a GPU without known traits, since every GPU reaches it: popcounts a clock and compute unit.
constexpr double kLeastPopcounts = 4, kLeastClockMhz = 1000;

// Three operands need three register reads, which can be slower than the pipe. A kernel that keeps its
// operands in nearby registers reaches the rate of two-operand instructions.
double logic_rate(const DeviceTraits& t) {
  return std::max({t.logic.value, t.ands.value, t.xors.value});
}

// The cost of a pair for a compute unit, in clocks of each pipe; used for the cost of a word and for the
// fixed cost of a pair.
struct PairCost {
  double logic = 0, popcount = 0, loads = 0, issue = 0;

  // The clocks where all pipes work at the same time. Pipes that are nearly equally busy slow each other
  // down: with a norm of 4, two equally busy pipes take a fifth longer than one, as was measured on an H200
  // at 128 to 10,240 sites.
  double clocks() const {
    double sum = 0;
    for (const double pipe : {logic, popcount, loads, issue}) sum += std::pow(pipe, 4);
    return std::pow(sum, 0.25);
  }
};

// The clocks that so many logic, add and popcount instructions take. Instructions that share a pipe wait for
// each other.
PairCost pipe_clocks(const DeviceTraits& t, double logic, double adds, double popcounts) {
  const double add = adds / t.adds.value_or(logic_rate(t));
  const double count = popcounts / t.popcounts.value;
  PairCost cost;
  cost.logic = logic / logic_rate(t) + add * t.logic_shares_add.value_or(1) +
               count * t.popcount_shares_logic.value_or(0);
  cost.popcount = count;
  if (t.logic_shares_add.value_or(1) < 0.5) cost.popcount += add * t.popcount_shares_add.value_or(0);
  return cost;
}

double issue_rate(const DeviceTraits& t) {
  return t.clusters.known() && t.thread_group.known() ? t.clusters.value * t.thread_group.value : 0;
}

// Words loaded in a clock: one for each work-item of a thread group; a CPU loads two vectors.
double load_rate(const DeviceTraits& t) {
  const double in_step = t.thread_group.value_or(0);
  return in_step == 1 ? 2 * t.load_words.value_or(1) : in_step;
}

PairCost word_cost(const DeviceTraits& t, const KernelConfig& config) {
  const double counted =
      std::exp2(-static_cast<double>(config.carry_levels));  // popcounts for each word, after full adders
  const double logic = 1 + kFullAdder * (1 - counted) + (config.popcount ? 0 : kSoftPopcount * counted);
  PairCost cost = pipe_clocks(t, logic, counted, config.popcount ? counted : 0);
  const double columns = std::max(1u, config.columns());
  const double local_loads = 1 / ((config.m_r % 4 == 0 ? kReadAtOnce : 1) * columns);
  const double global_words = 1.0 / std::max(1u, config.m_r);
  if (const double rate = load_rate(t); rate > 0) cost.loads = (local_loads + global_words) / rate;
  if (const double rate = issue_rate(t); rate > 0)
    cost.issue = (logic + (config.popcount ? 2 : 1) * counted + local_loads +
                  global_words / std::max(1u, config.n_vec)) /
                 rate;
  return cost;
}

PairCost fixed_cost(const DeviceTraits& t, const KernelConfig& config) {
  const double counters = 1 + config.carry_levels;
  const double logic =
      kTest + kClearAndTotal * counters + (config.popcount ? 0 : kSoftPopcount * config.carry_levels);
  PairCost cost = pipe_clocks(t, logic, 0, config.popcount ? config.carry_levels : 0);
  if (const double rate = issue_rate(t); rate > 0) cost.issue = (logic + config.carry_levels) / rate;
  return cost;
}

// The clocks of a pair in compare.cl, from the rates of the device's pipes.
double pair_clocks(const DeviceTraits& t, const KernelConfig& config, double words) {
  if (!(t.popcounts.value > 0) || !(logic_rate(t) > 0)) return words / kLeastPopcounts;
  return words * word_cost(t, config).clocks() + fixed_cost(t, config).clocks();
}

double pair_seconds(const KernelConfig& config, const DeviceTraits& t, const KernelWork& work) {
  const bool matrix = work.kernel == MicroKernel::kMatrix;
  const double rate = 1e9 * (matrix ? config.rate_matrix : config.rate_popcount);
  const auto sites = static_cast<double>(work.sites);
  if (rate > 0) return (sites + (matrix ? config.start_matrix : config.start_popcount)) / rate;
  const double clocks = 1e6 * t.clock_mhz.value_or(kLeastClockMhz) * t.compute_units.value_or(1);
  return pair_clocks(t, config, sites / 32) / clocks;
}

// Counts that each of `items` work-items of a compute unit may keep in registers: half of the registers, as
// in the paper.
std::uint32_t item_counts(const DeviceTraits& t, std::uint32_t items) {
  const double share = t.registers.value / items;
  return static_cast<std::uint32_t>(std::min(share, t.item_registers.value_or(share)) / 2);
}

}  // namespace

KernelWork kernel_work(MicroKernel kernel, const KernelConfig& config, const Workload& work) {
  constexpr std::uint64_t kWord = 32, kTile = 16, kStep = 256;
  const bool matrix = kernel == MicroKernel::kMatrix;
  const std::uint64_t at_once = matrix ? kTile : std::max(1u, config.m_c);
  const std::uint64_t row_blocks = ceil_div(work.queries, at_once);
  const std::uint64_t step = matrix ? kStep : kWord;
  const std::uint64_t plane = ceil_div<std::uint64_t>(work.sites, kWord) * 4;  // bytes
  return {.kernel = kernel,
          .profiles = work.profiles,
          .rows = row_blocks * at_once,
          .sites = ceil_div<std::uint64_t>(work.sites, step) * step,
          .bytes = plane * work.planes * (matrix ? 1 : row_blocks)};
}

double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const KernelWork& work) {
  const double comparing = static_cast<double>(work.rows) * pair_seconds(config, device, work);
  const double memory = device.memory_rate.value;
  const double reading = memory > 0 ? static_cast<double>(work.bytes) / memory : 0;
  return static_cast<double>(work.profiles) * std::max(comparing, reading);
}

bool matrix_is_faster(const KernelConfig& config, const DeviceTraits& device, const KernelWork& popcount,
                      const KernelWork& matrix) {
  if (config.matrix == 0 || config.rate_matrix == 0) return false;
  if (config.rate_popcount == 0) return true;
  return compare_seconds(config, device, matrix) < compare_seconds(config, device, popcount);
}

double compare_seconds(const KernelConfig& config, const DeviceTraits& device, const Workload& work) {
  const KernelWork popcount = kernel_work(MicroKernel::kPopcount, config, work);
  const KernelWork matrix = kernel_work(MicroKernel::kMatrix, config, work);
  const bool faster = matrix_is_faster(config, device, popcount, matrix);
  return compare_seconds(config, device, faster ? matrix : popcount);
}

double popcount_peak(const DeviceTraits& t) {
  return t.popcounts.value * t.clocks() * t.compute_units.value * 32;
}

// The shape is chosen in this order: the size of work-groups, the counts that fit a work-item's registers,
// and the words that fit local memory. The level of full adders is the one with the lowest predicted time.
KernelConfig model_shape(const DeviceTraits& t, const Workload& work) {
  const PaperShape paper = paper_shape(t);
  const auto in_step = static_cast<std::uint32_t>(std::clamp(t.thread_group.value_or(1), 1.0, 64.0));
  const auto most_items = static_cast<std::uint32_t>(t.group_items.value_or(256));
  const bool vectors = in_step == 1;  // on a CPU a work-item is a vector
  KernelConfig best;
  double least = INFINITY;
  for (std::uint32_t levels = 0; levels <= 3; ++levels) {
    KernelConfig s;
    s.carry_levels = levels;
    s.popcount = t.popcounts.value * kSoftPopcount > logic_rate(t) ? 1 : 0;
    s.m_c = std::max(4u, paper.m_c == 0 ? 32 : paper.m_c);
    s.n_vec = vectors ? 16 : 1;
    s.group_columns = vectors ? 1 : std::min(2 * in_step, most_items);
    s.group_rows = vectors ? 1 : 2;
    s.n_r = vectors ? 2 * s.n_vec : s.group_columns;
    // A compute unit runs several groups at the same time.
    const std::uint32_t items = s.group_items() * (vectors ? 1 : 4);
    const std::uint32_t counts = t.registers.known() ? item_counts(t, items) : 32;
    s.m_r = vectors ? 1 : std::min(16u, s.m_c / s.group_rows);
    while (s.m_r > 4 && s.m_r * s.columns() * (1 + levels) > counts) s.m_r /= 2;
    const double local = t.local_bytes.value_or(32768) - t.local_reserved.value;
    s.k_c = static_cast<std::uint32_t>(std::clamp(local / (4.0 * s.m_c), 2.0, 512.0));
    const double seconds = compare_seconds(s, t, work);
    if (levels == 0 || seconds < least) {
      best = s;
      least = seconds;
    }
  }
  return best;
}

}  // namespace fastid::model
