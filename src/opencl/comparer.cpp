#include "opencl/comparer.hpp"

#include "base/checked.hpp"

namespace fastid {

Comparer::Comparer(const cl::Context& context, const cl::Program& program, const Problem& problem,
                   std::size_t n_rows, std::span<const std::int64_t> slack)
    : bars_(context, program, problem, n_rows, slack),
      gather_(program, "gather"),
      count_damaged_(program, "count_damaged") {
  count_damaged_.setArg(2, cl_uint{problem.has_called ? 2U : 1U});
  count_damaged_.setArg(3, narrow<cl_uint>(problem.database.n_words()));
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

void Comparer::count_damaged(const cl::CommandQueue& queue, const DeviceTile& tile, std::size_t n,
                             const cl::Buffer& checksums, const cl::Buffer& n_damaged,
                             std::vector<cl::Event>& events) {
  constexpr std::size_t kGroupBlocks = 8, kBlockItems = 8;  // as block_checksum.h has them
  count_damaged_.setArg(0, tile.bits);
  count_damaged_.setArg(1, tile.called);
  count_damaged_.setArg(4, narrow<cl_uint>(n));
  count_damaged_.setArg(5, checksums);
  count_damaged_.setArg(6, n_damaged);
  queue.enqueueNDRangeKernel(count_damaged_, cl::NullRange,
                             cl::NDRange(ceil_div(n, kGroupBlocks) * kGroupBlocks * kBlockItems),
                             cl::NDRange(kGroupBlocks * kBlockItems), nullptr, &events.emplace_back());
}

}  // namespace fastid
