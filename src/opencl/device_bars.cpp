#include "opencl/device_bars.hpp"

#include <algorithm>
#include <bit>

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

void run_over_pairs(const cl::CommandQueue& queue, const cl::Kernel& kernel, std::vector<cl::Event>& events) {
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kGroups * kGroupItems), cl::NullRange,
                             nullptr, &events.emplace_back());
}

}  // namespace

DeviceBars::DeviceBars(const cl::Context& context, const cl::Program& program, const Problem& problem,
                       std::size_t n_rows, std::span<const std::int64_t> slack)
    : n_sites_(problem.database.n_sites),
      n_rows_(n_rows),
      words_(std::max<std::size_t>(1, kBarLines * n_rows)),
      tally_(program, "tally"),
      tighten_(program, "tighten"),
      sift_(program, "sift") {
  // Rows past the last query, and all until they are set: a limit that nothing is below, a need that nothing
  // meets (compare_ref.cl, which has neither, takes them for bars that a count of 0 passes).
  std::fill_n(words_.begin() + static_cast<std::ptrdiff_t>(kNeed * n_rows), n_rows, Word{INT32_MAX});
  const std::size_t n_queries = problem.queries->n_rows();
  for (std::size_t i = 0; i < n_queries; ++i)
    at(kOwnWeight, i) = most_weight(problem.comparison, problem.queries->row(i));
  for (std::size_t i = 0; i < slack.size(); ++i) at(kSlack, i) = static_cast<Word>(slack[i]);
  table_ = make_buffer(context, CL_MEM_READ_WRITE, words_.size() * sizeof(Word), words_.data());
  const auto device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  tighteners_ = std::bit_floor(
      std::clamp<std::size_t>(tighten_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device), 1, kTighteners));
  tighten_.setArg(0, table_);
  tighten_.setArg(1, narrow<cl_uint>(n_rows));
  tighten_.setArg(2, cl_uint{n_sites_});
  tighten_.setArg(9, cl::Local(tighteners_ * sizeof(cl_uint)));
  sift_.setArg(0, table_);
  sift_.setArg(1, narrow<cl_uint>(n_rows));
}

void DeviceBars::set(const cl::CommandQueue& queue, std::span<const Bar> bars) {
  const bool all = sent_.size() != bars.size();
  if (all) sent_.assign(bars.begin(), bars.end());
  bool changed = all;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (!all && sent_[i] == bars[i]) continue;
    changed = true;
    sent_[i] = bars[i];
    set_row(i, bars[i]);
  }
  if (changed) queue.enqueueWriteBuffer(table_, CL_FALSE, 0, words_.size() * sizeof(Word), words_.data());
}

void DeviceBars::set_row(std::size_t row, const Bar& bar) {
  const std::uint32_t limit = std::min(limit_of(bar, at(kOwnWeight, row)), n_sites_ + 1);
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
                         std::uint32_t min_weight, std::vector<cl::Event>& events) {
  sent_.clear();
  tally_.setArg(0, pairs.buffer);
  tally_.setArg(1, pairs.capacity);
  tally_.setArg(2, cl_uint{min_weight});
  run_over_pairs(queue, tally_, events);
  tighten_.setArg(3, cl_uint{keep});
  tighten_.setArg(7, pairs.capacity);
  tighten_.setArg(8, pairs.buffer);
  queue.enqueueNDRangeKernel(tighten_, cl::NullRange, cl::NDRange(n_tallied_ * tighteners_),
                             cl::NDRange(tighteners_), nullptr, &events.emplace_back());
}

void DeviceBars::sift(const cl::CommandQueue& queue, const DevicePairs& pairs, const DevicePairs& left,
                      std::vector<cl::Event>& events) {
  sift_.setArg(2, pairs.buffer);
  sift_.setArg(3, pairs.capacity);
  sift_.setArg(4, left.buffer);
  run_over_pairs(queue, sift_, events);
}

void DeviceBars::take_closed(const cl::CommandQueue& queue, std::span<Bar> bars) const {
  static_assert(kDen == kNum + 1);
  std::vector<Word> shares(2 * n_rows_);
  queue.enqueueReadBuffer(table_, CL_TRUE, kNum * n_rows_ * sizeof(Word), shares.size() * sizeof(Word),
                          shares.data());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    bars[i].num = shares[i];
    bars[i].den = shares[n_rows_ + i];
  }
}

}  // namespace fastid
