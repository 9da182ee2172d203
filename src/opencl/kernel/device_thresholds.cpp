#include "opencl/kernel/device_thresholds.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

// Counts up to which sums of counts and offsets, and denominators' shares, fit in 31 bits (RATIO_BITS).
constexpr std::uint32_t kNarrowCount = 32767;

// RATIO and OFFSET of thresholds.h.
struct Line {
  std::uint64_t ratio = 0;
  std::int64_t offset = 0;
};

// Both rounded up. A fraction that is larger than RATIO can hold is left to the host: all pairs pass.
Line line_of(const engine::Threshold& threshold, const ThresholdTable& table) {
  const std::int64_t most = table.most_count;
  const Line open{0, most};
  if (threshold.den == 0) return open;
  const std::int64_t den = threshold.den;
  const std::int64_t offset = threshold.offset / den + (threshold.offset % den > 0 ? 1 : 0);
  const std::uint64_t ratio =
      ceil_div(std::uint64_t{threshold.num} << table.ratio_bits, std::uint64_t{threshold.den});
  if (offset >= most || ratio > std::uint64_t{table.most_ratio} << table.ratio_bits) return open;
  return {ratio, std::max(offset, -(most + 1))};
}

// Half of `value`, rounded up.
std::int32_t half_of(std::int64_t value) {
  return static_cast<std::int32_t>((value + 1) >> 1);
}

}  // namespace

bool is_wide(const engine::Problem& problem) {
  return engine::most_count(problem) > kNarrowCount;
}

std::uint32_t ratio_bits(const engine::Problem& problem) {
  return is_wide(problem) ? 29 : 15;
}

// Rows past the last query, and all rows until they are set, let no pair pass: no count is below their limit
// of 0, and none reaches their need.
ThresholdTable make_threshold_table(const engine::Problem& problem, std::size_t n_rows,
                                    std::span<const std::int64_t> slack) {
  const engine::Terms terms = engine::terms_of(problem.comparison, problem.by);
  const std::uint64_t denominators = terms.lesser ? 1 : terms.n_denominator;
  const std::uint64_t largest_denominator = std::max(1u, problem.database.n_sites) * denominators;
  ThresholdTable made{
      .most_count = narrow<std::uint32_t>(engine::most_count(problem)),
      .ratio_bits = ratio_bits(problem),
      .most_ratio = static_cast<std::uint32_t>(engine::most_count(problem) / largest_denominator),
      .n_rows = n_rows,
      .words =
          std::vector<Word>(std::max<std::size_t>(1, checked_mul<std::size_t>(kThresholdLines, n_rows)))};
  const auto line = [&](ThresholdLine which) {
    return made.words.begin() + static_cast<std::ptrdiff_t>(which * n_rows);
  };
  std::fill_n(line(kNeed), n_rows, Word{INT32_MAX});
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    line(kOwnDenominator)[static_cast<std::ptrdiff_t>(i)] =
        engine::most_denominator(problem, problem.queries->row(i));
  std::ranges::transform(slack, line(kSlack), [](std::int64_t value) { return static_cast<Word>(value); });
  return made;
}

void ThresholdTable::set(std::size_t row, const engine::Threshold& threshold) {
  const std::uint32_t limit = engine::limit_of(threshold, at(kOwnDenominator, row), most_count);
  const Line line = line_of(threshold, *this);
  at(kLimit, row) = limit;
  at(kRatio, row) = static_cast<Word>(line.ratio);
  at(kOffset, row) = static_cast<Word>(line.offset);
  const std::int64_t slack = static_cast<std::int32_t>(at(kSlack, row));
  at(kNeed, row) = static_cast<Word>(half_of(slack - (std::int64_t{limit} - 1)));
}

DeviceThresholds::DeviceThresholds(const cl::Context& context, ThresholdTable table)
    : table_(std::move(table)),
      buffer_(make_buffer(context, CL_MEM_READ_ONLY, table_.words.size() * sizeof(Word))) {}

void DeviceThresholds::set(WorkerQueue& queue, std::span<const engine::Threshold> thresholds) {
  const bool all = sent_.size() != thresholds.size();
  if (all) sent_.assign(thresholds.begin(), thresholds.end());
  bool changed = all;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!all && sent_[i] == thresholds[i]) continue;
    changed = true;
    sent_[i] = thresholds[i];
    table_.set(i, thresholds[i]);
  }
  if (changed) queue.write(buffer_, table_.words.size() * sizeof(Word), table_.words.data());
}

}  // namespace fastid::opencl
