// The engine's kernels against the plain one (plain_kernel.cl) on the same device: what is wrong with both is
// wrong with the device.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "opencl/device/cl_api.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/engine_world.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

using namespace testing;

class PlainKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (opencl::list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    device_ = opencl::select_opencl_device(opencl_selector());
  }

  // Every pair of a world, by the plain kernel.
  std::vector<engine::Pair> plain_pairs(const World& world) const {
    const std::size_t n_queries = world.queries().size(), n_profiles = world.stored().size();
    const std::size_t n_words = world.problem.database.n_words();
    const cl::Context context(device_->device);
    const cl::CommandQueue queue(context, device_->device);
    const auto buffer_of = [&](std::vector<Word> words) {
      return cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, words.size() * sizeof(Word),
                        words.data());
    };
    const auto rows = [&](auto plane) {
      std::vector<Word> words(n_queries * n_words);
      for (std::size_t i = 0; i < n_queries; ++i)
        for (std::size_t s = 0; s < world.problem.database.n_sites; ++s)
          if ((world.queries()[i].*plane)[s])
            words[i * n_words + s / kWordBits] |= Word{1} << (s % kWordBits);
      return words;
    };
    const auto blocks = [&](auto plane) {
      std::vector<Word> words((n_profiles + 31) / 32 * 32 * n_words);
      pack_plane(world.stored(), plane, world.problem.database.n_sites, words.data());
      return words;
    };
    std::ifstream file(FASTID_PLAIN_KERNEL);
    if (!file) throw std::runtime_error("cannot read " FASTID_PLAIN_KERNEL);
    cl::Program program(context, std::string(std::istreambuf_iterator<char>(file), {}));
    program.build({device_->device}, "-cl-std=CL1.2");
    cl::Kernel kernel(program, "count_pairs");
    std::vector<cl_uint4> counts(n_queries * n_profiles);
    const cl::Buffer out(context, CL_MEM_WRITE_ONLY, counts.size() * sizeof(cl_uint4));
    std::vector<cl::Buffer> inputs;
    for (const auto plane : {&Person::minor, &Person::major, &Person::called})
      inputs.push_back(buffer_of(rows(plane)));
    for (const auto plane : {&Person::minor, &Person::major, &Person::called})
      inputs.push_back(buffer_of(blocks(plane)));
    for (cl_uint i = 0; i < inputs.size(); ++i) kernel.setArg(i, inputs[i]);
    kernel.setArg(6, static_cast<cl_uint>(n_words));
    kernel.setArg(7, static_cast<cl_uint>(world.comparison));
    kernel.setArg(8, cl_uint{world.problem.by == Encoding::kAlleles ? 1u : 0u});
    kernel.setArg(9, out);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n_profiles, n_queries));
    queue.enqueueReadBuffer(out, CL_TRUE, 0, counts.size() * sizeof(cl_uint4), counts.data());
    std::vector<engine::Pair> pairs;
    for (std::uint64_t row = 0; row < n_profiles; ++row)
      for (std::uint32_t query = 0; query < n_queries; ++query) {
        const cl_uint4& of = counts[query * n_profiles + row];
        pairs.push_back({row, query, {of.s[0], of.s[1], of.s[2]}});
      }
    return pairs;
  }

  std::optional<opencl::OpenClDevice> device_;
};

TEST_F(PlainKernel, CountsWhatTheOracleAndTheEnginesKernelsCount) {
  const auto engine = opencl::make_opencl_engine(opencl_selector(), {});
  for (const auto& [comparison, masks] : questions())
    for (const Size& size : {Size{1, 33, 2}, Size{33, 65, 17}, Size{1000, 97, 9}}) {
      SCOPED_TRACE(::testing::Message() << "comparison " << static_cast<int>(comparison) << masks << ", "
                                        << size.sites << " sites");
      const World world(size, masks, comparison);
      const std::vector<engine::Threshold> open(size.queries);
      const std::vector<engine::Pair> plain = plain_pairs(world);
      EXPECT_EQ(plain, expected(world, size.profiles, open));
      const Opened worker(*engine, world.problem, 4);
      EXPECT_EQ(found(*worker, world, size.profiles, open), plain);
    }
}

}  // namespace
}  // namespace fastid
