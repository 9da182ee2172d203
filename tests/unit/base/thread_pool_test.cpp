// What a pool promises: every piece once, side by side and nested, the first failure and nothing running
// after it; tasks in their order, which who waits for them does where no thread has.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace fastid {
namespace {

using Stop = ThreadPool::Stop;
using namespace std::chrono_literals;

/// Keeps threads of a pool busy until it is opened.
class Gate {
 public:
  void open() { opened_.set_value(); }
  void wait() const { is_open_.wait(); }

 private:
  std::promise<void> opened_;
  std::shared_future<void> is_open_ = opened_.get_future().share();
};

/// A task that holds one thread of the pool, and has begun to.
ThreadPool::Task hold_thread(ThreadPool& pool, const Gate& gate) {
  const auto begun = std::make_shared<std::promise<void>>();
  ThreadPool::Task holding = pool.start([begun, &gate] {
    begun->set_value();
    gate.wait();
  });
  begun->get_future().wait();
  return holding;
}

class Pools : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Threads, Pools, ::testing::Values(0, 1, 2, 5));

TEST_P(Pools, HaveSoManyThreadsAndTheCallerIsOneOfThem) {
  EXPECT_EQ(ThreadPool(GetParam()).threads(), std::max<std::size_t>(1, GetParam()));
}

TEST_P(Pools, DoEachPieceOnce) {
  ThreadPool pool(GetParam());
  for (const std::size_t n : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> done(n);
    pool.for_each(n, [&](std::size_t i, const Stop& stop) {
      EXPECT_FALSE(stop);
      ++done[i];
    });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(done[i], 1) << i << " of " << n;
  }
}

TEST_P(Pools, DoPiecesOfPieces) {
  ThreadPool pool(GetParam());
  for (const auto order : {ThreadPool::Order::kInTurn, ThreadPool::Order::kAhead}) {
    std::atomic<std::size_t> sum = 0;
    pool.for_each(20, [&](std::size_t i, const Stop&) {
      pool.for_each(
          10, [&](std::size_t k, const Stop&) { sum += i * 10 + k; }, order);
    });
    EXPECT_EQ(sum, 199u * 200 / 2);
  }
}

TEST_P(Pools, ServeManyCallersAtOnce) {
  ThreadPool pool(GetParam());
  std::array<std::atomic<std::size_t>, 6> sums{};
  {
    std::vector<std::jthread> callers;
    for (auto& sum : sums)
      callers.emplace_back([&pool, &sum] {
        for (int round = 0; round < 50; ++round) {
          ThreadPool::Task task = pool.start([&sum] { sum += 1000; });
          pool.for_each(20, [&sum](std::size_t i, const Stop&) { sum += i; });
          task.get();
        }
      });
  }
  for (const auto& sum : sums) EXPECT_EQ(sum, 50u * (1000 + 190));
}

TEST_P(Pools, RethrowAPiecesErrorAndServeOn) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> running = 0, begun = 0;
    EXPECT_THROW(pool.for_each(10'000,
                               [&](std::size_t i, const Stop& stop) {
                                 ++running;
                                 ++begun;
                                 while (i > 3 && !stop) std::this_thread::yield();
                                 --running;
                                 if (i == 3) throw InputError("broken");
                               }),
                 InputError);
    EXPECT_EQ(running, 0);
    EXPECT_LE(begun, 4 + static_cast<int>(GetParam()));  // those that were not begun are left out
  }
  std::atomic<int> ran = 0;
  pool.for_each(10, [&](std::size_t, const Stop&) { ++ran; });
  EXPECT_EQ(ran, 10);
}

TEST_P(Pools, DoWhatWasStarted) {
  ThreadPool pool(GetParam());
  int done = 0;
  ThreadPool::Task task = pool.start([&] { ++done; });
  EXPECT_TRUE(task.valid());
  task.get();
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(task.valid());
}

TEST_P(Pools, DoAllStepsUntilTheLast) {
  ThreadPool pool(GetParam());
  int steps = 0;
  pool.start_steps([&] { return ++steps < 1000; }).get();
  EXPECT_EQ(steps, 1000);
}

TEST_P(Pools, FailForWhoStartedWhatFails) {
  ThreadPool pool(GetParam());
  ThreadPool::Task bad = pool.start([] { throw std::runtime_error("no"); });
  ThreadPool::Task good = pool.start([] {});
  EXPECT_NO_THROW(good.get());
  EXPECT_THROW(bad.get(), std::runtime_error);
}

TEST(ThreadPool, RunsOnAllOfItsThreads) {
  constexpr std::size_t kThreads = 4;
  ThreadPool pool(kThreads);
  std::latch all_there(kThreads);
  std::mutex guard;
  std::set<std::thread::id> threads;
  pool.for_each(kThreads, [&](std::size_t, const Stop&) {
    all_there.arrive_and_wait();
    const std::lock_guard lock(guard);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), kThreads);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(ThreadPool, OfOneRunsOnTheCaller) {
  ThreadPool pool(1);
  std::vector<std::thread::id> by;
  const auto note = [&] { by.push_back(std::this_thread::get_id()); };
  pool.for_each(3, [&](std::size_t, const Stop&) { note(); });
  ThreadPool::Task task = pool.start(note);
  EXPECT_EQ(by.size(), 3u);
  task.get();
  EXPECT_EQ(by, std::vector(4, std::this_thread::get_id()));
}

TEST(ThreadPool, TellsRunningPiecesThatOneHasThrown) {
  ThreadPool pool(3);
  std::latch all_there(3);
  EXPECT_THROW(pool.for_each(3,
                             [&](std::size_t i, const Stop& stop) {
                               all_there.arrive_and_wait();
                               if (i == 1) throw InputError("broken");
                               while (!stop) std::this_thread::sleep_for(100us);
                             }),
               InputError);
}

TEST(ThreadPool, RethrowsWhatWasThrownFirst) {
  ThreadPool pool(2);
  std::latch both_there(2);
  try {
    pool.for_each(2, [&](std::size_t i, const Stop& stop) {
      both_there.arrive_and_wait();
      if (i == 0) throw InputError("first");
      while (!stop) std::this_thread::sleep_for(100us);
      std::this_thread::sleep_for(20ms);
      throw std::runtime_error("second");
    });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(ThreadPool, AnErrorWithinAPiecesOwnPiecesStopsTheOuterOnesToo) {
  ThreadPool pool(3);
  std::latch both_there(2);
  EXPECT_THROW(pool.for_each(2,
                             [&](std::size_t i, const Stop& stop) {
                               both_there.arrive_and_wait();
                               if (i == 0)
                                 pool.for_each(5,
                                               [](std::size_t, const Stop&) { throw InputError("inner"); });
                               while (!stop) std::this_thread::sleep_for(100us);
                             }),
               InputError);
}

/// The callers, in the order in which a thread that gets free takes their pieces.
std::string taken_of_two(ThreadPool::Order order_of_second) {
  ThreadPool pool(2);
  Gate gate;
  ThreadPool::Task holding = hold_thread(pool, gate);
  std::string taken;  // the pool's thread alone writes to it
  std::latch both_taken(2);
  // Each caller waits in its first piece; the second one is left for the pool's thread.
  const auto ask = [&](char name, ThreadPool::Order order, std::latch& waits) {
    const auto piece = [&, name](std::size_t i, const Stop&) {
      if (i == 0) {
        waits.count_down();
        return both_taken.wait();
      }
      taken += name;
      both_taken.count_down();
    };
    pool.for_each(2, piece, order);
  };
  std::latch first_waits(1), second_waits(1);
  std::jthread first([&] { ask('1', ThreadPool::Order::kInTurn, first_waits); });
  first_waits.wait();
  std::jthread second([&] { ask('2', order_of_second, second_waits); });
  second_waits.wait();
  gate.open();
  both_taken.wait();
  return taken;
}

TEST(ThreadPool, TakesPiecesInTurnOrThoseOfWhoIsAheadFirst) {
  EXPECT_EQ(taken_of_two(ThreadPool::Order::kInTurn), "12");
  EXPECT_EQ(taken_of_two(ThreadPool::Order::kAhead), "21");
}

TEST(ThreadPool, StartsTasksInTheirOrderAndBeforePieces) {
  ThreadPool pool(2);
  Gate gate;
  std::string order;  // the pool's thread alone writes to it
  std::vector<ThreadPool::Task> tasks;
  tasks.push_back(hold_thread(pool, gate));
  std::latch caller_waits(1), taken(1);
  std::jthread caller([&] {
    pool.for_each(2, [&](std::size_t i, const Stop&) {
      if (i == 0) {
        caller_waits.count_down();
        return taken.wait();
      }
      order += 'p';
      taken.count_down();
    });
  });
  caller_waits.wait();
  for (const char name : {'a', 'b', 'c'}) tasks.push_back(pool.start([&order, name] { order += name; }));
  gate.open();
  caller.join();
  EXPECT_EQ(order, "abcp");
}

TEST(ThreadPool, LetsTasksInBetweenTheStepsOfOthers) {
  ThreadPool pool(2);
  std::atomic<int> steps = 0;
  ThreadPool::Task endless = pool.start_steps([&] { return ++steps > 0; });
  while (steps == 0) std::this_thread::yield();
  std::promise<std::thread::id> by;
  const ThreadPool::Task task = pool.start([&] { by.set_value(std::this_thread::get_id()); });
  EXPECT_NE(by.get_future().get(), std::this_thread::get_id());
  const int seen = steps;
  while (steps == seen) std::this_thread::yield();  // and it goes on
  endless = {};
}

TEST(ThreadPool, LeavesToWhoWaitsWhatNoThreadHasDone) {
  ThreadPool pool(2);
  Gate gate;
  const ThreadPool::Task holding = hold_thread(pool, gate);
  std::thread::id by;
  pool.start([&] { by = std::this_thread::get_id(); }).get();
  EXPECT_EQ(by, std::this_thread::get_id());
  int steps = 0;
  pool.start_steps([&] { return ++steps < 10; }).get();
  EXPECT_EQ(steps, 10);
  gate.open();
}

/// All threads are in pieces, which wait for tasks of their own.
TEST(ThreadPool, WaitsForTasksWithinPiecesWithoutEnd) {
  ThreadPool pool(3);
  std::latch all_there(3);
  std::atomic<int> done = 0;
  pool.for_each(3, [&](std::size_t, const Stop&) {
    ThreadPool::Task task = pool.start([&] { ++done; });
    all_there.arrive_and_wait();
    task.get();
  });
  EXPECT_EQ(done, 3);
}

TEST(ThreadPool, CallsOffWhatNobodyWantsAnyMore) {
  ThreadPool pool(2);
  bool ran = false;
  {
    Gate gate;
    const ThreadPool::Task holding = hold_thread(pool, gate);
    {
      const ThreadPool::Task dropped = pool.start([&] { ran = true; });
    }
    gate.open();
  }
  pool.start([] {}).get();
  EXPECT_FALSE(ran);
}

TEST(ThreadPool, WaitsForTheStepThatRunsWhereItsOwnerGoes) {
  ThreadPool pool(2);
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> in_step = false;
    std::atomic<int> steps = 0;
    {
      const ThreadPool::Task task = pool.start_steps([&] {
        in_step = true;
        ++steps;
        std::this_thread::sleep_for(100us);
        in_step = false;
        return true;
      });
      while (steps == 0) std::this_thread::yield();
    }
    EXPECT_FALSE(in_step);
    const int seen = steps;
    std::this_thread::sleep_for(200us);
    EXPECT_EQ(steps, seen);
  }
}

TEST(ThreadPool, TasksMayOutliveIt) {
  int steps = 0;
  ThreadPool::Task task;
  {
    ThreadPool pool(2);
    task = pool.start_steps([&] { return ++steps < 1000; });
  }
  task.get();
  EXPECT_EQ(steps, 1000);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose own memory the limit would hit
TEST(ThreadPool, WithoutEnoughThreadsEndsAtOnceAndSaysSo) {
  const auto starve = [] {
    const rlimit few{std::size_t{1} << 30, std::size_t{1} << 30};  // bytes: the stacks of a hundred threads
    ::setrlimit(RLIMIT_AS, &few);
    try {
      ThreadPool pool(4096);
    } catch (const Failure& error) {
      std::cerr << error.what();
      std::_Exit(7);
    }
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(starve(), ::testing::ExitedWithCode(7), "does not let 4096 threads run; .*--threads");
}
#endif

}  // namespace
}  // namespace fastid
