// Memory that is made ahead of the workers that it is for, and outlives them.
#include "opencl/worker/worker_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "opencl/device_buffer.hpp"
#include "support/on_a_device.hpp"

namespace fastid::opencl {
namespace {

constexpr MemorySizes kSmall{.plane_words = 4096, .has_second = true, .profiles = 64, .found_pairs = 100};
constexpr MemorySizes kLarge{.plane_words = 8192, .has_second = true, .profiles = 128, .found_pairs = 200};

// True: memory of the device's own, as a GPU has it. False: the host's.
class MemoryPools : public testing::OnADevice, public ::testing::WithParamInterface<bool> {
 protected:
  using Memory = std::shared_ptr<WorkerMemory>;

  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    pool_ = std::make_shared<MemoryPool>(cl::Context(device_->device), device_->device, !GetParam(), 2);
  }

  std::vector<Memory> take(std::size_t n, const MemorySizes& sizes = kSmall) {
    std::vector<Memory> taken;
    for (std::size_t i = 0; i < n; ++i) taken.push_back(pool_->take(sizes));
    return taken;
  }
  // That all come back at once.
  std::set<WorkerMemory*> take_and_give_back(std::size_t n) {
    std::set<WorkerMemory*> all;
    for (const Memory& memory : take(n)) all.insert(memory.get());
    return all;
  }
  // Of the next `n` that are taken, those that take() makes itself: while this thread has a guard, its
  // buffers are parts of others, and stay so. Of one size, ask once.
  std::size_t made_of(std::size_t n, const MemorySizes& sizes = kSmall) {
    const BufferGuard guard;
    return static_cast<std::size_t>(std::ranges::count_if(take(n, sizes), [](const Memory& memory) {
      return memory->own_bits.getInfo<CL_MEM_ASSOCIATED_MEMOBJECT>()() != nullptr;
    }));
  }

  std::shared_ptr<MemoryPool> pool_;
};

TEST_P(MemoryPools, GiveAgainWhatCameBack) {
  const auto first = take_and_give_back(2);
  EXPECT_EQ(first.size(), 2u) << "one memory had two owners";
  EXPECT_EQ(take_and_give_back(2), first);
  EXPECT_EQ(made_of(2), 0u);
}

TEST_P(MemoryPools, GiveEachPreparedOneOnce) {
  pool_->prepare(3, kSmall);
  const auto prepared = take_and_give_back(3);
  EXPECT_EQ(prepared.size(), 3u);
  const auto more = take_and_give_back(4);
  EXPECT_TRUE(std::ranges::includes(more, prepared));
  EXPECT_EQ(more.size(), 4u);
}

TEST_P(MemoryPools, GiveWhatWasPreparedAndThenMakeMore) {
  pool_->prepare(2, kSmall);
  EXPECT_EQ(made_of(3), 1u);
}

TEST_P(MemoryPools, PrepareOnlyWhatIsNotThere) {
  const auto there = take_and_give_back(3);
  pool_->prepare(3, kSmall);
  EXPECT_EQ(take_and_give_back(3), there);
  EXPECT_EQ(made_of(4), 1u);
}

TEST_P(MemoryPools, CountWhatIsBeingPrepared) {
  pool_->prepare(2, kSmall);
  pool_->prepare(2, kSmall);
  EXPECT_EQ(made_of(3), 1u);
}

TEST_P(MemoryPools, KeepNoMoreThanThereWillBeUseFor) {
  take_and_give_back(3);
  pool_->prepare(1, kSmall);
  EXPECT_EQ(made_of(2), 1u);
}

TEST_P(MemoryPools, GiveMemoryOfTheSizesAskedFor) {
  pool_->prepare(1, kLarge);
  for (const Memory& memory : take(2, kLarge)) {
    const auto bytes = [](const cl::Buffer& buffer) { return buffer.getInfo<CL_MEM_SIZE>(); };
    EXPECT_GE(bytes(memory->bits->device()), kLarge.plane_words * sizeof(Word));
    ASSERT_NE(memory->second, nullptr);
    EXPECT_GE(bytes(memory->second->device()), kLarge.plane_words * sizeof(Word));
    EXPECT_EQ(memory->found.capacity, kLarge.found_pairs);
    EXPECT_GE(bytes(memory->found.buffer), (kLarge.found_pairs + 1) * sizeof(engine::Pair));  // and its count
    EXPECT_GE(bytes(memory->own_bits), kLarge.profiles * sizeof(Word));
    EXPECT_FALSE(memory->spoiled);
    EXPECT_GT(memory->staging->reads.bytes(), 0u);
    EXPECT_GT(memory->staging->writes.bytes(), 0u);
  }
  MemorySizes bits_only = kLarge;
  bits_only.has_second = false;
  EXPECT_EQ(pool_->take(bits_only)->second, nullptr);
}

TEST_P(MemoryPools, GivePlanesThatBothSidesCanUse) {
  pool_->prepare(1, kSmall);
  const Memory memory = pool_->take(kSmall);
  DeviceQueue queue(memory->queue, *memory->staging);
  for (TilePlane* const plane : {memory->bits.get(), memory->second.get()})
    for (const Word word : {7u, 8u}) {
      std::fill_n(plane->host(), kSmall.plane_words, word);
      plane->send(queue, kSmall.plane_words * sizeof(Word));
      std::vector<Word> seen(kSmall.plane_words);
      queue.read(plane->device(), 0, seen.data(), seen.size());
      plane->return_to_host(queue);
      queue.finish();
      EXPECT_EQ(seen, std::vector<Word>(kSmall.plane_words, word));
    }
}

TEST_P(MemoryPools, KeepTheSizeThatWasLastAskedFor) {
  const Memory small = pool_->take(kSmall);
  Memory large = pool_->take(kLarge);
  std::fill_n(large->bits->host(), kLarge.plane_words, Word{1});  // as large as it was asked for
  large.reset();
  EXPECT_EQ(made_of(1, kLarge), 0u);
  EXPECT_EQ(made_of(1, kSmall), 1u) << "the one there is has an owner";
  EXPECT_EQ(made_of(1, kLarge), 1u) << "it went when another size was asked for";
}

TEST_P(MemoryPools, KeepNothingOfAnotherSizeThatComesBackOrIsBeingMade) {
  Memory small = pool_->take(kSmall);
  pool_->prepare(2, kSmall);
  pool_->prepare(1, kLarge);
  EXPECT_EQ(made_of(1, kLarge), 0u);
  small.reset();
  EXPECT_EQ(made_of(1, kSmall), 1u);
}

TEST_P(MemoryPools, KeepNothingThatIsSpoiled) {
  auto both = take(2);
  both.front()->spoiled = true;
  both.clear();
  EXPECT_EQ(made_of(2), 1u);
}

TEST_P(MemoryPools, DropWhatIsFreeAndNothingElse) {
  Memory used = pool_->take(kSmall);
  take_and_give_back(2);
  pool_->drop_free();
  std::fill_n(used->bits->host(), kSmall.plane_words, Word{1});
  used.reset();
  EXPECT_EQ(made_of(3), 2u);
}

TEST_P(MemoryPools, OutliveTheirOwner) {
  const Memory memory = pool_->take(kSmall);
  pool_.reset();
  std::fill_n(memory->bits->host(), kSmall.plane_words, Word{1});
}

TEST_P(MemoryPools, CanGoWhileTheyPrepare) {
  pool_->prepare(8, kSmall);
  pool_.reset();
}

TEST_P(MemoryPools, SayWhatCannotBeHadOnTheHost) {
  MemorySizes much = kSmall;
  much.plane_words = SIZE_MAX / 2;  // sanitizers take less for a defect
  pool_->prepare(2, much);
  EXPECT_THROW(pool_->take(much), Failure);
  EXPECT_THROW(pool_->take(much), Failure) << "nobody waits for what will not come";
  EXPECT_EQ(take_and_give_back(2).size(), 2u);
}

TEST_P(MemoryPools, SayWhatCannotBeHadOnTheDevice) {
  MemorySizes much = kSmall;
  much.profiles = SIZE_MAX / 16;
  pool_->prepare(2, much);
  EXPECT_THROW(pool_->take(much), cl::Error);
  EXPECT_EQ(take_and_give_back(2).size(), 2u);
}

// More than were prepared, of changing sizes, some of which are spoiled.
TEST_P(MemoryPools, ServeManyThreads) {
  constexpr std::size_t kThreads = 8;
  for (int round = 0; round < 20; ++round) {
    MemorySizes sizes = kSmall;
    sizes.plane_words <<= round % 3;
    pool_->prepare(kThreads / 2, sizes);
    std::vector<Memory> taken(kThreads);
    ThreadPool(kThreads).for_each(kThreads, [&](std::size_t i, const auto&) {
      taken[i] = pool_->take(sizes);
      std::fill_n(taken[i]->bits->host(), sizes.plane_words, static_cast<Word>(i));
      std::fill_n(taken[i]->second->host(), sizes.plane_words, static_cast<Word>(i));
      taken[i]->spoiled = i == 0;
    });
    for (std::size_t i = 0; i < kThreads; ++i)
      for (TilePlane* const plane : {taken[i]->bits.get(), taken[i]->second.get()})
        EXPECT_TRUE(std::ranges::all_of(std::span(plane->host(), sizes.plane_words),
                                        [&](Word word) { return word == i; }));
    ThreadPool(kThreads).for_each(kThreads, [&](std::size_t i, const auto&) { taken[i].reset(); });
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, MemoryPools, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "OfTheDevice" : "OfTheHost"; });

}  // namespace
}  // namespace fastid::opencl
