#include "opencl/product_comparer.hpp"

#include <algorithm>

#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

// A bar's share in units of 2^-15, rounded up; no share is more than 1.
std::uint32_t ratio_of(const Bar& bar) {
  constexpr std::uint64_t kOne = 32768;
  if (bar.den == 0) return kOne;
  return static_cast<std::uint32_t>(std::min(kOne, ceil_div(bar.num * kOne, std::uint64_t{bar.den})));
}

bool same_bar(const Bar& a, const Bar& b) {
  return a.max_count == b.max_count && a.num == b.num && a.den == b.den;
}

// Half of it, rounded up.
std::int32_t half_of(std::int64_t value) {
  return static_cast<std::int32_t>((value + 1) >> 1);
}

}  // namespace

bool nearly_all_called(const Problem& problem) {
  const std::uint64_t sites = problem.database.n_sites;
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    if (problem.queries->called_sites(i) * std::uint64_t{100} < sites * 97) return false;
  return true;
}

bool counts_pair_weights(const Problem& problem) {
  if (weight_source(kernel_case(problem)) != WeightOf::kPair) return false;
  return problem.comparison == Comparison::kReverseMixture || !nearly_all_called(problem);
}

ProductComparer::ProductComparer(const cl::Context& context, const cl::Program& program,
                                 const Problem& problem, const DeviceTile& tile, const ProductInputs& inputs)
    : problem_(problem),
      context_(context),
      n_rows_(inputs.n_rows),
      compare_(program, "compare"),
      weigh_(program, "weigh"),
      count_(program, "count_all"),
      slack_(inputs.slack),
      weighs_(inputs.weighs),
      table_(std::max<std::size_t>(1, kBarLines * n_rows_)) {
  // Rows past the last query: a limit that nothing is below, a need that nothing meets.
  std::fill_n(table_.begin() + static_cast<std::ptrdiff_t>(kNeed * n_rows_), n_rows_, Word{INT32_MAX});
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    table_[kOwnWeight * n_rows_ + i] = most_weight(problem.comparison, problem.queries->row(i));
  std::vector<Word> words = inputs.queries;
  words.resize(std::max<std::size_t>(1, words.size()));
  queries_ = make_buffer(context, CL_MEM_READ_ONLY, words.size() * sizeof(Word), words.data());
  bars_ = make_buffer(context, CL_MEM_READ_ONLY, table_.size() * sizeof(Word));
  set_fixed_arguments(tile, context.getInfo<CL_CONTEXT_DEVICES>().front());
}

void ProductComparer::set_bars(const cl::CommandQueue& queue, std::span<const Bar> bars) {
  const bool first = sent_.size() != bars.size();
  if (first) sent_.assign(bars.begin(), bars.end());
  bool changed = first;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (!first && same_bar(sent_[i], bars[i])) continue;
    changed = true;
    sent_[i] = bars[i];
    set_bar(i, bars[i]);
  }
  if (changed) send_table(queue);
}

void ProductComparer::set_bar(std::size_t row, const Bar& bar) {
  const std::uint32_t weight = table_[kOwnWeight * n_rows_ + row];
  const std::uint32_t limit = std::min(limit_of(bar, weight), problem_.database.n_sites + 1);
  table_[kLimit * n_rows_ + row] = limit;
  table_[kMaxCount * n_rows_ + row] = bar.max_count;
  table_[kNum * n_rows_ + row] = bar.num;
  table_[kDen * n_rows_ + row] = bar.den;
  table_[kRatio * n_rows_ + row] = ratio_of(bar);
  if (!slack_.empty())
    table_[kNeed * n_rows_ + row] =
        static_cast<Word>(half_of(slack_[row] - (static_cast<std::int64_t>(limit) - 1)));
}

void ProductComparer::read_from(const DeviceTile& tile) {
  for (cl::Kernel* kernel : {&compare_, &count_}) {
    kernel->setArg(3, tile.bits);
    kernel->setArg(4, tile.called);
  }
  if (weighs_ && tile.most_profiles > weighed_) {
    weights_ = make_buffer(context_, CL_MEM_READ_WRITE, tile.most_profiles * sizeof(Word));
    weighed_ = tile.most_profiles;
    weigh_.setArg(3, weights_);
  }
  compare_.setArg(5, weighs_ ? weights_ : tile.bits);  // not read where there are none
  if (weighs_) weigh_.setArg(0, reads_called(kernel_case(problem_)) ? tile.called : tile.bits);
}

void ProductComparer::prepare(const cl::CommandQueue& queue, const BlockRange& blocks,
                              std::vector<cl::Event>& events) {
  if (!weighs_) return;
  constexpr std::size_t kGroupItems = 256;  // as many as every driver runs; the kernel needs nothing of them
  const std::size_t group = std::min(kGroupItems, weigh_items_);
  const std::size_t first = blocks.first * kLanes, end = blocks.end * kLanes;
  weigh_.setArg(2, narrow<cl_uint>(end));
  queue.enqueueNDRangeKernel(weigh_, cl::NDRange(first), cl::NDRange(ceil_div(end - first, group) * group),
                             cl::NDRange(group), nullptr, &events.emplace_back());
}

void ProductComparer::compare(const cl::CommandQueue& queue, const PairRange& range, std::size_t end_block,
                              std::vector<cl::Event>& events) {
  compare_.setArg(7, narrow<cl_uint>(end_block));
  compare_.setArg(8, narrow<cl_uint>(range.first_profile));
  compare_.setArg(9, narrow<cl_uint>(range.end_profile));
  compare_.setArg(10, narrow<cl_uint>(range.first_query));
  compare_.setArg(11, narrow<cl_uint>(range.end_query));
  const Launch run = launch(compare_, range);
  queue.enqueueNDRangeKernel(compare_, cl::NullRange, run.items, run.group, nullptr, &events.emplace_back());
}

void ProductComparer::count(const cl::CommandQueue& queue, const BlockSeries& series, std::size_t n_profiles,
                            std::size_t first_query, std::size_t n_queries, const cl::Buffer& counts,
                            std::vector<cl::Event>& events) {
  count_.setArg(6, narrow<cl_uint>(series.first));
  count_.setArg(7, narrow<cl_uint>(series.step));
  count_.setArg(8, narrow<cl_uint>(n_profiles));
  count_.setArg(9, narrow<cl_uint>(first_query));
  count_.setArg(10, counts);
  if (sent_.empty()) send_table(queue);  // a count may come before any bars
  queue.enqueueNDRangeKernel(count_, cl::NullRange, cl::NDRange(series.n * kLanes, n_queries),
                             cl::NDRange(kLanes, 1), nullptr, &events.emplace_back());
}

void ProductComparer::set_fixed_arguments(const DeviceTile& tile, const cl::Device& device) {
  const cl_uint n_rows = narrow<cl_uint>(n_rows_), n_words = narrow<cl_uint>(problem_.database.n_words());
  for (cl::Kernel* kernel : {&compare_, &count_}) {
    kernel->setArg(0, queries_);
    kernel->setArg(1, bars_);
    kernel->setArg(2, n_rows);
  }
  read_from(tile);
  compare_.setArg(6, n_words);
  compare_.setArg(12, tile.capacity);
  compare_.setArg(13, tile.found);
  count_.setArg(5, n_words);
  if (!weighs_) return;
  weigh_.setArg(1, n_words);
  weigh_items_ = weigh_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
}

void ProductComparer::send_table(const cl::CommandQueue& queue) {
  queue.enqueueWriteBuffer(bars_, CL_FALSE, 0, table_.size() * sizeof(Word), table_.data());
}

}  // namespace fastid
