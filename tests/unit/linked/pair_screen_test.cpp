// Which pairs may be relatives: the passes against their definitions, and who gets through.
#include "linked/pair_screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bits/moved_sites.hpp"
#include "linked/internal/clean_words.hpp"
#include "linked/screen.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

using testing::MadeSites;

constexpr std::array kSeenOf{kMajorSeen, kBothSeen, kMinorSeen};

/// People by the frequencies; every tenth shares an allele at each site with the one before.
testing::Genotypes people_of(const MadeSites& made, std::size_t n, std::mt19937_64& rng) {
  testing::Genotypes people;
  std::vector<int> passed_on(made.size());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int>& of = people.emplace_back();
    for (std::size_t s = 0; s < made.size(); ++s) {
      std::bernoulli_distribution minor(made.freq[s]);
      const int one = i % 10 == 1 ? passed_on[s] : static_cast<int>(minor(rng));
      const int other = static_cast<int>(minor(rng));
      passed_on[s] = one;
      of.push_back(one + other);
    }
  }
  return people;
}

BitBlocks blocks_of(const testing::Genotypes& people) {
  BitBlocks blocks({people.size(), static_cast<std::uint32_t>(people[0].size()), Encoding::kAlleles});
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t s = 0; s < people[i].size(); ++s)
      if (const int copies = people[i][s]; copies >= 0)
        blocks.set_seen(i, s, kSeenOf[static_cast<std::size_t>(copies)]);
  return blocks;
}

/// Profiles with the screen's sites.
BitBlocks packed(const PairScreen& screen, const testing::Genotypes& people) {
  testing::Genotypes moved;
  for (const std::vector<int>& of : people) {
    std::vector<int>& to = moved.emplace_back();
    for (const SiteOrigin& origin : screen.origins())
      to.push_back(origin.site == SiteOrigin::kNone ? -1 : of[origin.site]);
  }
  return blocks_of(moved);
}

using Found = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Everyone against everyone, checked pair by pair against the definition.
Found found_by(const PairScreen& screen, const testing::Genotypes& people, std::size_t tile_profiles) {
  const BitBlocks blocks = packed(screen, people);
  const BlocksView view = blocks.view();
  std::vector<std::uint64_t> all(people.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const ProfileRows queries = ProfileRows::from_blocks(view, all);
  const Problem problem{Comparison::kKinship, &queries, view.shape, true, Encoding::kAlleles};
  const auto engine = screen.make_engine(1);
  const auto prepared = engine->prepare(problem, {});
  const auto worker = prepared->open_worker(static_cast<std::size_t>(view.shape.n_blocks()));
  const std::vector<Threshold> thresholds(queries.n_rows());
  std::vector<Pair> pairs;
  for (std::uint64_t first = 0; first < people.size(); first += tile_profiles) {
    const std::size_t at = static_cast<std::size_t>(first / fastid::kLanes) * view.shape.block_words();
    const BlockShape shape = view.shape.with(std::min<std::uint64_t>(tile_profiles, people.size() - first));
    EXPECT_TRUE(worker->borrow({shape, view.bits + at, view.second + at}));
    worker->compare({first / fastid::kLanes, shape}, {}, thresholds, pairs);
  }
  Found found;
  std::size_t defined = 0;
  for (const Pair& pair : pairs) {
    EXPECT_EQ(screen.count_pair(queries.row(pair.query), view, pair.row), pair.counts);
    EXPECT_TRUE(found.emplace(pair.query, pair.row).second);
  }
  for (std::size_t query = 0; query < queries.n_rows(); ++query)
    for (std::size_t row = 0; row < queries.n_rows(); ++row)
      defined += screen.count_pair(queries.row(query), view, row) ? 1U : 0U;
  EXPECT_EQ(found.size(), defined);
  return found;
}

TEST(CleanWords, AreCountedAsTheDefinitionWithEveryInstructionSet) {
  std::mt19937_64 rng(31);
  MadeSites made = testing::made_sites(1, 256, .5, rng);
  std::ranges::fill(made.freq, .08);
  testing::Genotypes people = people_of(made, 70, rng);
  std::bernoulli_distribution lost(.49);  // so that some words have less than kLeastCalled sites
  for (std::size_t i = 0; i < 40; ++i)
    for (int& copies : people[i])
      if (lost(rng)) copies = -1;
  const BitBlocks blocks = blocks_of(people);
  const BlocksView view = blocks.view();
  const ProfileRows rows = testing::rows_of_people(people);
  const std::vector<CleanWord> words = clean_words(rows.row(60));
  std::vector<std::uint32_t> plain;
  for (std::size_t i = 0; i < people.size(); ++i) plain.push_back(plain_clean_words(words, view, i));
  EXPECT_EQ(plain[60], 4U);
  EXPECT_GT(std::set<std::uint32_t>(plain.begin(), plain.end()).size(), 3U);
  for (const std::string& target : cpu_engine_targets()) {
    const CleanWordsPass pass = clean_words_pass_of(target);
    ASSERT_NE(pass, nullptr) << target;
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(view.shape.n_blocks()) * fastid::kLanes);
    pass(words, view, counts.data());
    counts.resize(people.size());
    EXPECT_EQ(counts, plain) << target;
  }
}

TEST(CleanWords, NeedSitesThatBothHaveCalled) {
  std::vector<int> all(64, 0), half(64, -1), less(64, -1);
  std::fill_n(half.begin(), 32, 0);
  std::fill_n(less.begin(), 31, 0);
  std::vector<int> opposite = all;
  opposite[63] = 2;
  std::vector<int> het = all;
  het[63] = 1;
  const testing::Genotypes people{all, half, less, opposite, het};
  const BitBlocks blocks = blocks_of(people);
  const std::vector<CleanWord> words = clean_words(testing::rows_of_people({all}).row(0));
  const std::array<std::uint32_t, 5> expected{1, 1, 0, 0, 1};
  for (std::size_t i = 0; i < people.size(); ++i)
    EXPECT_EQ(plain_clean_words(words, blocks.view(), i), expected[i]) << i;
}

TEST(PairScreen, PacksEachChromosomeFromAWordOnAlongTheMap) {
  std::mt19937_64 rng(32);
  MadeSites made = testing::made_sites(2, 70, .5, rng);
  for (std::size_t s = 0; s < made.size(); ++s) made.sites[s].site = static_cast<std::uint32_t>(139 - s);
  const LinkedModel model = testing::model_of_sites(made);
  const stats::PopulationModel population("test", made.freq, {.01, .005});
  const PairScreen screen({&model, 1}, {&population, 1}, 3, 88'400, UINT64_MAX);
  ASSERT_EQ(screen.origins().size(), 256U);
  for (std::size_t s = 0; s < 70; ++s) {
    EXPECT_EQ(screen.origins()[s].site, 139 - s);
    EXPECT_EQ(screen.origins()[128 + s].site, 69 - s);
  }
  EXPECT_EQ(screen.origins()[70].site, SiteOrigin::kNone);
  EXPECT_EQ(screen.least_words(), 0U);
}

TEST(PairScreen, OfManySitesLeavesPairsWithCleanWordsAndALargeRatio) {
  std::mt19937_64 rng(33);
  const MadeSites made = testing::made_sites(22, 200, .5, rng);  // 4,400 sites
  const LinkedModel model = testing::model_of_sites(made);
  const stats::PopulationModel population("test", made.freq, {.01, .005});
  const PairScreen screen({&model, 1}, {&population, 1}, 4, 88'400, kMostPairsOfChain + 1),
      of_all({&model, 1}, {&population, 1}, 4, 88'400, kMostPairsOfChain);
  EXPECT_GT(screen.least_words(), 2U);
  EXPECT_EQ(of_all.least_words(), 0U);
  const testing::Genotypes people = people_of(made, 100, rng);
  const Found found = found_by(screen, people, 64);
  EXPECT_EQ(found.size(), 100U + 20U);  // each with himself, and parents with children both ways
  for (std::size_t i = 0; i < people.size(); i += 10) EXPECT_TRUE(found.contains({i, i + 1})) << i;
}

// The lowest ratio of two populations counts; of few sites kinship lets a pair through that the chain does
// not.
TEST(PairScreen, OfFewSitesLeavesPairsByTheChainOrByKinship) {
  std::mt19937_64 rng(34);
  const MadeSites made = testing::made_sites(22, 12, 14, rng);
  std::vector<double> other;
  for (const double q : made.freq) other.push_back(std::min(.6, 1.2 * q));
  const std::array populations{stats::PopulationModel("one", made.freq, {.01, .005}),
                               stats::PopulationModel("two", other, {.01, .005})};
  const std::array models{LinkedModel(populations[0], made.sites, all_relations()),
                          LinkedModel(populations[1], made.sites, all_relations())};
  const testing::Genotypes people = people_of(made, 70, rng);
  const PairScreen by_chain(models, populations, 4, 500'000, 1), both(models, populations, 4, 150'000, 1);
  const Found chain = found_by(by_chain, people, 32), all = found_by(both, people, 96);
  EXPECT_TRUE(std::ranges::includes(all, chain));
  EXPECT_GT(all.size(), chain.size());
  for (std::size_t i = 0; i + 1 < people.size(); i += 10) EXPECT_TRUE(all.contains({i, i + 1})) << i;
}

}  // namespace
}  // namespace fastid::linked
