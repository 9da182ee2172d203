// compare_ref.cl on the host's side: the queries' planes as they are, one work-item a pair.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "opencl/device_buffer.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid {
namespace {

constexpr std::size_t kGroupItems = 64;  // work-items in a group, along the profiles

// As FASTID_MASK of compare_ref.cl has it.
int mask_of(const Problem& problem) {
  if (problem.has_called) return 2;
  return problem.queries->all_called() ? 0 : 1;
}

// The queries' planes, on the device.
struct PlainQueries {
  cl::Buffer bits, called;
  BarTable bars;
};

PlainQueries packed(const cl::Context& context, const Problem& problem) {
  const ProfileRows& queries = *problem.queries;
  std::vector<Word> bits, called;
  for (std::size_t i = 0; i < queries.n_rows(); ++i) {
    const RowView row = queries.row(i);
    bits.insert(bits.end(), row.bits.begin(), row.bits.end());
    called.insert(called.end(), row.called.begin(), row.called.end());
  }
  return {make_copy(context, std::move(bits)), make_copy(context, std::move(called)),
          make_bar_table(problem, queries.n_rows(), {})};
}

class PlainComparer final : public Comparer {
 public:
  PlainComparer(const cl::Context& context, const cl::Device& device, const cl::Program& program,
                const Problem& problem, const PlainQueries& queries, const DeviceTile& tile)
      : Comparer(context, program, "count_ref", problem, queries.bars),
        problem_(problem),
        compare_(program, "compare_ref"),
        queries_(queries) {
    const std::size_t most = compare_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
    group_items_ = std::min(kGroupItems, most);
    set_fixed_arguments(tile);
  }

  void read_from(const DeviceTile& tile) override {
    for (cl::Kernel* kernel : {&compare_, &count_kernel()}) {
      kernel->setArg(2, tile.bits);
      kernel->setArg(3, tile.called);
    }
  }

  void prepare(const cl::CommandQueue&, const BlockRange&, std::vector<cl::Event>&) override {}

  void compare(const cl::CommandQueue& queue, const PairRange& range, std::size_t,
               std::vector<cl::Event>& events) override {
    compare_.setArg(6, narrow<cl_uint>(range.first_profile));
    compare_.setArg(7, narrow<cl_uint>(range.end_profile));
    compare_.setArg(8, narrow<cl_uint>(range.first_query));
    const std::size_t items = ceil_div(range.profiles(), group_items_) * group_items_;
    queue.enqueueNDRangeKernel(compare_, cl::NullRange, cl::NDRange(items, range.queries()),
                               cl::NDRange(group_items_, 1), nullptr, &events.emplace_back());
  }

 private:
  void set_fixed_arguments(const DeviceTile& tile) {
    read_from(tile);
    for (cl::Kernel* kernel : {&compare_, &count_kernel()}) {
      kernel->setArg(0, queries_.bits);
      kernel->setArg(1, queries_.called);
      kernel->setArg(4, narrow<cl_uint>(problem_.database.n_words()));
      kernel->setArg(5, cl_uint{problem_.database.n_sites});
    }
    compare_.setArg(9, bars().buffer());
    compare_.setArg(10, narrow<cl_uint>(problem_.queries->n_rows()));
    compare_.setArg(11, tile.found.capacity);
    compare_.setArg(12, tile.found.buffer);
  }

  Problem problem_;
  cl::Kernel compare_;
  PlainQueries queries_;
  std::size_t group_items_ = 1;
};

}  // namespace

std::string plain_options(const Problem& problem) {
  return fmt::format("-cl-std=CL1.2 -D FASTID_COMPARISON={} -D FASTID_MASK={}",
                     static_cast<int>(problem.comparison), mask_of(problem));
}

ComparerMaker pack_for_plain(const cl::Context& context, const cl::Device& device, const cl::Program& program,
                             const Problem& problem) {
  return [=, queries = packed(context, problem)](const DeviceTile& tile) {
    return std::make_unique<PlainComparer>(context, device, program, problem, queries, tile);
  };
}

}  // namespace fastid
