// Engines together: each gets so many calls at a time as it wants, no more, and their answer is that of one.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/ld.hpp"
#include "engine/similarity.hpp"
#include "support/cohort.hpp"

namespace fastid::engine {
namespace {

using namespace testing;

/// Callers that wait in their engines until there are enough of them.
struct Meeting {
  std::mutex guard;
  std::condition_variable met;
  int present = 0;
};

class Room final : public LdEngine {
 public:
  Room(Meeting& meeting, std::size_t places) : meeting_(meeting), places_(places) {}
  std::size_t calls_at_once() const override { return places_; }
  void find(const Rectangle& /*tile*/, std::vector<LdPair>& /*out*/) const override {
    std::unique_lock lock(meeting_.guard);
    ++present_;
    most_ = std::max(most_, present_);
    ++meeting_.present;
    meeting_.met.notify_all();
    meeting_.met.wait_for(lock, std::chrono::seconds(20), [&] { return meeting_.present >= 3; });
    --present_;
  }
  void count(const Rectangle& /*pairs*/, std::span<LdCounts> /*out*/) const override {}
  std::size_t most() const { return most_; }

 private:
  Meeting& meeting_;
  std::size_t places_;
  mutable std::size_t present_ = 0, most_ = 0;
};

TEST(JointEngines, EachGetsSoManyCallsAtATimeAsItWants) {
  Meeting meeting;
  std::vector<std::unique_ptr<LdEngine>> engines;
  engines.push_back(std::make_unique<Room>(meeting, 2));
  engines.push_back(std::make_unique<Room>(meeting, 1));
  const auto& large = static_cast<const Room&>(*engines[0]);
  const auto& small = static_cast<const Room&>(*engines[1]);
  const auto together = make_joint_ld(std::move(engines), {});
  EXPECT_EQ(together->calls_at_once(), 3U);
  ThreadPool(6).for_each(12, [&](std::size_t, const ThreadPool::Stop&) {
    std::vector<LdPair> none;
    together->find({}, none);
  });
  EXPECT_EQ(large.most(), 2U);
  EXPECT_EQ(small.most(), 1U);
}

TEST(JointEngines, OneEngineStaysItself) {
  Meeting meeting;
  std::vector<std::unique_ptr<LdEngine>> engines;
  engines.push_back(std::make_unique<Room>(meeting, 2));
  const LdEngine* const only = engines.front().get();
  EXPECT_EQ(make_joint_ld(std::move(engines), {}).get(), only);
}

TEST(JointEngines, FindTheSitesThatOneFinds) {
  constexpr std::uint32_t kSites = 130, kFirsts = 10;
  const Cohort cohort = make_cohort(kSites, 200, LdUnit::kGenotypes, 0);
  const std::vector<LdCounts> own = own_counts(LdUnit::kGenotypes, cohort.blocks.view());
  const LdProblem problem{cohort.blocks.view(), LdUnit::kGenotypes, 0.1, own};
  std::vector<std::unique_ptr<LdEngine>> engines;
  for (const char* const device : {"cpu", "reference"}) engines.push_back(make_ld_engine(device, problem));
  const auto together = make_joint_ld(std::move(engines), problem);
  EXPECT_EQ(together->first_sites(), 64U);
  std::vector<std::vector<LdPair>> found(kSites / kFirsts);
  ThreadPool(4).for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    const auto begin = static_cast<std::uint32_t>(i) * kFirsts;
    together->find({begin, begin + kFirsts, begin, kSites}, found[i]);
  });
  std::vector<LdPair> all, right;
  for (const auto& of_tile : found) all.insert(all.end(), of_tile.begin(), of_tile.end());
  make_ld_engine("reference", problem)->find({0, kSites, 0, kSites}, right);
  const auto place = [](const LdPair& pair) { return std::pair(pair.second, pair.first); };
  std::ranges::sort(all, {}, place);
  std::ranges::sort(right, {}, place);
  EXPECT_FALSE(right.empty());
  EXPECT_EQ(all, right);

  constexpr Rectangle kAll{0, kSites, 0, kSites};
  std::vector<LdCounts> counts(kAll.pairs()), counted(kAll.pairs());
  make_ld_engine("reference", problem)->count(kAll, counts);
  ThreadPool(4).for_each(kSites, [&](std::size_t row, const ThreadPool::Stop&) {
    const auto at = static_cast<std::uint32_t>(row);
    together->count({at, at + 1, 0, kSites}, std::span(counted).subspan(row * kSites, kSites));
  });
  EXPECT_EQ(counted, counts);
}

TEST(JointEngines, ComputeTheProductsThatOneComputes) {
  constexpr std::uint32_t kVectors = 70;
  BitBlocks vectors({kVectors, 90, Encoding::kMinor});
  for (std::uint32_t vector = 0; vector < kVectors; ++vector)
    for (std::uint32_t bit = 0; bit < 90; ++bit)
      if ((vector * 7 + bit * bit) % 5 < 2) vectors.set_seen(vector, bit, kMinorSeen);
  std::vector<std::unique_ptr<SimilarityEngine>> engines;
  for (const char* const device : {"cpu", "reference"})
    engines.push_back(make_similarity(device, vectors.view()));
  const auto together = make_joint_similarity(std::move(engines));
  const auto right = make_similarity("reference", vectors.view());
  EXPECT_EQ(together->n_vectors(), kVectors);
  const Rectangle all{0, kVectors, 0, kVectors};
  std::vector<double> expected(all.pairs()), computed(all.pairs());
  right->products(3, all, Wanted::kAll, expected);
  for (int turn = 0; turn < 2; ++turn) {  // by either engine
    together->products(3, all, Wanted::kAll, computed);
    EXPECT_EQ(computed, expected);
  }
}

}  // namespace
}  // namespace fastid::engine
