#include "opencl/worker/device_bars.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

constexpr std::size_t kTighteners = 64;
constexpr std::size_t kGroups = 256,
                      kGroupItems = 64;  // of a run over pairs, of which only the device knows the number

// A bar's share in units of 2^-15, rounded up; no share is more than 1.
std::uint32_t ratio_of(const Bar& bar) {
  constexpr std::uint64_t kOne = 32768;
  if (bar.den == 0) return kOne;
  return static_cast<std::uint32_t>(std::min(kOne, ceil_div(bar.num * kOne, std::uint64_t{bar.den})));
}

// Half of it, rounded up.
std::int32_t half_of(std::int64_t value) {
  return static_cast<std::int32_t>((value + 1) >> 1);
}

void run_over_pairs(const cl::CommandQueue& queue, const cl::Kernel& kernel) {
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kGroups * kGroupItems));
}

}  // namespace

// Rows past the last query, and all until they are set: a limit that nothing is below, a need that nothing
// meets (compare_ref.cl, which has neither, takes them for bars that a count of 0 passes).
BarTable make_bar_table(const Problem& problem, std::size_t n_rows, std::span<const std::int64_t> slack) {
  BarTable made{problem.database.n_sites, n_rows,
                std::vector<Word>(std::max<std::size_t>(1, checked_mul<std::size_t>(kBarLines, n_rows)))};
  const auto line = [&](BarLine which) {
    return made.words.begin() + static_cast<std::ptrdiff_t>(which * n_rows);
  };
  std::fill_n(line(kNeed), n_rows, Word{INT32_MAX});
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    line(kOwnWeight)[static_cast<std::ptrdiff_t>(i)] =
        most_weight(problem.comparison, problem.queries->row(i));
  std::ranges::transform(slack, line(kSlack), [](std::int64_t value) { return static_cast<Word>(value); });
  return made;
}

DeviceBars::DeviceBars(const cl::Context& context, const cl::Program& program, BarTable table)
    : table_(std::move(table)),
      buffer_(make_buffer(context, CL_MEM_READ_WRITE, table_.words.size() * sizeof(Word))),
      tally_(program, "tally"),
      tighten_(program, "tighten"),
      sift_(program, "sift") {
  const auto device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  tighteners_ = std::bit_floor(
      std::clamp<std::size_t>(tighten_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device), 1, kTighteners));
  tighten_.setArg(0, buffer_);
  tighten_.setArg(1, narrow<cl_uint>(table_.n_rows));
  tighten_.setArg(2, cl_uint{table_.n_sites});
  tighten_.setArg(9, cl::Local(tighteners_ * sizeof(cl_uint)));
  sift_.setArg(0, buffer_);
  sift_.setArg(1, narrow<cl_uint>(table_.n_rows));
}

void DeviceBars::set(LaneQueue& queue, std::span<const Bar> bars) {
  const bool all = sent_.size() != bars.size();
  if (all) sent_.assign(bars.begin(), bars.end());
  bool changed = all;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (!all && sent_[i] == bars[i]) continue;
    changed = true;
    sent_[i] = bars[i];
    set_row(i, bars[i]);
  }
  if (changed) send(queue);
}

void DeviceBars::send(LaneQueue& queue) const {
  queue.write(buffer_, table_.words.size() * sizeof(Word), table_.words.data());
}

void DeviceBars::set_row(std::size_t row, const Bar& bar) {
  const std::uint32_t limit = std::min(limit_of(bar, at(kOwnWeight, row)), table_.n_sites + 1);
  at(kLimit, row) = limit;
  at(kMaxCount, row) = bar.max_count;
  at(kNum, row) = bar.num;
  at(kDen, row) = bar.den;
  at(kRatio, row) = ratio_of(bar);
  const std::int64_t slack = static_cast<std::int32_t>(at(kSlack, row));
  at(kNeed, row) = static_cast<Word>(half_of(slack - (std::int64_t{limit} - 1)));
}

void DeviceBars::start_tally(const cl::Buffer& tallies, std::size_t first_tallied, std::size_t first,
                             std::size_t n) {
  n_tallied_ = n;
  tally_.setArg(3, narrow<cl_uint>(first_tallied));
  tally_.setArg(4, tallies);
  tighten_.setArg(4, narrow<cl_uint>(first));
  tighten_.setArg(5, narrow<cl_uint>(first_tallied));
  tighten_.setArg(6, tallies);
}

void DeviceBars::tighten(const cl::CommandQueue& queue, const DevicePairs& pairs, std::uint32_t keep,
                         std::uint32_t min_weight) {
  sent_.clear();
  tally_.setArg(0, pairs.buffer);
  tally_.setArg(1, pairs.capacity);
  tally_.setArg(2, cl_uint{min_weight});
  run_over_pairs(queue, tally_);
  tighten_.setArg(3, cl_uint{keep});
  tighten_.setArg(7, pairs.capacity);
  tighten_.setArg(8, pairs.buffer);
  queue.enqueueNDRangeKernel(tighten_, cl::NullRange, cl::NDRange(n_tallied_ * tighteners_),
                             cl::NDRange(tighteners_));
}

void DeviceBars::sift(const cl::CommandQueue& queue, const DevicePairs& pairs, const DevicePairs& left) {
  sift_.setArg(2, pairs.buffer);
  sift_.setArg(3, pairs.capacity);
  sift_.setArg(4, left.buffer);
  run_over_pairs(queue, sift_);
}

static_assert(kDen == kNum + 1);  // the two lines of a share

const Word* DeviceBars::fetch_closed(LaneQueue& queue) const {
  return queue.fetch(buffer_, kNum * table_.n_rows * sizeof(Word), 2 * table_.n_rows);
}

void DeviceBars::take_closed(LaneQueue& queue, std::span<Bar> bars, const Word* fetched) const {
  const std::size_t n_rows = table_.n_rows;
  std::vector<Word> read;
  if (fetched == nullptr) {
    read.resize(2 * n_rows);
    queue.read(buffer_, kNum * n_rows * sizeof(Word), read.size() * sizeof(Word), read.data());
    fetched = read.data();
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    bars[i].num = fetched[i];
    bars[i].den = fetched[n_rows + i];
  }
}

}  // namespace fastid
