// Planes that outlive the lanes that they are for.
#include "opencl/memory/plane_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "opencl/device_buffer.hpp"
#include "support/on_a_device.hpp"

namespace fastid {
namespace {

constexpr std::size_t kWords = 4096;

// True: memory of the device's own, as a GPU has it. False: the host's.
class PlanePools : public testing::OnADevice, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    const cl::Context context(device_->device);
    pool_ = make_plane_pool(context, device_->device, !GetParam(), 2);
  }

  std::set<TilePlane*> take_all(std::size_t n, std::size_t words) {
    std::vector<std::shared_ptr<TilePlane>> taken;
    std::set<TilePlane*> planes;
    for (std::size_t i = 0; i < n; ++i) planes.insert(taken.emplace_back(pool_->take(words)).get());
    return planes;
  }

  // By this thread, which has a guard: then it is a part of another buffer.
  static bool made_here(const TilePlane& plane) {
    return plane.device().getInfo<CL_MEM_ASSOCIATED_MEMOBJECT>()() != nullptr;
  }

  std::shared_ptr<PlanePool> pool_;
};

TEST_P(PlanePools, GiveAgainWhatCameBack) {
  const auto first = take_all(2, kWords);
  EXPECT_EQ(first.size(), 2u) << "one plane had two owners";
  EXPECT_EQ(take_all(2, kWords), first);
}

TEST_P(PlanePools, GiveEachPreparedOneOnce) {
  pool_->prepare(3, kWords);
  const auto prepared = take_all(3, kWords);
  EXPECT_EQ(prepared.size(), 3u);
  const auto more = take_all(4, kWords);
  EXPECT_TRUE(std::ranges::includes(more, prepared));
  EXPECT_EQ(more.size(), 4u);
}

TEST_P(PlanePools, GiveWhatWasPrepared) {
  if (!GetParam()) return;  // guards are for the device's own memory
  pool_->prepare(2, kWords);
  const BufferGuard guard;
  const auto first = pool_->take(kWords), second = pool_->take(kWords), third = pool_->take(kWords);
  EXPECT_FALSE(made_here(*first));
  EXPECT_FALSE(made_here(*second));
  EXPECT_TRUE(made_here(*third));
}

TEST_P(PlanePools, PrepareOnlyWhatIsNotThere) {
  const auto there = take_all(3, kWords);
  pool_->prepare(3, kWords);
  EXPECT_EQ(take_all(3, kWords), there);
}

TEST_P(PlanePools, KeepNoMoreThanThereWillBeUseFor) {
  const auto there = take_all(3, kWords);
  pool_->prepare(1, kWords);
  if (!GetParam()) return;  // guards are for the device's own memory
  const BufferGuard guard;
  const auto kept = pool_->take(kWords), made = pool_->take(kWords);
  EXPECT_TRUE(there.contains(kept.get()));
  EXPECT_TRUE(made_here(*made));
}

TEST_P(PlanePools, GiveMemoryThatBothSidesCanUse) {
  pool_->prepare(1, kWords);
  const auto plane = pool_->take(kWords);
  const auto queue = cl::CommandQueue(plane->device().getInfo<CL_MEM_CONTEXT>(), device_->device);
  std::fill_n(plane->host(), kWords, Word{7});
  std::vector<cl::Event> transfers;
  plane->send(queue, {0, kWords * sizeof(Word), kWords * sizeof(Word), 1}, transfers);
  std::vector<Word> seen(kWords);
  queue.enqueueReadBuffer(plane->device(), CL_TRUE, 0, kWords * sizeof(Word), seen.data());
  plane->take_back(queue);
  queue.finish();
  EXPECT_EQ(seen, std::vector<Word>(kWords, 7));
}

TEST_P(PlanePools, KeepOneSize) {
  const auto small = pool_->take(kWords);
  const auto large = pool_->take(2 * kWords);
  std::fill_n(large->host(), 2 * kWords, Word{1});  // as large as it was asked for
  pool_->prepare(1, kWords);                        // whatever becomes of this
  EXPECT_NE(pool_->take(2 * kWords), large);
}

TEST_P(PlanePools, OutliveTheirOwner) {
  const auto plane = pool_->take(kWords);
  pool_.reset();
  std::fill_n(plane->host(), kWords, Word{1});
}

TEST_P(PlanePools, SayWhatCannotBeHad) {
  constexpr std::size_t kMuch = SIZE_MAX / 2;  // words: sanitizers take less for a defect
  pool_->prepare(2, kMuch);
  EXPECT_THROW(pool_->take(kMuch), Failure);
  EXPECT_EQ(take_all(2, kWords).size(), 2u);
}

TEST_P(PlanePools, ServeManyLanes) {
  constexpr std::size_t kLanes = 8;
  for (int round = 0; round < 20; ++round) {
    const std::size_t words = kWords << (round % 3);
    pool_->prepare(kLanes / 2, words);
    std::vector<std::shared_ptr<TilePlane>> taken(kLanes);
    run_crew(kLanes, [&](std::size_t i, const auto&) {
      taken[i] = pool_->take(words);
      std::fill_n(taken[i]->host(), words, static_cast<Word>(i));
    });
    for (std::size_t i = 0; i < kLanes; ++i)
      EXPECT_TRUE(std::ranges::all_of(std::span(taken[i]->host(), words), [&](Word w) { return w == i; }));
    run_crew(kLanes, [&](std::size_t i, const auto&) { taken[i].reset(); });
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, PlanePools, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "OfTheDevice" : "OfTheHost"; });

}  // namespace
}  // namespace fastid
