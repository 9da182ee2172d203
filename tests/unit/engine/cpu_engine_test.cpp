// How the CPU engine cuts a problem, packs its queries and turns thresholds into register tests. That it
// counts right is the conformance test's business.
#include "engine/cpu_engine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.hpp"
#include "engine/cpu/cpu_queries.hpp"

namespace fastid::engine {
namespace {

ProfileRows queries_of(std::size_t n, std::uint32_t n_sites, bool all_called) {
  ProfileRows rows(n, n_sites);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t site = all_called ? 0 : 1; site < n_sites; ++site)
      rows.set(i, site, site % 3 == i % 3);
  return rows;
}

WorkPlan plan_of(const BlockShape& database, bool has_second, const EngineOptions& options) {
  const ProfileRows queries = queries_of(1, database.n_sites, true);
  return make_cpu_engine(options)->plan({Comparison::kIdentity, &queries, database, has_second});
}

constexpr BlockShape kMillion{1'000'000, 1024};

TEST(CpuPlan, HasAWorkerForEachThreadAndTilesThatStayInACoresCache) {
  const WorkPlan plan = plan_of(kMillion, false, {.threads = 7});
  EXPECT_EQ(plan.workers, 7u);
  EXPECT_GE(plan.tile_blocks * kMillion.block_bytes(), std::size_t{128} << 10);
  EXPECT_LE(plan.tile_blocks * kMillion.block_bytes(), std::size_t{1} << 20);
  EXPECT_EQ(plan_of(kMillion, true, {.threads = 7}).tile_blocks, plan.tile_blocks / 2) << "two planes";
}

TEST(CpuPlan, SharesASmallDatabaseAmongTheThreads) {
  const WorkPlan plan = plan_of({100, 64}, false, {.threads = 2});
  EXPECT_EQ(plan.workers, 2u);
  EXPECT_EQ(plan.tile_blocks, 2u);
  EXPECT_EQ(plan_of({5, 64}, false, {.threads = 8}).workers, 1u);
  EXPECT_EQ(plan_of({0, 64}, false, {.threads = 8}).tile_blocks, 1u);
}

TEST(CpuPlan, KeepsToTheUsersTileAndMemory) {
  EXPECT_EQ(plan_of(kMillion, false, {.threads = 2, .tile_blocks = 1000}).tile_blocks, 1000u);
  const WorkPlan tight = plan_of(kMillion, true, {.threads = 2, .memory = 65'536});
  EXPECT_LE(tight.workers * tight.tile_blocks * 2 * kMillion.block_bytes(), 65'536u);
  EXPECT_EQ(plan_of(kMillion, true, {.threads = 2, .memory = 1}).tile_blocks, 1u);
}

TEST(CpuTargets, BestComesFirstAndOthersAreRefused) {
  ASSERT_FALSE(cpu_engine_targets().empty());
  EXPECT_EQ(cpu_engine_target(), cpu_engine_targets().front());
  const auto slowest = make_cpu_engine_for(cpu_engine_targets().back(), {.threads = 1});
  EXPECT_EQ(slowest->description(), "native CPU engine, " + cpu_engine_targets().back() + ", 1 thread");
  EXPECT_NE(make_cpu_engine({})->description().find(cpu_engine_target()), std::string::npos)
      << "a target of one's choice is no one else's";
  EXPECT_THROW(make_cpu_engine_for("AVX1024", {}), DeviceError);
}

TEST(PackedQueries, GroupsAreWideAndTheLastIsAsNarrowAsItsQueriesAllow) {
  const ProfileRows queries = queries_of(19, 40, true);
  const PackedQueries packed({Comparison::kIdentity, &queries, {1, 40}, false});
  ASSERT_EQ(packed.groups().size(), 3u);
  EXPECT_EQ(packed.groups()[0].width, 8u);
  EXPECT_EQ(packed.groups()[2].first, 16u);
  EXPECT_EQ(packed.groups()[2].size, 3u);
  EXPECT_EQ(packed.groups()[2].width, 4u);
  const Word* const words = packed.words(packed.groups()[1]);  // [word][query of the group]
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t word = 0; word < 2; ++word)
      EXPECT_EQ(words[word * 8 + i], queries.row(8 + i).bits[word]);
}

TEST(PackedQueries, PaddingNeverPasses) {
  const ProfileRows queries = queries_of(3, 40, true);
  const PackedQueries packed({Comparison::kIdentity, &queries, {1, 40}, false});
  const GroupThresholds thresholds = packed.group_thresholds(packed.groups()[0], std::vector<Threshold>(3));
  EXPECT_GT(thresholds.limit(2), 40u);
  EXPECT_EQ(thresholds.limit(3), 0u);
  EXPECT_GT(thresholds.limit_for(2, 40), 40u);
  EXPECT_EQ(thresholds.limit_for(3, 40), 0u);
}

// Where the denominator is the query's own, the limit is the whole threshold, exactly.
RC_GTEST_PROP(GroupThresholds, LimitIsExactForAConstantDenominator, ()) {
  const auto n_sites = *rc::gen::inRange<std::uint32_t>(1, 200);
  const ProfileRows queries = queries_of(1, n_sites, false);
  const Problem problem{Comparison::kIdentity, &queries, {1, n_sites}, false};
  const PackedQueries packed(problem);
  Threshold threshold{*rc::gen::inRange<std::uint32_t>(0, 200), *rc::gen::inRange<std::uint32_t>(0, 200),
                      *rc::gen::inRange<std::uint32_t>(0, 200)};
  if (threshold.den > 0) threshold.offset = *rc::gen::inRange<std::int64_t>(-20'000, 20'000);
  const GroupThresholds thresholds = packed.group_thresholds(packed.groups()[0], std::vector{threshold});
  for (std::uint32_t count = 0; count <= n_sites; ++count)
    RC_ASSERT((count < thresholds.limit(0)) == threshold.passes({count, n_sites - 1, 0}));
}

// Else single precision decides first, and must never turn away a pair that passes.
RC_GTEST_PROP(GroupThresholds, SinglePrecisionNeverTurnsAwayWhatPasses, ()) {
  const auto n_sites = *rc::gen::inRange<std::uint32_t>(1, 1 << 20);
  const ProfileRows queries = queries_of(1, n_sites, true);
  const PackedQueries packed({Comparison::kMixture, &queries, {1, n_sites}, false});
  const auto den = *rc::gen::inRange<std::uint32_t>(1, n_sites + 1);
  const auto num = *rc::gen::inRange<std::uint32_t>(0, den + 1);
  const auto denominator = *rc::gen::inRange<std::uint32_t>(0, n_sites + 1);
  const std::int64_t most_offset = std::int64_t{den} * n_sites;
  const auto offset = *rc::gen::element<std::int64_t>(
      0, *rc::gen::inRange<std::int64_t>(-most_offset, most_offset + 1), kOpenOffset);
  const std::int64_t weighed = std::int64_t{num} * std::max(denominator, 1u) + offset;
  RC_PRE(weighed >= 0);
  // The last that passes.
  const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(n_sites, weighed / den));
  const auto most = *rc::gen::inRange<std::uint32_t>(count, n_sites + 1);
  const Threshold threshold{most, num, den, offset};
  RC_ASSERT(threshold.passes({count, denominator, 0}));
  const GroupThresholds thresholds = packed.group_thresholds(packed.groups()[0], std::vector{threshold});
  RC_ASSERT(count < thresholds.limit_for(0, denominator));
  RC_ASSERT(count < thresholds.limit(0));
}

}  // namespace
}  // namespace fastid::engine
