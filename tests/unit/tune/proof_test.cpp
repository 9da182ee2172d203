// That the proof finds what it is there for: workers that miss a pair, make one up, or count one too many;
// and kernels that write past a buffer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "model/registry.hpp"
#include "opencl/device_buffer.hpp"
#include "support/on_a_device.hpp"
#include "tune/measure/bench.hpp"
#include "tune/measure/sample.hpp"

namespace fastid::tune {
namespace {

using ::testing::HasSubstr;

// The reference, but for what `twist` makes of its answer.
struct Twisted : engine::Worker {
  using Twist = std::function<void(std::vector<engine::Pair>&)>;
  std::unique_ptr<engine::Engine> engine = engine::make_reference_engine({});
  std::unique_ptr<engine::PreparedQueries> queries;
  std::unique_ptr<engine::Worker> right;
  Twist twist;

  Twisted(const Sample& sample, Twist how)
      : queries(engine->prepare(sample.problem(), {.workers = 0})),
        right(queries->open_worker(sample.blocks())),
        twist(std::move(how)) {}
  engine::TileBuffer buffer() override { return right->buffer(); }
  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const engine::Threshold> thresholds,
                      std::vector<engine::Pair>& out) override {
    const std::size_t damaged = right->compare(tile, checksums, thresholds, out);
    twist(out);
    return damaged;
  }
};

TEST(Proof, TellsEveryKindOfMiscount) {
  const Sample sample(engine::Comparison::kMixture, {5, 70, 100}, {true, true});
  const auto fault = [&](Twisted::Twist how) {
    Twisted worker(sample, std::move(how));
    return difference(sample, worker);
  };
  EXPECT_EQ(fault([](auto&) {}), "");
  EXPECT_EQ(fault([](auto& out) { std::ranges::reverse(out); }), "");  // the order is free
  EXPECT_THAT(fault([](auto& out) { out.pop_back(); }), HasSubstr("it counts wrong"));
  EXPECT_THAT(fault([](auto& out) { out.push_back(out.front()); }), HasSubstr("it counts wrong"));
  EXPECT_THAT(fault([](auto& out) { ++out.front().counts.count; }), HasSubstr("it counts wrong"));
  EXPECT_THAT(fault([](auto& out) { --out.back().counts.denominator; }), HasSubstr("it counts wrong"));
  EXPECT_THAT(fault([](auto& out) { --out.back().counts.compared; }), HasSubstr("it counts wrong"));
  EXPECT_THAT(fault([](auto& out) { ++out.back().row; }), HasSubstr("it counts wrong"));
}

TEST(Proof, MiddleThresholdsPassSomePairsAndNotOthers) {
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture,
        engine::Comparison::kKinship}) {
    const bool kin = comparison == engine::Comparison::kKinship;
    const Sample sample(comparison, {9, 200, 300}, {kin, kin}, kin ? Encoding::kAlleles : Encoding::kMinor);
    const auto engine = engine::make_reference_engine({});
    const auto queries = engine->prepare(sample.problem(), {.workers = 0});
    const auto worker = queries->open_worker(sample.blocks());
    const std::size_t passed = sample.found(*worker, sample.middle_thresholds()).size();
    EXPECT_GT(passed, 9u * 200 / 10);
    EXPECT_LT(passed, 9u * 200 * 9 / 10);
  }
}

using testing::OnADevice;

TEST_F(OnADevice, AGuardSeesWritesOnEitherSideOfABufferAndNoOthers) {
  const cl::Context context(device_->device);
  const cl::CommandQueue queue(context, device_->device);
  cl::Program program(context, "__kernel void put(__global uchar *at, int place) { at[place] = 7; }\n");
  program.build({device_->device}, "");
  constexpr int kBytes = 1000;
  const auto whole_after = [&](int place) {
    const opencl::BufferGuard guard;
    const std::vector<unsigned char> content(kBytes, 3);
    const cl::Buffer buffer = opencl::make_buffer(context, CL_MEM_READ_WRITE, kBytes, content.data());
    cl::Kernel kernel(program, "put");
    kernel.setArg(0, buffer);
    kernel.setArg(1, place);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
    queue.finish();
    std::vector<unsigned char> found(kBytes);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, kBytes, found.data());
    EXPECT_EQ(std::ranges::count(found, 3), place < 0 || place >= kBytes ? kBytes : kBytes - 1);
    EXPECT_EQ(guard.buffers(), 1u);
    return guard.whole();
  };
  EXPECT_TRUE(whole_after(0));
  EXPECT_TRUE(whole_after(kBytes - 1));
  EXPECT_FALSE(whole_after(kBytes));
  EXPECT_FALSE(whole_after(-1));
}

TEST_F(OnADevice, TheGenericConfigIsProvedAndRunByTheDevicesClock) {
  const auto bench = make_opencl_config_bench(device_->facts);
  const model::KernelConfig config = model::embedded_config("generic");
  EXPECT_EQ(bench->prove(config, model::MicroKernel::kPopcount, Proof::kTimed), "");
  const RunTime run = bench->run(config, model::MicroKernel::kPopcount, {3, 500, 256});
  EXPECT_GT(run.kernel_seconds, 0);
}

TEST_F(OnADevice, AConfigThatDoesNotBuildSaysSo) {
  model::KernelConfig config = model::embedded_config("generic");
  config.m_r = 3;
  const auto bench = make_opencl_config_bench(device_->facts);
  EXPECT_THROW(bench->prove(config, model::MicroKernel::kPopcount, Proof::kTimed), InputError);
}

}  // namespace
}  // namespace fastid::tune
