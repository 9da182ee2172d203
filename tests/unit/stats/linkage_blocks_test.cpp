// Blocks of linked sites: each weighs as one site, in every figure, and chance is bounded whatever the
// linkage.
#include "stats/linkage_blocks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "stats/evidence.hpp"
#include "stats/internal/block_limit.hpp"
#include "stats/internal/tail_bound.hpp"
#include "stats/kinship.hpp"
#include "stats/pedigree.hpp"
#include "stats/site_walk.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using testing::rows_of;

constexpr std::uint32_t kAlone = LinkageBlocks::kAlone;
constexpr std::uint64_t kSearched = 1'000'000;

TEST(SiteWeights, AreOneOverTheComparedSitesOfABlock) {
  const LinkageBlocks blocks({0, 1, 0, kAlone, 0, 1}, 2);
  const ProfileRows rows = rows_of({"1-0110"});
  const SiteWeights weights(&blocks, rows.row(0).called);
  const std::vector<double> right = {1. / 3, 1, 1. / 3, 1, 1. / 3, 1};
  for (const std::size_t site : {0u, 2u, 3u, 4u, 5u}) EXPECT_DOUBLE_EQ(weights[site], right[site]) << site;
  EXPECT_EQ(SiteWeights(nullptr, rows.row(0).called)[4], 1);
}

TEST(LinkageBlocks, RowsWeighedTogetherAreAsEachByItself) {
  PopulationModel model = testing::model_of({.1, .2, .3, .4, .25, .35}, .01);
  model.weigh_by(std::make_shared<LinkageBlocks>(std::vector<std::uint32_t>{0, 1, 0, kAlone, 0, 1}, 2));
  const ProfileRows query = rows_of({"10-110"}), people = rows_of({"100110", "0-1-01", "------", "--1011"});
  std::vector<RowView> stored;
  for (std::size_t i = 0; i < people.n_rows(); ++i) stored.push_back(people.row(i));
  const IdentityModel bits = testing::by_bits(model);
  const IdentityRatios ratios(bits, query.row(0), Relation::kUnrelated);
  const std::vector<RelationRatios> together = ratios.with(stored);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const SiteWeights weights = model.weights(compared_sites(query.row(0), stored[i]));
    RelationRatios right;
    for_each_compared(query.row(0), stored[i], [&](std::size_t site, bool asked, bool there) {
      right.add(bits.ratios(site, asked, there), weights[site]);
    });
    for (std::size_t r = 0; r < kRelations; ++r) EXPECT_DOUBLE_EQ(together[i].log10[r], right.log10[r]);
    EXPECT_EQ(ratios.with(stored[i]).log10, together[i].log10);
    EXPECT_EQ(ratios.log10_lr(stored[i]), ratios.log10_lr(stored)[i]);
  }
}

/// Each site of a text, 1, 2, 3, 1, 2, 3, ... times.
constexpr std::size_t copies_of(std::size_t site) {
  return 1 + site % 3;
}
std::string repeated(std::string_view text) {
  std::string all;
  for (std::size_t site = 0; site < text.size(); ++site) all.append(copies_of(site), text[site]);
  return all;
}

/// A panel, and the same with each site repeated as one block.
struct Panels {
  std::vector<PopulationModel> once, repeated;

  explicit Panels(const std::vector<double>& freq) {
    std::vector<double> all;
    std::vector<std::uint32_t> block_of;
    for (std::uint32_t site = 0; site < freq.size(); ++site) {
      all.insert(all.end(), copies_of(site), freq[site]);
      block_of.insert(block_of.end(), copies_of(site), site);
    }
    once.push_back(testing::model_of(freq, .01));
    repeated.push_back(testing::model_of(all, .01));
    repeated[0].weigh_by(
        std::make_shared<const LinkageBlocks>(block_of, static_cast<std::uint32_t>(freq.size())));
  }
};

const std::vector<double> kFrequencies = {.1, .2, .3, .4, .5, .05, .25, .35, .45};
constexpr std::string_view kFirst = "012-01210", kSecond = "0110-1211";

engine::PairCounts counts_of(engine::Comparison comparison, Encoding by, const RowView& query,
                             const RowView& stored) {
  const engine::Terms terms = engine::terms_of(comparison, by);
  engine::PairCounts counts;
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    for (const engine::Term& term : terms.counted())
      counts.count += term.weight * static_cast<std::uint32_t>(std::popcount(engine::counted_sites(
                                        term, query.bits[word], query.major_word(word), query.called[word],
                                        stored.bits[word], stored.major_word(word), stored.called[word])));
    counts.compared += static_cast<std::uint32_t>(std::popcount(query.called[word] & stored.called[word]));
  }
  return counts;
}

/// What is read several times is worth what it is worth once.
class RepeatedSites : public ::testing::TestWithParam<std::tuple<engine::Comparison, Encoding>> {};

TEST_P(RepeatedSites, AreWorthWhatTheyAreWorthOnce) {
  const auto [comparison, by] = GetParam();
  const Panels panels(kFrequencies);
  const AllelesSeen first(kFirst), second(kSecond), firsts(repeated(kFirst)), seconds(repeated(kSecond));
  const Question once = make_question(comparison, by, kSearched, Relation::kSibling, panels.once),
                 often = make_question(comparison, by, kSearched, Relation::kSibling, panels.repeated);
  const QueryEvaluator of_once(once, first), of_often(often, firsts);
  const HitReport right = of_once.hit(second, counts_of(comparison, by, first, second)),
                  found = of_often.hit(seconds, counts_of(comparison, by, firsts, seconds));
  EXPECT_NEAR(found.worst.log10_lr, right.worst.log10_lr, 1e-9);
  EXPECT_NEAR(of_often.log10_lr(seconds), right.worst.log10_lr, 1e-9);
  EXPECT_NEAR(found.worst.log10_lr_sibling, right.worst.log10_lr_sibling, 1e-9);
  EXPECT_EQ(found.suggests, right.suggests);
  EXPECT_EQ(found.relative, right.relative);
  EXPECT_GE(found.worst.log10_chance, right.worst.log10_chance);
  EXPECT_LE(found.worst.log10_chance, 0);
  const stats::QueryEvidence &asked = of_often.query()[0], &asked_once = of_once.query()[0];
  EXPECT_NEAR(asked.log10_match_probability, asked_once.log10_match_probability, 1e-9);
  EXPECT_NEAR(asked.log10_p_rmne_0, asked_once.log10_p_rmne_0, 1e-9);
  ASSERT_EQ(asked.supports.size(), asked_once.supports.size());
  for (std::size_t i = 0; i < asked.supports.size(); ++i) {
    EXPECT_EQ(asked.supports[i].contributors, asked_once.supports[i].contributors);
    EXPECT_NEAR(asked.supports[i].log_weight, asked_once.supports[i].log_weight, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Questions, RepeatedSites,
                         ::testing::Combine(::testing::Values(engine::Comparison::kIdentity,
                                                              engine::Comparison::kMixture),
                                            ::testing::Values(Encoding::kMinor, Encoding::kAlleles)));

TEST(RepeatedSitesOfKin, AreWorthWhatTheyAreWorthOnce) {
  const Panels panels(kFrequencies);
  const AllelesSeen first(kFirst), second(kSecond), firsts(repeated(kFirst)), seconds(repeated(kSecond));
  const RelationRatios right = KinshipModel(panels.once[0]).ratios(first, second),
                       found = KinshipModel(panels.repeated[0]).ratios(firsts, seconds);
  for (std::size_t r = 0; r < kRelations; ++r) EXPECT_NEAR(found.log10[r], right.log10[r], 1e-9);
  const auto missing = [](const PopulationModel& model, const RowView& relative, const RowView& query) {
    const std::vector<Member> family = {{{}, {}, relative}, {}, {0, 1, {}}};
    return MissingMember(model, family, 2, "family").log10_lr(query);
  };
  EXPECT_NEAR(missing(panels.repeated[0], firsts, seconds), missing(panels.once[0], first, second), 1e-9);
}

/// Of three sites that are always read alike, the ratio of strangers has mean 1 with blocks, and more
/// without.
TEST(LinkageBlocks, KeepTheMeanRatioOfStrangersAtOne) {
  constexpr double kFrequency = .2;
  PopulationModel model = testing::model_of({kFrequency, kFrequency, kFrequency}, 0, 0);
  const auto mean = [&] {
    double sum = 0;
    const std::array<double, 3> shares = {(1 - kFrequency) * (1 - kFrequency),
                                          2 * kFrequency * (1 - kFrequency), kFrequency * kFrequency};
    const std::array<std::string, 3> texts = {"000", "111", "222"};
    for (std::size_t x = 0; x < 3; ++x)
      for (std::size_t y = 0; y < 3; ++y)
        sum += shares[x] * shares[y] *
               std::pow(10, KinshipModel(model).ratios(AllelesSeen(texts[x]),
                                                       AllelesSeen(texts[y]))[Relation::kSibling]);
    return sum;
  };
  EXPECT_GT(mean(), 1.5);
  model.weigh_by(std::make_shared<const LinkageBlocks>(std::vector<std::uint32_t>(3, 0), 1));
  EXPECT_NEAR(mean(), 1, 1e-12);
}

/// P(the weighted sum is at most t) of all ways that events can come out together.
double enumerated(std::span<const Event> events, std::span<const double> weights, double most) {
  if (events.empty()) return most >= -1e-12 ? 1 : 0;
  const auto& [yes, no, twice] = events[0];
  const auto rest = [&](double count) {
    return enumerated(events.subspan(1), weights.subspan(1), most - count * weights[0]);
  };
  return no * rest(0) + (yes > 0 ? yes * rest(1) : 0) + (twice > 0 ? twice * rest(2) : 0);
}

RC_GTEST_PROP(TailBound, IsABoundWhetherSitesOfABlockAreIndependentOrOne, ()) {
  const auto n_blocks = *rc::gen::inRange<std::size_t>(1, 5), size = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<Event> blocks, events;
  std::vector<double> weights;
  double largest = 0;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const double no = .05 + .9 * testing::fraction(), twice = (1 - no) * testing::fraction();
    blocks.push_back({1 - no - twice, no, twice});
    events.insert(events.end(), size, blocks.back());
    weights.insert(weights.end(), size, 1. / static_cast<double>(size));
    largest += 2;
  }
  const double most =
      std::floor(largest * testing::fraction() * static_cast<double>(size)) / static_cast<double>(size);
  const double bound = log10_tail_bound(events, weights, most);
  RC_ASSERT(bound <= 0);
  RC_ASSERT(bound + 1e-9 >= std::log10(enumerated(events, weights, most)));
  const std::vector<double> ones(n_blocks, 1);  // all sites of a block are one
  RC_ASSERT(bound + 1e-9 >= std::log10(enumerated(blocks, ones, most)));
  RC_ASSERT(most > 0 || std::abs(bound - std::log10(enumerated(blocks, ones, 0))) < 1e-9);
}

/// Chernoff's bound of coins has a closed form: n times the relative entropy of k / n and p.
TEST(TailBound, OfCoinsIsTheRelativeEntropy) {
  const std::vector<Event> coins(40, Event{.3, .7, 0});
  const std::vector<double> ones(40, 1);
  const double share = 4. / 40;
  const double entropy = share * std::log10(share / .3) + (1 - share) * std::log10((1 - share) / .7);
  EXPECT_NEAR(log10_tail_bound(coins, ones, 4), -40 * entropy, 1e-9);
  EXPECT_EQ(log10_tail_bound(coins, ones, 12), 0);  // the mean
}

/// The limit that a search takes lets every hit pass whose own figure does.
RC_GTEST_PROP(BlockLimit, CutsNoHitThatIsRareEnough, ()) {
  constexpr std::size_t kSites = 24;
  std::mt19937_64 rng(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<PopulationModel> models{testing::model_of(testing::random_frequencies(kSites, rng))};
  std::vector<std::uint32_t> block_of;
  for (std::size_t site = 0; site < kSites; ++site)
    block_of.push_back(rng() % 4 == 0 ? kAlone : static_cast<std::uint32_t>(rng() % 5));
  models[0].weigh_by(std::make_shared<const LinkageBlocks>(block_of, 5));
  const auto by = *rc::gen::element(Encoding::kMinor, Encoding::kAlleles);
  const auto comparison = *rc::gen::element(engine::Comparison::kIdentity, engine::Comparison::kMixture);
  const Question question = make_question(comparison, by, 100, Relation::kUnrelated, models);
  std::string asked(kSites, '0'), stored(kSites, '0');
  for (std::size_t site = 0; site < kSites; ++site) {
    asked[site] = rng() % 8 == 0 ? '-' : static_cast<char>('0' + rng() % 3);
    stored[site] = rng() % 6 == 0 ? '-' : rng() % 5 == 0 ? static_cast<char>('0' + rng() % 3) : asked[site];
  }
  const AllelesSeen query(asked), other(stored);
  const QueryEvaluator evaluator(question, query);
  const engine::PairCounts counts = counts_of(comparison, by, query, other);
  if (counts.compared == 0) return;
  const HitReport hit = evaluator.hit(other, counts);
  // A mixture's limit is of what is expected by counts alone.
  const double log10_matches = comparison == engine::Comparison::kMixture
                                   ? std::log10(100) + hit.worst.log10_chance
                                   : hit.worst.log10_chance_matches;
  const double at_most = std::pow(10, log10_matches) * 1.000001;
  const auto limit = evaluator.limit(at_most);
  RC_ASSERT(limit.has_value());
  RC_ASSERT(counts.count <= *limit);
}

}  // namespace
}  // namespace fastid::stats
