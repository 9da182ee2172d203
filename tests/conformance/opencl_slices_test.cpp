// More queries than a device takes at once, buffers that overflow, one tile in flight and several: the CPU
// engine's ranking, with checksums that the device compares.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "conformance/world.hpp"
#include "opencl/opencl_engine.hpp"
#include "support/checksums.hpp"
#include "support/on_a_device.hpp"
#include "support/opencl_device.hpp"

namespace fastid {
namespace {

// A file, to whoever asks: nothing of it lies in memory.
class Unseen final : public BlockSource {
 public:
  explicit Unseen(const BlocksView& view) : sums(testing::block_checksums(view)), memory_(view) {}
  BlockShape shape() const override { return memory_.shape(); }
  bool has_second() const override { return memory_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override {
    memory_.read(first, n, bits, called);
  }
  std::span<const std::uint64_t> checksums() const override { return sums; }

  std::vector<std::uint64_t> sums;  ///< as a database has them

 private:
  MemorySource memory_;
};

struct How {
  std::size_t queries;  ///< at once
  std::size_t buffers;
  std::size_t found_pairs;  ///< 40: overflows on every tile
  std::optional<std::uint64_t> memory;
};
constexpr How kHows[] = {{1, 1, 40, {}},         {32, 2, 1 << 16, {}},   {69, 3, 2000, {}},
                         {70, 1, 1 << 16, 4096}, {13, 2, 1 << 16, 4096}, {71, 2, 700, {}}};

class OpenClSlices : public ::testing::TestWithParam<How> {
 protected:
  void SetUp() override {
    if (opencl::list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    const How& how = GetParam();
    engine_ = opencl::make_opencl_engine(
        testing::opencl_selector(),
        {.threads = 8, .tile_blocks = 3, .memory = how.memory, .buffers = how.buffers},
        {.found_pairs = how.found_pairs, .queries = how.queries, .own_memory = true});
  }

  std::unique_ptr<engine::Engine> engine_;
};

TEST_P(OpenClSlices, RankAsOneSliceDoes) {
  const auto native = engine::make_cpu_engine({});
  for (const engine::Comparison comparison :
       {engine::Comparison::kIdentity, engine::Comparison::kMixture, engine::Comparison::kReverseMixture})
    for (int masks = 0; masks < 4; ++masks) {
      SCOPED_TRACE(::testing::Message()
                   << "comparison " << static_cast<int>(comparison) << ", masks " << masks);
      const World world({700, 33, 70}, comparison, (masks & 1) != 0, (masks & 2) != 0);
      const Unseen file(world.database.view());
      const auto expected = world.ranked(file, *native);
      for (int again = 0; again < 2; ++again)
        ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(file, *engine_), expected));
      EXPECT_GT(world.stats.device.upload_bytes, 0u);
    }
}

TEST_P(OpenClSlices, RankKinAsOneSliceDoes) {
  const World world({700, 33, 70}, engine::Comparison::kKinship, true, true, Encoding::kAlleles);
  const Unseen file(world.database.view());
  const auto expected = world.ranked(file, *engine::make_cpu_engine({}));
  for (int again = 0; again < 2; ++again)
    ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(file, *engine_), expected));
}

using OpenClChecks = testing::OnADevice;

TEST_F(OpenClChecks, ADamagedBlockEndsTheSearch) {
  const auto engine =
      opencl::make_opencl_engine(testing::opencl_selector(), {.tile_blocks = 3}, {.own_memory = true});
  const World world({300, 64, 2}, engine::Comparison::kIdentity, false, true);
  Unseen file(world.database.view());
  EXPECT_NO_THROW(world.ranked(file, *engine));
  file.sums.back() ^= std::uint64_t{1} << 40;
  EXPECT_THROW(world.ranked(file, *engine), Failure);
}

INSTANTIATE_TEST_SUITE_P(All, OpenClSlices, ::testing::ValuesIn(kHows), [](const auto& one) {
  return "AtOnce" + std::to_string(one.param.queries) + "Buffers" + std::to_string(one.param.buffers) +
         "Pairs" + std::to_string(one.param.found_pairs);
});

}  // namespace
}  // namespace fastid
