#include "model/kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "model/equations.hpp"

namespace fastid::model {
namespace {

// Instructions of the inner loop, as kernels/compare.cl has them.
constexpr double kFullAdder = 2;      // with operations of three inputs; without them a compiler needs five
constexpr double kSoftPopcount = 12;  // by halves, with shifts and a multiplication
constexpr double kTest = 4;           // limit, sign, collecting what passed, the loop
constexpr double kClearAndTotal = 2;  // of each counter: its start value, its share of the total
constexpr double kReadAtOnce = 4;     // words of neighbouring queries that one load from local memory brings

double chunk_of(const KernelShape& shape) {
  return std::exp2(shape.carry_levels);
}

// Three operands want three reads of the registers, which can be slower than the pipe; a kernel that keeps
// its operands near reaches what two operands do.
double logic_rate(const DeviceTraits& t) {
  return std::max({t.logic.value, t.ands.value, t.xors.value});
}

// `logic`, `adds` and `popcounts` instructions, as clocks. What shares a pipe waits for each other.
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

// Words that a clock brings: one for each work-item that goes in step; a CPU loads two vectors.
double load_rate(const DeviceTraits& t) {
  const double lanes = t.thread_group.value_or(0);
  return lanes == 1 ? 2 * t.load_words.value_or(1) : lanes;
}

bool enough_known(const DeviceTraits& t) {
  return t.clock_mhz.value > 0 && t.compute_units.value > 0 && t.popcounts.value > 0 && logic_rate(t) > 0;
}

}  // namespace

// Pipes that are nearly equally busy get in each other's way: with a norm of 4 two equal ones take a fifth
// longer than one, as was measured on an H200 at 128 to 10,240 sites.
double PairCost::clocks() const {
  double sum = 0;
  for (const double pipe : {logic, popcount, loads, issue}) sum += std::pow(pipe, 4);
  return std::pow(sum, 0.25);
}

std::string_view PairCost::bound() const {
  const double most = std::max({logic, popcount, loads, issue});
  if (most == logic) return "logic";
  if (most == popcount) return "popcount";
  return most == loads ? "loads" : "issue";
}

PairCost word_cost(const DeviceTraits& t, const KernelShape& shape) {
  const double chunk = chunk_of(shape);
  const double counted = 1 / chunk;  // of a word, after the full adders
  const double logic = 1 + kFullAdder * (1 - counted) + (shape.popcount ? 0 : kSoftPopcount * counted);
  PairCost cost = pipe_clocks(t, logic, counted, shape.popcount ? counted : 0);
  const double columns = std::max(1u, shape.columns());
  const double local_loads = 1 / ((shape.m_r % 4 == 0 ? kReadAtOnce : 1) * columns);
  const double global_words = 1.0 / std::max(1u, shape.m_r);
  if (const double rate = load_rate(t); rate > 0) cost.loads = (local_loads + global_words) / rate;
  if (const double rate = issue_rate(t); rate > 0)
    cost.issue = (logic + (shape.popcount ? 2 : 1) * counted + local_loads +
                  global_words / std::max(1u, shape.n_vec)) /
                 rate;
  return cost;
}

PairCost fixed_cost(const DeviceTraits& t, const KernelShape& shape) {
  const double counters = 1 + shape.carry_levels;
  const double logic =
      kTest + kClearAndTotal * counters + (shape.popcount ? 0 : kSoftPopcount * shape.carry_levels);
  PairCost cost = pipe_clocks(t, logic, 0, shape.popcount ? shape.carry_levels : 0);
  if (const double rate = issue_rate(t); rate > 0) cost.issue = (logic + shape.carry_levels) / rate;
  return cost;
}

KernelEstimate predict_kernel(const DeviceTraits& t, const KernelShape& shape, const Workload& work) {
  KernelEstimate estimate;
  if (!enough_known(t) || shape.m_c == 0) return estimate;
  const double row_blocks = std::ceil(static_cast<double>(work.queries) / shape.m_c);
  const double pairs = row_blocks * shape.m_c * static_cast<double>(work.profiles);
  const PairCost a_word = word_cost(t, shape), a_pair = fixed_cost(t, shape);
  const double clocks = work.words() * a_word.clocks() + a_pair.clocks();
  estimate.compute_seconds = pairs * clocks / (t.clocks() * t.compute_units.value);
  if (t.memory_rate.value > 0) estimate.memory_seconds = row_blocks * work.bytes() / t.memory_rate.value;
  const double launch = t.launch_seconds.value;
  estimate.seconds = launch + std::max(estimate.compute_seconds, estimate.memory_seconds);
  estimate.bound = std::string(a_word.bound());
  if (estimate.memory_seconds > estimate.compute_seconds) estimate.bound = "memory";
  if (launch > estimate.seconds / 2) estimate.bound = "launch";
  return estimate;
}

double popcount_peak(const DeviceTraits& t) {
  return t.popcounts.value * t.clocks() * t.compute_units.value * 32;
}

// The work-items' counts come first: their registers, then the words that they load, then how many of them
// make a group, then what local memory holds. Among the levels of full adders the model's own times decide.
KernelShape model_shape(const DeviceTraits& t, const Workload& work) {
  const PaperShape paper = paper_shape(t);
  const auto lanes = static_cast<std::uint32_t>(std::clamp(t.thread_group.value_or(1), 1.0, 64.0));
  const auto most_items = static_cast<std::uint32_t>(t.group_items.value_or(256));
  const bool vectors = lanes == 1;  // a work-item of a CPU is a vector of its own
  KernelShape best;
  double least = INFINITY;
  for (std::uint32_t levels = 0; levels <= 3; ++levels) {
    KernelShape s;
    s.carry_levels = levels;
    s.popcount = t.popcounts.value * kSoftPopcount > logic_rate(t) ? 1 : 0;
    s.m_c = std::max(4u, paper.m_c == 0 ? 32 : paper.m_c);
    s.n_vec = vectors ? 16 : 1;
    s.group_columns = vectors ? 1 : std::min(2 * lanes, most_items);
    s.group_rows = vectors ? 1 : 2;
    s.n_r = vectors ? 2 * s.n_vec : s.group_columns;
    const std::uint32_t items = s.group_items() * (vectors ? 1 : 4);  // groups at the same time
    const std::uint32_t counts = t.registers.known() ? item_counts(t, items) : 32;
    s.m_r = vectors ? 1 : std::min(16u, s.m_c / s.group_rows);
    while (s.m_r > 4 && s.m_r * s.columns() * (1 + levels) > counts) s.m_r /= 2;
    const double local = t.local_bytes.value_or(32768) - t.local_reserved.value;
    s.k_c = static_cast<std::uint32_t>(std::clamp(local / (4.0 * s.m_c), 2.0, 512.0));
    const double seconds = predict_kernel(t, s, work).seconds;
    if (levels == 0 || seconds < least) {
      best = s;
      least = seconds;
    }
  }
  return best;
}

}  // namespace fastid::model
