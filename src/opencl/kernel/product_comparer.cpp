#include "opencl/kernel/product_comparer.hpp"

#include <algorithm>

#include "engine/kernel_case.hpp"

namespace fastid {

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
                                 const Problem& problem, const KernelConfig& config, const DeviceTile& tile,
                                 const ProductInputs& inputs)
    : Comparer(context, program, "count_all", problem, inputs.bars),
      problem_(problem),
      units_(std::max(1u, config.hw_compute_units)),
      compare_(program, "compare"),
      weigh_(program, "weigh"),
      weighs_(inputs.weighs),
      queries_(inputs.queries) {
  set_fixed_arguments(tile, inputs.bars.n_rows, context.getInfo<CL_CONTEXT_DEVICES>().front());
}

void ProductComparer::read_from(const DeviceTile& tile) {
  for (cl::Kernel* kernel : {&compare_, &count_kernel()}) {
    kernel->setArg(3, tile.bits);
    kernel->setArg(4, tile.called);
  }
  compare_.setArg(5, tile.weights);
  if (!weighs_) return;
  weigh_.setArg(0, reads_called(kernel_case(problem_)) ? tile.called : tile.bits);
  weigh_.setArg(3, tile.weights);
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

void ProductComparer::set_fixed_arguments(const DeviceTile& tile, std::size_t n_rows,
                                          const cl::Device& device) {
  const cl_uint n_words = narrow<cl_uint>(problem_.database.n_words());
  for (cl::Kernel* kernel : {&compare_, &count_kernel()}) {
    kernel->setArg(0, queries_);
    kernel->setArg(1, bars().buffer());
    kernel->setArg(2, narrow<cl_uint>(n_rows));
  }
  ProductComparer::read_from(tile);  // whoever derives from it is not there yet
  compare_.setArg(6, n_words);
  compare_.setArg(12, tile.found.capacity);
  compare_.setArg(13, tile.found.buffer);
  count_kernel().setArg(5, n_words);
  if (!weighs_) return;
  weigh_.setArg(1, n_words);
  weigh_items_ = weigh_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
}

}  // namespace fastid
