// Who runs an errand: the thread that offers to, while it does; else a thread of its own, or who waits for
// it.
#include "import/io/errands.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace fastid {
namespace {

TEST(Errands, AreRunAsAsyncWouldWhereNobodyOffers) {
  Errands errands;
  std::thread::id by;
  const auto note = [&by] { by = std::this_thread::get_id(); };
  errands.ask(std::launch::deferred, note).get();
  EXPECT_EQ(by, std::this_thread::get_id());
  errands.ask(std::launch::async, note).get();
  EXPECT_NE(by, std::this_thread::get_id());
  { const Errands::Runner gone(errands); }
  errands.ask(std::launch::async, note).get();
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(Errands, WaitForTheRunnersNextLookInTheirOrder) {
  Errands errands;
  std::string order;
  Errands::Runner runner(errands);
  auto first = errands.ask(std::launch::async, [&order] { order += 'a'; });
  auto second = errands.ask(std::launch::async, [&order] { order += 'b'; });
  EXPECT_EQ(order, "");
  runner.run();
  EXPECT_EQ(order, "ab");
  runner.run();
  EXPECT_EQ(order, "ab");
  first.get();
  second.get();
}

TEST(Errands, ThatAreLeftAreRunAtTheRunnersEnd) {
  Errands errands;
  bool done = false;
  std::future<void> left;
  {
    const Errands::Runner runner(errands);
    left = errands.ask(std::launch::async, [&done] { done = true; });
  }
  left.get();
  EXPECT_TRUE(done);
}

TEST(Errands, FailForWhoAskedAlone) {
  Errands errands;
  Errands::Runner runner(errands);
  auto bad = errands.ask(std::launch::async, [] { throw std::runtime_error("no"); });
  auto good = errands.ask(std::launch::async, [] {});
  EXPECT_NO_THROW(runner.run());
  EXPECT_THROW(bad.get(), std::runtime_error);
  EXPECT_NO_THROW(good.get());
}

}  // namespace
}  // namespace fastid
