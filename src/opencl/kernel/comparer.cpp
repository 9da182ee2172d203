#include "opencl/kernel/comparer.hpp"

#include <utility>

#include "base/checked.hpp"

namespace fastid {

namespace {

constexpr std::size_t kGroupBlocks = 8, kGroupItems = 8 * kGroupBlocks;  // as block_checksum.h has them
constexpr std::size_t kLeastBytes = 256;  // shorter blocks' checksums are made otherwise than there

}  // namespace

Comparer::Comparer(const cl::Context& context, const cl::Program& program, const char* count,
                   const Problem& problem, BarTable bars)
    : bars_(context, program, std::move(bars)),
      count_(program, count),
      gather_(program, "gather"),
      count_sound_(program, "count_sound") {
  const std::size_t planes = problem.has_called ? 2 : 1;
  count_sound_.setArg(2, narrow<cl_uint>(planes));
  count_sound_.setArg(3, narrow<cl_uint>(problem.database.n_words()));
  const auto device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  makes_checksums_ = planes * problem.database.block_bytes() >= kLeastBytes &&
                     count_sound_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device) >= kGroupItems;
}

void Comparer::count(const cl::CommandQueue& queue, const BlockSeries& series, std::size_t n_profiles,
                     std::size_t first_query, std::size_t n_queries, const cl::Buffer& counts,
                     std::vector<cl::Event>& events) {
  count_.setArg(6, narrow<cl_uint>(series.first));
  count_.setArg(7, narrow<cl_uint>(series.step));
  count_.setArg(8, narrow<cl_uint>(n_profiles));
  count_.setArg(9, narrow<cl_uint>(first_query));
  count_.setArg(10, counts);
  queue.enqueueNDRangeKernel(count_, cl::NullRange, cl::NDRange(series.n * kLanes, n_queries), cl::NullRange,
                             nullptr, &events.emplace_back());
}

void Comparer::gather(const cl::CommandQueue& queue, const cl::Buffer& plane, const BlockShape& shape,
                      const cl::Buffer& places, const cl::Buffer& to, std::vector<cl::Event>& events) {
  gather_.setArg(0, plane);
  gather_.setArg(1, narrow<cl_uint>(shape.n_words()));
  gather_.setArg(2, places);
  gather_.setArg(3, narrow<cl_uint>(shape.n_profiles));
  gather_.setArg(4, to);
  queue.enqueueNDRangeKernel(
      gather_, cl::NullRange,
      cl::NDRange(static_cast<std::size_t>(shape.n_blocks()) * kLanes, shape.n_words()), cl::NullRange,
      nullptr, &events.emplace_back());
}

void Comparer::count_sound(const cl::CommandQueue& queue, const DeviceTile& tile, const BlockRange& blocks,
                           const DeviceSums& sums, const cl::Buffer& n_sound,
                           std::vector<cl::Event>& events) {
  count_sound_.setArg(0, tile.bits);
  count_sound_.setArg(1, tile.called);
  count_sound_.setArg(4, narrow<cl_uint>(blocks.first));
  count_sound_.setArg(5, narrow<cl_uint>(blocks.end));
  count_sound_.setArg(6, sums.buffer);
  count_sound_.setArg(7, cl_ulong{sums.first});
  count_sound_.setArg(8, n_sound);
  queue.enqueueNDRangeKernel(count_sound_, cl::NullRange,
                             cl::NDRange(ceil_div(blocks.size(), kGroupBlocks) * kGroupItems),
                             cl::NDRange(kGroupItems), nullptr, &events.emplace_back());
}

}  // namespace fastid
