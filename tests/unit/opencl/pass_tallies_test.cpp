// Tallies that the lanes of a pass share.
#include "opencl/worker/pass_tallies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "support/on_a_device.hpp"

namespace fastid {
namespace {

constexpr std::size_t kQueries = 3;

class PassTallyTables : public testing::OnADevice {
 protected:
  using Table = std::shared_ptr<const PassTallies::Table>;

  void SetUp() override {
    OnADevice::SetUp();
    if (IsSkipped()) return;
    const cl::Context context(device_->device);
    queue_ = cl::CommandQueue(context, device_->device);
    tallies_.emplace(context, device_->device);
  }
  Table join(std::uint64_t pass, std::size_t n_queries = kQueries) { return tallies_->join(pass, n_queries); }

  // What is in its first n queries' tallies.
  std::vector<cl_uint> words(const Table& table, std::size_t n_queries = kQueries) const {
    std::vector<cl_uint> all(PassTallies::bytes(n_queries) / sizeof(cl_uint));
    queue_.enqueueReadBuffer(table->tallies, CL_TRUE, 0, PassTallies::bytes(n_queries), all.data());
    return all;
  }
  void count_one(const Table& table) const {
    const cl_uint one = 1;
    queue_.enqueueWriteBuffer(table->tallies, CL_TRUE, 5 * sizeof one, sizeof one, &one);
  }
  static bool is_empty(const std::vector<cl_uint>& words) {
    return std::ranges::all_of(words, [](cl_uint word) { return word == 0; });
  }

  cl::CommandQueue queue_;
  std::optional<PassTallies> tallies_;
};

TEST_F(PassTallyTables, AreThoseOfAPassForAllOfItsLanes) {
  const Table one = join(7);
  EXPECT_TRUE(is_empty(words(one)));
  count_one(one);
  const Table other = join(7);
  EXPECT_EQ(one, other);
  EXPECT_FALSE(is_empty(words(other)));
}

TEST_F(PassTallyTables, AreNotThoseOfAnotherPassThatAnybodyHolds) {
  const Table one = join(7), next = join(8);
  const Table none = tallies_->take(kQueries), none_either = tallies_->take(kQueries);
  EXPECT_NE(one, next);
  EXPECT_NE(one, none);
  EXPECT_NE(next, none);
  EXPECT_NE(none, none_either);
}

TEST_F(PassTallyTables, AreEmptyWhenTheyAreUsedAgain) {
  Table one = join(7);
  const auto* const was = one.get();
  count_one(one);
  one.reset();
  const Table next = join(8);
  EXPECT_EQ(next.get(), was);
  EXPECT_TRUE(is_empty(words(next)));
}

TEST_F(PassTallyTables, AreOneForAllWhoJoinAtOnce) {
  std::vector<Table> joined(8);
  run_crew(joined.size(), [&](std::size_t i, const auto&) { joined[i] = join(7); });
  for (const Table& table : joined) EXPECT_EQ(table, joined.front());
}

TEST_F(PassTallyTables, RefuseMoreQueriesThanThePassHas) {
  const Table one = join(7);
  EXPECT_THROW(join(7, kQueries + 1), Failure);
}

TEST_F(PassTallyTables, HaveRoomForTheQueries) {
  { const Table small = join(7); }
  const Table large = join(8, 2 * kQueries);
  EXPECT_TRUE(is_empty(words(large, 2 * kQueries)));
  EXPECT_GE(large->tallies.getInfo<CL_MEM_SIZE>(), PassTallies::bytes(2 * kQueries));
}

}  // namespace
}  // namespace fastid
