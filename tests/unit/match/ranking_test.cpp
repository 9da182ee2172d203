// The ranking against a plain sort over exact fractions, for any order of arrival and any cut of the work.
#include "match/ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/thread_pool.hpp"

namespace fastid::match {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

engine::Pair pair(std::uint64_t row, std::uint32_t count, std::uint32_t denominator, std::uint32_t compared,
                  std::uint32_t query = 0) {
  return {row, query, {.count = count, .denominator = denominator, .compared = compared}};
}

/// The order of docs/output.md, as cross products, which fit 64 bits at these sizes.
bool oracle_before(const PairWeights& weights, const engine::Pair& a, const engine::Pair& b) {
  const auto denominator = [&](const engine::Pair& p) {
    return std::max<std::int64_t>(1, p.counts.denominator);
  };
  std::int64_t left = a.counts.count * denominator(b), right = b.counts.count * denominator(a);
  if (weights.cost > 0) {
    left = std::int64_t{weights.cost} * a.counts.count - weights.credit * denominator(a);
    right = std::int64_t{weights.cost} * b.counts.count - weights.credit * denominator(b);
  }
  if (left != right) return left < right;
  return std::tuple(-std::int64_t{a.counts.denominator}, -std::int64_t{a.counts.compared}, a.row) <
         std::tuple(-std::int64_t{b.counts.denominator}, -std::int64_t{b.counts.compared}, b.row);
}

RankedPairs oracle(std::vector<engine::Pair> all, const KeepRule& rule, const PairWeights& weights = {}) {
  std::erase_if(all, [&](const engine::Pair& p) {
    return p.counts.count > rule.max_count || p.counts.compared < std::max(1u, rule.min_compared);
  });
  std::ranges::sort(
      all, [&](const engine::Pair& a, const engine::Pair& b) { return oracle_before(weights, a, b); });
  RankedPairs ranked;
  for (const engine::Pair& p : all) {
    if (ranked.pairs.size() < rule.top) {
      ranked.pairs.push_back(p);
      continue;
    }
    engine::Pair last = ranked.pairs.back(), other = p;
    last.row = other.row = 0;
    ranked.ties_cut += last == other;
  }
  return ranked;
}

/// Of at most three queries.
std::vector<engine::Threshold> thresholds_of(const Ranking& ranking) {
  std::vector<engine::Threshold> thresholds(3);
  ranking.thresholds(thresholds);
  return thresholds;
}

/// Takes pairs in batches. \param filters  only those that pass the threshold of the moment, as engines do
void take(Ranking& ranking, std::span<const engine::Pair> all, std::size_t batch, bool filters = true) {
  std::vector<engine::Threshold> threshold(1);
  for (std::size_t at = 0; at < all.size(); at += batch) {
    ranking.thresholds(threshold);
    std::vector<engine::Pair> taken;
    for (const engine::Pair& p : all.subspan(at, std::min(batch, all.size() - at)))
      if (!filters || threshold[0].passes(p.counts)) taken.push_back(p);
    ranking.take(taken);
  }
}

RankedPairs run(const std::vector<engine::Pair>& all, const KeepRule& rule, std::size_t batch) {
  Ranking ranking(1, rule);
  take(ranking, all, batch);
  return ranking.result()[0];
}

TEST(Ranking, OrdersByRateThenComparedThenRow) {
  const auto kept =
      run({pair(7, 1, 50, 50), pair(3, 2, 100, 100), pair(5, 0, 10, 10), pair(1, 1, 50, 50)}, KeepRule{}, 1);
  EXPECT_EQ(kept.pairs, (std::vector<engine::Pair>{pair(5, 0, 10, 10), pair(3, 2, 100, 100),
                                                   pair(1, 1, 50, 50), pair(7, 1, 50, 50)}));
}

TEST(Ranking, PrefersALargerDenominatorAtOneRateAndNoDenominatorIsRateZero) {
  const auto kept =
      run({pair(0, 0, 0, 90), pair(1, 0, 20, 80), pair(2, 0, 30, 70), pair(3, 1, 30, 90), pair(4, 2, 60, 90)},
          KeepRule{}, 2);
  std::vector<std::uint64_t> rows;
  for (const engine::Pair& p : kept.pairs) rows.push_back(p.row);
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{2, 1, 0, 4, 3}));
}

TEST(Ranking, NeverListsAProfileWithNoComparableSite) {
  EXPECT_TRUE(run({pair(0, 0, 0, 0)}, KeepRule{.min_compared = 0}, 1).pairs.empty());
}

TEST(Ranking, FiveHundredTwinsGiveTheTenLowestRowsAndCountTheRest) {
  std::vector<engine::Pair> twins;
  for (std::uint64_t row = 0; row < 500; ++row) twins.push_back(pair(row, 3, 100, 100));
  std::ranges::shuffle(twins, std::mt19937(1));
  const auto kept = run(twins, KeepRule{}, 37);
  ASSERT_EQ(kept.pairs.size(), 10u);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(kept.pairs[i].row, i);
  EXPECT_EQ(kept.ties_cut, 490u);
}

TEST(Ranking, CutTiesThatWereOutrankedNoLongerCount) {
  Ranking ranking(1, KeepRule{.top = 2});
  const auto ties_cut = [&](std::initializer_list<engine::Pair> pairs) {
    ranking.take(pairs);
    return ranking.result()[0].ties_cut;
  };
  EXPECT_EQ(ties_cut({pair(1, 4, 50, 50), pair(2, 4, 50, 50), pair(3, 4, 50, 50), pair(4, 4, 50, 50)}), 2u);
  EXPECT_EQ(ties_cut({pair(5, 8, 100, 100)}), 3u) << "of the same rate, with more compared: it leads";
  EXPECT_EQ(ties_cut({pair(6, 1, 50, 50)}), 0u);
  EXPECT_EQ(ties_cut({pair(7, 4, 50, 50)}), 0u);
  EXPECT_EQ(ties_cut({pair(0, 8, 100, 100)}), 1u);
  EXPECT_EQ(ranking.result()[0].pairs, (std::vector<engine::Pair>{pair(6, 1, 50, 50), pair(0, 8, 100, 100)}));
}

/// Pairs of one query, and what is to be kept of them.
struct Drawn {
  std::vector<engine::Pair> all;  ///< of few values, so that ties are common
  KeepRule rule;
  QueryRule own;  ///< by fraction and by weights
  RankedPairs expected;
  std::mt19937 random;
};

Drawn draw() {
  Drawn drawn;
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  for (std::size_t row = 0; row < n; ++row) {
    const auto compared = *rc::gen::inRange<std::uint32_t>(0, 7);
    const auto denominator = *rc::gen::inRange<std::uint32_t>(0, compared + 1);
    drawn.all.push_back(pair(row, *rc::gen::inRange<std::uint32_t>(0, compared + 1), denominator, compared));
  }
  drawn.rule = {.top = *rc::gen::element<std::uint64_t>(1, 2, 10, KeepRule::kAll),
                .max_count = *rc::gen::element<std::uint32_t>(0, 2, UINT32_MAX),
                .min_compared = *rc::gen::element<std::uint32_t>(1, 3)};
  const QueryRule own{
      .weights = *rc::gen::element(PairWeights{}, PairWeights{3, 1}, PairWeights{1, 2}, PairWeights{5, 0}),
      .only_positive = *rc::gen::arbitrary<bool>()};
  drawn.own = own;
  const auto is_negative = [&](const engine::Pair& one) {
    return own.only_positive &&
           own.weights.cost * one.counts.count > own.weights.credit * std::max(1u, one.counts.denominator);
  };
  std::vector<engine::Pair> allowed = drawn.all;
  if (own.weights.cost > 0) std::erase_if(allowed, is_negative);
  drawn.expected = oracle(allowed, drawn.rule, own.weights);
  drawn.random.seed(*rc::gen::arbitrary<std::uint32_t>());
  return drawn;
}

// Whatever of it was ranked before, to start from.
RC_GTEST_PROP(Ranking, EqualsAFullSortHoweverPairsArrive, ()) {
  auto [all, rule, own, expected, random] = draw();
  Ranking sample(1, rule, {&own, 1}), ranking(1, rule, {&own, 1});
  std::ranges::shuffle(all, random);
  sample.take(std::span(all).first(*rc::gen::inRange<std::size_t>(0, all.size() + 1)));
  ranking.start_from(thresholds_of(sample));
  std::ranges::shuffle(all, random);
  take(ranking, all, *rc::gen::inRange<std::size_t>(1, 50), *rc::gen::arbitrary<bool>());
  RC_ASSERT(ranking.result()[0] == expected);
}

// Two rankings in one process, which share thresholds, and one in another, whose thresholds they merge now
// and then: of what the three keep the best are the best of all, and ties are counted as one ranking counts
// them.
RC_GTEST_PROP(Ranking, ShareThresholdsAndLoseNothing, ()) {
  auto [all, rule, own, expected, random] = draw();
  SharedThresholds here(1, rule, {&own, 1}), there(1, rule, {&own, 1});
  Ranking first(here, rule), second(here, rule), third(there, rule);
  Ranking* const rankings[] = {&first, &second, &third};
  for (Ranking* const ranking : rankings) {
    std::vector<engine::Pair> rows;
    for (const engine::Pair& one : all)
      if (rankings[one.row % 3] == ranking && random() % 4 == 0) rows.push_back(one);
    Ranking sample(1, rule, {&own, 1});
    sample.take(rows);
    ranking->start_from(thresholds_of(sample));
  }
  std::ranges::shuffle(all, random);
  for (const engine::Pair& one : all) {
    take(*rankings[one.row % 3], {&one, 1}, 1);
    if (random() % 8 == 0) here.merge(there.snapshot());
    if (random() % 8 == 0) there.merge(here.snapshot());
  }
  Ranking merged(1, rule, {&own, 1});
  for (const Ranking* const ranking : rankings) merged.take(ranking->result()[0].pairs);
  for (const Ranking* const ranking : rankings)
    if (const RankedPairs kept = ranking->result()[0]; kept.ties_cut > 0)
      merged.add_ties_cut(kept.pairs.back(), kept.ties_cut);
  RC_ASSERT(merged.result()[0] == expected);
}

TEST(SharedThresholds, RejectWhatAnotherRankingHasBeaten) {
  const QueryRule own[] = {{}, {.weights = {5, 2}}};
  SharedThresholds thresholds(2, KeepRule{.max_count = 50}, own);
  Ranking busy(thresholds, KeepRule{.top = 1}), late(thresholds, KeepRule{.top = 1});
  busy.take(std::vector<engine::Pair>{pair(0, 2, 100, 100, 0), pair(0, 3, 10, 10, 1)});
  late.take(std::vector<engine::Pair>{pair(1, 3, 100, 100, 0), pair(1, 4, 10, 10, 1), pair(2, 1, 50, 50, 0)});
  EXPECT_TRUE(late.result()[1].pairs.empty());
  EXPECT_EQ(late.result()[0].pairs, (std::vector<engine::Pair>{pair(2, 1, 50, 50, 0)})) << "of the same rate";
  EXPECT_EQ(thresholds.threshold(0), (engine::Threshold{50, 2, 100})) << "not 1 / 50, which is no lower";
  EXPECT_EQ(thresholds.threshold(1), (engine::Threshold{50, 2, 5, -5}));
}

TEST(Threshold, IsExactWhereFloatingPointIsNot) {
  const engine::Threshold threshold{
      .max_count = 100'000, .num = 33'333, .den = 99'999};  // one third, exactly
  EXPECT_TRUE(threshold.passes({33'333, 99'999, 0}));
  EXPECT_TRUE(threshold.passes({1, 3, 0}));
  EXPECT_FALSE(threshold.passes({33'334, 99'999, 0}));
  EXPECT_FALSE(threshold.passes({33'333, 99'998, 0}));
}

/// What is said of a device that the pairs came from.
std::string complaint(const Ranking& ranking) {
  try {
    ranking.result();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "none";
}

TEST(Ranking, StartsFromTheThresholdsOfASample) {
  const KeepRule rule{.top = 2, .max_count = 60};
  Ranking sample(3, rule), ranking(3, rule);
  const std::vector<engine::Pair> sampled = {pair(1, 6, 100, 100), pair(2, 3, 100, 100), pair(3, 9, 100, 100),
                                             pair(1, 1, 100, 100, 2)};
  sample.take(sampled);
  ranking.start_from(thresholds_of(sample));
  std::vector<engine::Threshold> thresholds(3);
  ranking.thresholds(thresholds);
  EXPECT_EQ(thresholds[0], (engine::Threshold{60, 6, 100}));
  EXPECT_EQ(thresholds[1], (engine::Threshold{60, 1, 0})) << "of the sample, nothing: open";
  EXPECT_EQ(thresholds[2], (engine::Threshold{60, 1, 0})) << "of the sample, one of two";
  ranking.take(std::vector<engine::Pair>{pair(7, 7, 100, 100), pair(8, 6, 100, 100)});
  ranking.take(sampled);
  const std::vector<RankedPairs> kept = ranking.result();
  EXPECT_EQ(kept[0], (RankedPairs{{pair(2, 3, 100, 100), pair(1, 6, 100, 100)}, 1}));
  EXPECT_EQ(kept[1], RankedPairs{});
  EXPECT_EQ(kept[2], (RankedPairs{{pair(1, 1, 100, 100, 2)}, 0}));
}

TEST(Ranking, StartsOpenWhereThereWasNoSampleByWeightsToo) {
  const QueryRule own[] = {{.weights = {7, 2}}, {.weights = {}}, {.weights = {7, 0}}};
  Ranking ranking(3, KeepRule{.top = 2}, own);
  const std::vector<engine::Threshold> before = thresholds_of(ranking);
  ranking.start_from(std::vector<engine::Threshold>(3));
  EXPECT_EQ(thresholds_of(ranking), before);
  const std::vector<engine::Pair> worst = {pair(1, 100, 0, 100), pair(1, 100, 0, 100, 1),
                                           pair(1, 100, 0, 100, 2)};
  for (const engine::Pair& one : worst) EXPECT_TRUE(before[one.query].passes(one.counts));
  ranking.take(worst);
  const std::vector<RankedPairs> all = ranking.result();
  for (const RankedPairs& kept : all) EXPECT_EQ(kept.pairs.size(), 1u);
}

/// 2 differences in 244 sites before 0 in 12, which a fraction has the other way round.
TEST(Ranking, ByWeightsManySitesMakeUpForAFewDifferences) {
  const std::vector<engine::Pair> pairs = {pair(0, 0, 12, 12), pair(1, 2, 244, 244), pair(2, 0, 10, 10),
                                           pair(3, 30, 244, 244), pair(4, 0, 12, 12)};
  const QueryRule own{.weights = {140'000, 14'000}};  // 1.4 for each difference, 0.14 for each site
  const auto rows = [&](std::span<const QueryRule> rules) {
    Ranking ranking(1, KeepRule{.top = 4}, rules);
    ranking.take(pairs);
    std::vector<std::uint64_t> found;
    const RankedPairs kept = ranking.result()[0];
    for (const engine::Pair& p : kept.pairs) found.push_back(p.row);
    return found;
  };
  EXPECT_EQ(rows({&own, 1}), (std::vector<std::uint64_t>{1, 0, 4, 2}));
  EXPECT_EQ(rows({}), (std::vector<std::uint64_t>{0, 4, 2, 1}));
}

TEST(Ranking, ByWeightsItsThresholdIsThatOfTheWorstKept) {
  const QueryRule own{.max_count = 9, .weights = {5, 2}};
  Ranking ranking(1, KeepRule{.top = 2}, {&own, 1});
  ranking.take(std::vector<engine::Pair>{pair(0, 1, 10, 10), pair(1, 3, 10, 10), pair(2, 2, 10, 10),
                                         pair(3, 4, 15, 15)});
  std::vector<engine::Threshold> threshold(1);
  ranking.thresholds(threshold);
  EXPECT_EQ(threshold[0],
            (engine::Threshold{9, 2, 5, -10}));  // 2 x 5 - 10 x 2, as 4 x 5 - 15 x 2: a tie, and more sites
  const RankedPairs kept = ranking.result()[0];
  EXPECT_EQ(kept.pairs, (std::vector<engine::Pair>{pair(0, 1, 10, 10), pair(3, 4, 15, 15)}));
  EXPECT_EQ(kept.ties_cut, 0u) << "those of fewer sites are of another class";
}

TEST(Ranking, NoticesThatPairsOfItsSampleDidNotComeAgain) {
  const KeepRule rule{.top = 2};
  Ranking sample(3, rule), ranking(3, rule);
  sample.take(
      std::vector<engine::Pair>{pair(1, 6, 100, 100, 1), pair(2, 3, 100, 100, 1), pair(1, 1, 100, 100, 2)});
  ranking.start_from(thresholds_of(sample));
  EXPECT_THAT(complaint(ranking), AllOf(HasSubstr("query 1 "), HasSubstr("did not come again"),
                                        HasSubstr(std::string(kDistrust))));
  ranking.take(std::vector<engine::Pair>{pair(2, 3, 100, 100, 1), pair(5, 7, 100, 100, 1)});
  EXPECT_THAT(complaint(ranking), HasSubstr("did not come again")) << "one came, and one that is too bad";
  ranking.take(std::vector<engine::Pair>{pair(4, 5, 100, 100, 1)});
  EXPECT_EQ(complaint(ranking), "none") << "of query 2 there was too little for a threshold";
  EXPECT_EQ(ranking.result()[1].pairs,
            (std::vector<engine::Pair>{pair(2, 3, 100, 100, 1), pair(4, 5, 100, 100, 1)}));
}

TEST(Ranking, NoticesAPairThatCameTwice) {
  Ranking ranking(4, KeepRule{});
  ranking.take(
      std::vector<engine::Pair>{pair(8, 1, 100, 100, 2), pair(8, 1, 100, 100, 3), pair(9, 1, 100, 100, 3)});
  EXPECT_EQ(complaint(ranking), "none") << "a row of two queries, and two rows that tie";
  ranking.take(std::vector<engine::Pair>{pair(8, 1, 100, 100, 3)});
  EXPECT_THAT(complaint(ranking),
              AllOf(HasSubstr("row 8 was found twice for query 3"), HasSubstr(std::string(kDistrust))));
}

TEST(Ranking, KeepsALimitForEachQuery) {
  const QueryRule limits[] = {{2, {}}, {0, {}}, {9, {}}};
  Ranking ranking(3, KeepRule{.max_count = 5}, limits);
  std::vector<engine::Threshold> thresholds(3);
  ranking.thresholds(thresholds);
  EXPECT_EQ(thresholds[0].max_count, 2u);
  EXPECT_EQ(thresholds[1].max_count, 0u);
  EXPECT_EQ(thresholds[2].max_count, 5u);  // the rule's, which is lower
  std::vector<engine::Pair> pairs;
  for (std::uint32_t query = 0; query < 3; ++query)
    for (std::uint32_t count = 0; count < 10; ++count) pairs.push_back(pair(count, count, 100, 100, query));
  ranking.take(pairs);
  const std::vector<RankedPairs> kept = ranking.result();
  EXPECT_EQ(kept[0].pairs.size(), 3u);
  EXPECT_EQ(kept[1].pairs.size(), 1u);
  EXPECT_EQ(kept[2].pairs.size(), 6u);
}

TEST(Ranking, SaysHowManyItKeeps) {
  EXPECT_EQ(Ranking(1, KeepRule{}).keeps(), 10u);
  EXPECT_EQ(Ranking(1, KeepRule{.top = KeepRule::kAll}).keeps(), UINT64_MAX);
}

RC_GTEST_PROP(Ranking, IsTheSameFromManyThreadsInAnyBatches, ()) {
  constexpr std::uint32_t kQueries = 150;  // more than there are locks
  constexpr std::size_t kThreads = 4;
  constexpr std::uint64_t kRows = 20;
  const KeepRule rule{.top = *rc::gen::inRange<std::uint64_t>(1, 8)};
  const auto batch = *rc::gen::inRange<std::size_t>(1, 3500);
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::vector<engine::Pair> pairs;
  for (std::uint64_t row = 0; row < kRows; ++row)
    for (std::uint32_t query = 0; query < kQueries; ++query)
      pairs.push_back(pair(row, static_cast<std::uint32_t>(random() % 20), 20, 20, query));
  Ranking alone(kQueries, rule), together(kQueries, rule);
  for (const engine::Pair& one : pairs) alone.take({&one, 1});
  std::ranges::shuffle(pairs, random);
  ThreadPool(kThreads).for_each(kThreads, [&](std::size_t thread, const auto&) {
    std::vector<engine::Threshold> thresholds(kQueries);
    for (std::size_t at = thread * batch; at < pairs.size(); at += kThreads * batch) {
      together.take(std::span(pairs).subspan(at, std::min(batch, pairs.size() - at)));
      together.thresholds(thresholds);
    }
  });
  const std::vector<RankedPairs> kept = together.result();
  RC_ASSERT(kept == alone.result());
  std::vector<engine::Threshold> thresholds(kQueries);
  together.thresholds(thresholds);
  for (std::uint32_t query = 0; query < kQueries; ++query)
    RC_ASSERT(thresholds[query] ==
              (engine::Threshold{UINT32_MAX, kept[query].pairs.back().counts.count, 20}));
}

}  // namespace
}  // namespace fastid::match
