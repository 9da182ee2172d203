// The ranking against a plain sort over exact fractions, for any order of arrival and any cut of the work.
#include "match/ranking.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

Hit hit(std::uint64_t row, std::uint32_t count, std::uint32_t minor, std::uint32_t compared) {
  return {row, {.count = count, .minor_alleles = minor, .compared = compared}};
}

/// The order of docs/output.md, as cross products, which fit 64 bits at these sizes.
bool oracle_before(Comparison comparison, const Hit& a, const Hit& b) {
  const auto denominator = [&](const Hit& h) -> std::uint64_t {
    const std::uint32_t d = comparison == Comparison::kIdentity ? h.counts.compared : h.counts.minor_alleles;
    return d == 0 ? 1 : d;
  };
  const std::uint64_t left = a.counts.count * denominator(b), right = b.counts.count * denominator(a);
  if (left != right) return left < right;
  return std::tuple(-std::int64_t{a.counts.minor_alleles}, -std::int64_t{a.counts.compared}, a.row) <
         std::tuple(-std::int64_t{b.counts.minor_alleles}, -std::int64_t{b.counts.compared}, b.row);
}

RankedHits oracle(Comparison comparison, std::vector<Hit> all, const KeepRule& rule) {
  std::erase_if(all, [&](const Hit& h) {
    return h.counts.count > rule.max_count || h.counts.compared < std::max(1u, rule.min_compared);
  });
  std::sort(all.begin(), all.end(),
            [&](const Hit& a, const Hit& b) { return oracle_before(comparison, a, b); });
  RankedHits ranked;
  for (const Hit& h : all) {
    if (ranked.hits.size() < rule.top) {
      ranked.hits.push_back(h);
      continue;
    }
    Hit last = ranked.hits.back(), other = h;
    last.row = other.row = 0;
    ranked.ties_cut += last == other;
  }
  return ranked;
}

struct Offer {
  std::uint32_t query = 0;
  Hit hit;
};

template <class Count>
struct Counted final : Ranking::Recounter {
  explicit Counted(Count how) : count_one(std::move(how)) {}
  PairCounts count(const Contender& pair) const override { return count_one(pair); }
  Count count_one;
};

void offer(Ranking& ranking, Comparison comparison, std::span<const Offer> offers) {
  std::vector<Contender> pairs;
  for (const auto& [query, hit] : offers)
    pairs.push_back({.row = hit.row,
                     .place = static_cast<std::uint32_t>(pairs.size()),
                     .query = query,
                     .count = hit.counts.count,
                     .denominator = denominator_of(comparison, hit.counts)});
  ranking.rank(std::move(pairs),
               Counted([&](const Contender& pair) { return offers[pair.place].hit.counts; }));
}

/// The share of the last of the `top` best, where so many are listed for sure.
std::vector<Threshold> threshold_of(Comparison comparison, const std::vector<Offer>& offers,
                                    const KeepRule& rule) {
  std::vector<Hit> sure;
  for (const Offer& one : offers)
    if (denominator_of(comparison, one.hit.counts) >= std::max(1u, rule.min_compared) &&
        one.hit.counts.count <= rule.max_count)
      sure.push_back(one.hit);
  if (sure.size() < rule.top) return {Threshold{}};
  std::ranges::sort(sure, [&](const Hit& a, const Hit& b) { return oracle_before(comparison, a, b); });
  const PairCounts& last = sure[rule.top - 1].counts;
  return {Threshold{rule.max_count, last.count, denominator_of(comparison, last)}};
}

/// Offers in batches, each pair only where it passes the threshold of the moment, as engines do. \param
/// promises thresholds of a batch before the one before it is ranked, as lanes do
RankedHits run(Comparison comparison, const std::vector<Hit>& all, const KeepRule& rule, std::size_t batch,
               bool promises = false) {
  Ranking ranking(comparison, 1, rule);
  std::vector<Threshold> threshold(1);
  std::vector<Offer> waiting;
  for (std::size_t at = 0; at < all.size(); at += batch) {
    ranking.thresholds(threshold);
    std::vector<Offer> offers;
    for (std::size_t i = at; i < std::min(all.size(), at + batch); ++i)
      if (threshold[0].passes(all[i].counts.count, denominator_of(comparison, all[i].counts)))
        offers.push_back({0, all[i]});
    if (promises) {
      ranking.promise(threshold_of(comparison, offers, rule));
      waiting.swap(offers);
    }
    offer(ranking, comparison, offers);
  }
  offer(ranking, comparison, waiting);
  EXPECT_EQ(ranking.broken_promise(), std::nullopt);
  return ranking.result()[0];
}

TEST(Ranking, OrdersByRateThenComparedThenRow) {
  const auto kept =
      run(Comparison::kIdentity, {hit(7, 1, 0, 50), hit(3, 2, 0, 100), hit(5, 0, 0, 10), hit(1, 1, 0, 50)},
          KeepRule{}, 1);
  EXPECT_EQ(kept.hits,
            (std::vector<Hit>{hit(5, 0, 0, 10), hit(3, 2, 0, 100), hit(1, 1, 0, 50), hit(7, 1, 0, 50)}));
}

TEST(Ranking, MixturesPreferMoreMinorAllelesAtOneRateAndNoMinorAlleleIsRateZero) {
  const auto kept =
      run(Comparison::kMixture,
          {hit(0, 0, 0, 90), hit(1, 0, 20, 80), hit(2, 0, 30, 70), hit(3, 1, 30, 90), hit(4, 2, 60, 90)},
          KeepRule{}, 2);
  std::vector<std::uint64_t> rows;
  for (const Hit& h : kept.hits) rows.push_back(h.row);
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{2, 1, 0, 4, 3}));
}

TEST(Ranking, NeverListsAProfileWithNoComparableSite) {
  EXPECT_TRUE(run(Comparison::kIdentity, {hit(0, 0, 0, 0)}, KeepRule{.min_compared = 0}, 1).hits.empty());
}

TEST(Ranking, FiveHundredTwinsGiveTheTenLowestRowsAndCountTheRest) {
  std::vector<Hit> twins;
  for (std::uint64_t row = 0; row < 500; ++row) twins.push_back(hit(row, 3, 0, 100));
  std::shuffle(twins.begin(), twins.end(), std::mt19937(1));
  const auto kept = run(Comparison::kIdentity, twins, KeepRule{}, 37);
  ASSERT_EQ(kept.hits.size(), 10u);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(kept.hits[i].row, i);
  EXPECT_EQ(kept.ties_cut, 490u);
}

RC_GTEST_PROP(Ranking, EqualsAFullSortHoweverOffersArrive, ()) {
  const auto comparison = *rc::gen::element(Comparison::kIdentity, Comparison::kMixture);
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  std::vector<Hit> all;
  for (std::size_t row = 0; row < n; ++row) {  // few values, so that ties are common
    const auto compared = *rc::gen::inRange<std::uint32_t>(0, 7);
    const auto minor =
        comparison == Comparison::kIdentity ? 0 : *rc::gen::inRange<std::uint32_t>(0, compared + 1);
    const auto most = comparison == Comparison::kIdentity ? compared : minor;
    all.push_back(hit(row, *rc::gen::inRange<std::uint32_t>(0, most + 1), minor, compared));
  }
  const KeepRule rule{.top = *rc::gen::element<std::uint64_t>(1, 2, 10, KeepRule::kAll),
                      .max_count = *rc::gen::element<std::uint32_t>(0, 2, UINT32_MAX),
                      .min_compared = *rc::gen::element<std::uint32_t>(1, 3)};
  const RankedHits expected = oracle(comparison, all, rule);
  std::shuffle(all.begin(), all.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
  const RankedHits kept =
      run(comparison, all, rule, *rc::gen::inRange<std::size_t>(1, 50), *rc::gen::arbitrary<bool>());
  RC_ASSERT(kept.hits == expected.hits);
  RC_ASSERT(kept.ties_cut == expected.ties_cut);
}

RC_GTEST_PROP(Ranking, CountsAgainNoMoreThanItTakes, ()) {
  constexpr std::uint32_t kQueries = 70;  // more than there are locks
  const std::uint64_t top = *rc::gen::inRange<std::uint64_t>(1, 8);
  std::mt19937 rng(*rc::gen::arbitrary<std::uint32_t>());
  std::vector<Contender> pairs;
  for (std::uint64_t row = 0; row < 2000; ++row)
    pairs.push_back({.row = row,
                     .query = static_cast<std::uint32_t>(rng() % kQueries),
                     .count = static_cast<std::uint32_t>(rng() % 50),
                     .denominator = 50});
  Ranking whole(Comparison::kIdentity, kQueries, {.top = top}),
      batches(Comparison::kIdentity, kQueries, {.top = top});
  std::vector<Offer> offers;
  for (const Contender& pair : pairs) offers.push_back({pair.query, hit(pair.row, pair.count, 0, 50)});
  for (const Offer& one : offers) offer(whole, Comparison::kIdentity, {&one, 1});
  std::atomic<std::size_t> counted = 0;
  const auto batch = *rc::gen::inRange<std::size_t>(1, 2500);
  constexpr std::size_t kThreads = 4;
  run_crew(kThreads, [&](std::size_t thread, const auto&) {
    for (std::size_t at = thread * batch; at < pairs.size(); at += kThreads * batch) {
      const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(at + batch, pairs.size()));
      batches.rank({first, end}, Counted([&](const Contender& pair) -> PairCounts {
                     ++counted;
                     return {.count = pair.count, .minor_alleles = 0, .compared = 50};
                   }));
    }
  });
  const std::vector<RankedHits> found = batches.result(), expected = whole.result();
  std::size_t listed = 0;
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    RC_ASSERT(found[query].hits == expected[query].hits);
    RC_ASSERT(found[query].ties_cut == expected[query].ties_cut);
    listed += found[query].hits.size() + found[query].ties_cut;
  }
  if (batch >= pairs.size()) RC_ASSERT(counted == listed);  // best first: none for nothing
}

TEST(Threshold, IsExactWhereFloatingPointIsNot) {
  const Threshold threshold{.max_count = 100'000, .num = 33'333, .den = 99'999};  // one third, exactly
  EXPECT_TRUE(threshold.passes(33'333, 99'999));
  EXPECT_TRUE(threshold.passes(1, 3));
  EXPECT_FALSE(threshold.passes(33'334, 99'999));
  EXPECT_FALSE(threshold.passes(33'333, 99'998));
}

TEST(Ranking, TurnsPairsAwayByPromisedThresholdsAndKnowsWhichOfThoseWereKept) {
  Ranking ranking(Comparison::kIdentity, 3, KeepRule{.top = 2});
  const std::vector<Threshold> promised = {{UINT32_MAX, 3, 50}, {}, {UINT32_MAX, 1, 100}};
  std::vector<Threshold> thresholds(3);
  ranking.promise(promised);
  ranking.promise(std::vector<Threshold>{{UINT32_MAX, 5, 50}, {}, {UINT32_MAX, 1, 100}});  // not as strict
  ranking.thresholds(thresholds);
  EXPECT_EQ(thresholds, promised);
  EXPECT_EQ(ranking.broken_promise(), 0u);
  offer(ranking, Comparison::kIdentity,
        std::vector<Offer>{{0, hit(4, 6, 0, 100)}, {0, hit(5, 7, 0, 100)}, {0, hit(6, 1, 0, 100)}});
  EXPECT_EQ(ranking.result()[0].hits, (std::vector<Hit>{hit(6, 1, 0, 100), hit(4, 6, 0, 100)}));
  EXPECT_EQ(ranking.broken_promise(), 2u);  // the second one's threshold is open: nothing was promised
  offer(ranking, Comparison::kIdentity, std::vector<Offer>{{2, hit(8, 1, 0, 100)}});
  EXPECT_EQ(ranking.broken_promise(), 2u);  // one of two
  offer(ranking, Comparison::kIdentity, std::vector<Offer>{{2, hit(9, 0, 0, 100)}});
  EXPECT_EQ(ranking.broken_promise(), std::nullopt);
  const std::vector<Threshold> better = {{UINT32_MAX, 1, 1000}, {}, {}};
  ranking.promise(better);
  EXPECT_EQ(ranking.broken_promise(), 0u);  // two are kept, neither of which is as good
}

TEST(Ranking, KeepsALimitForEachQuery) {
  const std::uint32_t limits[] = {2, 0, 9};
  Ranking ranking(Comparison::kIdentity, 3, KeepRule{.max_count = 5}, limits);
  std::vector<Threshold> thresholds(3);
  ranking.thresholds(thresholds);
  EXPECT_EQ(thresholds[0].max_count, 2u);
  EXPECT_EQ(thresholds[1].max_count, 0u);
  EXPECT_EQ(thresholds[2].max_count, 5u);  // the rule's, which is lower
  std::vector<Offer> offers;
  for (std::uint32_t query = 0; query < 3; ++query)
    for (std::uint32_t count = 0; count < 10; ++count) offers.push_back({query, hit(count, count, 0, 100)});
  offer(ranking, Comparison::kIdentity, offers);
  const std::vector<RankedHits> kept = ranking.result();
  EXPECT_EQ(kept[0].hits.size(), 3u);
  EXPECT_EQ(kept[1].hits.size(), 1u);
  EXPECT_EQ(kept[2].hits.size(), 6u);
}

TEST(Ranking, TakesOffersForManyQueriesFromManyThreads) {
  constexpr std::uint32_t kQueries = 150;  // more than there are locks
  constexpr std::size_t kThreads = 4, kRows = 200;
  const auto offers_of = [](std::size_t thread) {
    std::mt19937 rng(static_cast<unsigned>(thread));
    std::vector<Offer> offers;
    for (std::size_t row = thread; row < kRows; row += kThreads)
      for (std::uint32_t query = 0; query < kQueries; ++query)
        offers.push_back({query, hit(row, static_cast<std::uint32_t>(rng() % 20), 0, 20)});
    return offers;
  };
  Ranking alone(Comparison::kIdentity, kQueries, {}), together(Comparison::kIdentity, kQueries, {});
  for (std::size_t i = 0; i < kThreads; ++i) offer(alone, Comparison::kIdentity, offers_of(i));
  run_crew(kThreads, [&](std::size_t i, const auto&) {
    const std::vector<Offer> offers = offers_of(i);
    constexpr std::size_t kBatch = 333;
    std::vector<Threshold> thresholds(kQueries);
    for (std::size_t at = 0; at < offers.size(); at += kBatch) {
      offer(together, Comparison::kIdentity,
            std::span(offers).subspan(at, std::min(kBatch, offers.size() - at)));
      together.thresholds(thresholds);
    }
  });
  std::vector<Threshold> thresholds(kQueries);
  together.thresholds(thresholds);
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    EXPECT_EQ(together.result()[query].hits, alone.result()[query].hits);
    EXPECT_EQ(together.result()[query].ties_cut, alone.result()[query].ties_cut);
    EXPECT_EQ(thresholds[query].num, alone.result()[query].hits.back().counts.count);
    EXPECT_EQ(thresholds[query].den, 20u);
  }
}

}  // namespace
}  // namespace fastid
