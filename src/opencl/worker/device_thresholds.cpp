#include "opencl/worker/device_thresholds.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

// A threshold's fraction in units of 2^-15, rounded up, at most 1.
std::uint32_t ratio_of(const Threshold& threshold) {
  constexpr std::uint64_t kOne = 32768;
  if (threshold.den == 0) return kOne;
  return static_cast<std::uint32_t>(
      std::min(kOne, ceil_div(threshold.num * kOne, std::uint64_t{threshold.den})));
}

// Half of `value`, rounded up.
std::int32_t half_of(std::int64_t value) {
  return static_cast<std::int32_t>((value + 1) >> 1);
}

}  // namespace

// Rows past the last query, and all rows until they are set, let no pair pass: no count is below their limit
// of 0, and none reaches their need.
ThresholdTable make_threshold_table(const Problem& problem, std::size_t n_rows,
                                    std::span<const std::int64_t> slack) {
  ThresholdTable made{
      most_count(problem), n_rows,
      std::vector<Word>(std::max<std::size_t>(1, checked_mul<std::size_t>(kThresholdLines, n_rows)))};
  const auto line = [&](ThresholdLine which) {
    return made.words.begin() + static_cast<std::ptrdiff_t>(which * n_rows);
  };
  std::fill_n(line(kNeed), n_rows, Word{INT32_MAX});
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    line(kOwnDenominator)[static_cast<std::ptrdiff_t>(i)] =
        most_denominator(problem, problem.queries->row(i));
  std::ranges::transform(slack, line(kSlack), [](std::int64_t value) { return static_cast<Word>(value); });
  return made;
}

DeviceThresholds::DeviceThresholds(const cl::Context& context, ThresholdTable table)
    : table_(std::move(table)),
      buffer_(make_buffer(context, CL_MEM_READ_ONLY, table_.words.size() * sizeof(Word))) {}

void DeviceThresholds::set(WorkerQueue& queue, std::span<const Threshold> thresholds) {
  const bool all = sent_.size() != thresholds.size();
  if (all) sent_.assign(thresholds.begin(), thresholds.end());
  bool changed = all;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!all && sent_[i] == thresholds[i]) continue;
    changed = true;
    sent_[i] = thresholds[i];
    set_row(i, thresholds[i]);
  }
  if (changed) queue.write(buffer_, table_.words.size() * sizeof(Word), table_.words.data());
}

void DeviceThresholds::set_row(std::size_t row, const Threshold& threshold) {
  const std::uint32_t limit = limit_of(threshold, at(kOwnDenominator, row), table_.most_count);
  at(kLimit, row) = limit;
  at(kNum, row) = threshold.num;
  at(kDen, row) = threshold.den;
  at(kRatio, row) = ratio_of(threshold);
  const std::int64_t slack = static_cast<std::int32_t>(at(kSlack, row));
  at(kNeed, row) = static_cast<Word>(half_of(slack - (std::int64_t{limit} - 1)));
}

}  // namespace fastid
