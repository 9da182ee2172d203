#include "opencl/comparer.hpp"

#include "base/checked.hpp"

namespace fastid {

Comparer::Comparer(const cl::Context& context, const cl::Program& program, const Problem& problem,
                   std::size_t n_rows, std::span<const std::int64_t> slack)
    : bars_(context, program, problem, n_rows, slack), gather_(program, "gather") {}

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

}  // namespace fastid
