// Which pairs may be relatives: the passes against their definitions, and who gets through.
#include "linked/pair_screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "bits/moved_sites.hpp"
#include "linked/internal/path_table.hpp"
#include "linked/internal/screen_table.hpp"
#include "linked/screen.hpp"
#include "unit/linked/pair_screen_testing.hpp"

namespace fastid::linked {
namespace {

using testing::blocks_of;
using testing::Found;
using testing::found_by;
using testing::MadeSites;
using testing::packed;
using testing::people_of;
using testing::screen_of;

/// What a test of paths rests on, of one population whose sites are packed as `screen` has them.
struct MadePaths {
  LinkedModel model;
  std::vector<std::uint32_t> places;
  std::vector<engine::PathUnit> units;
  engine::PathTable table;

  MadePaths(const MadeSites& made, const PairScreen& screen, double min_log10)
      : model(testing::model_of_sites(made)) {
    for (std::uint32_t place = 0; place < screen.origins().size(); ++place)
      if (screen.origins()[place].site != SiteOrigin::kNone) places.push_back(place);
    units = engine::path_units(places);
    table = path_table(screen_table(model, places), model, places, units, min_log10);
  }

  std::vector<engine::PathScores> scores_of(const RowView& row) const {
    return engine::path_scores(table, engine::path_codes(units, row));
  }
};

// By hand: one chromosome without gaps of a step, all sites called, and no site weighs.
TEST(PathScore, AddsUpWhatAStretchIsWorth) {
  std::mt19937_64 rng(35);
  MadeSites made = testing::made_sites(1, 64, 1, rng);
  std::ranges::fill(made.freq, .5);
  for (std::size_t s = 0; s < made.size(); ++s) made.sites[s].cm = static_cast<double>(s);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  const MadePaths of(made, screen, 4);
  const std::vector<int> minor(64, 2), major(64, 0), nothing(64, -1);
  std::vector<int> half = minor;
  std::fill_n(half.begin(), 32, 0);
  const testing::Genotypes people{minor, major, nothing, half};
  const BitBlocks blocks = packed(screen, people);
  const std::vector<std::uint64_t> first{0};
  const ProfileRows rows = ProfileRows::from_blocks(blocks.view(), first);
  const std::vector<engine::PathScores> query = of.scores_of(rows.row(0));
  std::array<int, 4> scores{};
  for (std::size_t i = 0; i < people.size(); ++i)
    scores[i] = engine::plain_path_score(of.table, of.units, query, blocks.view(), i);
  // Equal homozygotes of a frequency of .5 are twice as probable where an allele is shared: 32 steps of
  // 2 log10(2), of theta and errors a little less, but for what a stretch costs.
  const double all = 32 * 2 * std::log10(2.) * kPathScale;
  EXPECT_GT(scores[0], .8 * std::min(255., all) - 40);
  EXPECT_EQ(scores[1], 0);
  EXPECT_EQ(scores[2], 0);
  EXPECT_GT(scores[3], scores[0] / 3);
  EXPECT_LT(scores[3], scores[0]);
}

TEST(PairScreen, PacksEachChromosomeFromAWordOnAlongTheMap) {
  std::mt19937_64 rng(32);
  MadeSites made = testing::made_sites(2, 70, .5, rng);
  for (std::size_t s = 0; s < made.size(); ++s) made.sites[s].site = static_cast<std::uint32_t>(139 - s);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model, 3);
  ASSERT_EQ(screen.origins().size(), 192U);
  for (std::size_t s = 0; s < 70; ++s) {
    EXPECT_EQ(screen.origins()[s].site, 139 - s);
    EXPECT_EQ(screen.origins()[96 + s].site, 69 - s);
  }
  EXPECT_EQ(screen.origins()[70].site, SiteOrigin::kNone);
  EXPECT_FALSE(screen.tests_paths());
}

TEST(PairScreen, OfManySitesLeavesPairsWithALargeRatio) {
  std::mt19937_64 rng(33);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);  // 3,080 sites
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model), open = screen_of(model, -6);
  EXPECT_TRUE(screen.tests_paths());
  EXPECT_FALSE(open.tests_paths());
  const testing::Genotypes people = people_of(made, 60, rng);
  const Found found = found_by(screen, people, 96);
  EXPECT_EQ(found.size(), 60U + 12U);  // each with himself, and parents with children both ways
  for (std::size_t i = 0; i < people.size(); i += 10) EXPECT_TRUE(found.contains({i, i + 1})) << i;
}

/// Pairs, one after the other, who share an allele on so much of 22 chromosomes of 140 sites each.
testing::Genotypes pairs_who_share(const MadeSites& made, double share, std::size_t n_pairs,
                                   std::mt19937_64& rng) {
  testing::Genotypes people;
  std::bernoulli_distribution change(.08), shares(share);
  for (std::size_t i = 0; i < 2 * n_pairs; ++i) {
    std::vector<int>& of = people.emplace_back();
    bool shared = false;
    for (std::size_t s = 0; s < made.size(); ++s) {
      if (s % 140 == 0 || change(rng)) shared = shares(rng);
      std::bernoulli_distribution minor(made.freq[s]);
      const int own = static_cast<int>(minor(rng)) + static_cast<int>(minor(rng));
      // As one who has an allele of the one before, whichever that is.
      of.push_back(i % 2 == 1 && shared ? std::clamp((people[i - 1][s] + 1) / 2 + own / 2, 0, 2) : own);
    }
  }
  return people;
}

/// How many pairs the chain alone lets through; the screen shall lose none of them.
std::size_t near_by_the_chain(const MadeSites& made, const PairScreen& screen, double min_log10,
                              const testing::Genotypes& people) {
  const BitBlocks blocks = packed(screen, people);
  const MadePaths of(made, screen, min_log10);
  const engine::ScreenTable table = screen_table(of.model, of.places);
  std::size_t near = 0;
  for (std::uint64_t i = 0; i < people.size(); i += 2) {
    const ProfileRows row = ProfileRows::from_blocks(blocks.view(), {&i, 1});
    const engine::ScreenState end =
        engine::plain_end(table, engine::emissions_of(table, row.row(0)), blocks.view(), i + 1);
    const engine::PairCounts counts{engine::screen_count(end, table.groups.back().one), 1, 0};
    if (Screen::log10_ratio(counts) < min_log10 + .01) continue;
    ++near;
    EXPECT_TRUE(screen.count_pair(row.row(0), blocks.view(), i + 1))
        << i << ": " << Screen::log10_ratio(counts) << ", score "
        << int{engine::plain_path_score(of.table, of.units, of.scores_of(row.row(0)), blocks.view(), i + 1)}
        << " of " << int{of.table.least_score};
  }
  return near;
}

// Pairs that share a few stretches, as relatives of the fifth degree do.
TEST(PairScreen, LosesNoDistantRelativeByTheLikeliestPath) {
  std::mt19937_64 rng(36);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  ASSERT_TRUE(screen.tests_paths());
  EXPECT_GT(near_by_the_chain(made, screen, 4, pairs_who_share(made, 1. / 16, 100, rng)), 10U);
}

// Both lack sites, or a bone is compared with somebody of whom all are called. The one person twice, siblings
// who share an allele on three quarters, and cousins.
TEST(PairScreen, LosesNoRelativeOfWhomFewSitesAreCalled) {
  std::mt19937_64 rng(37);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  ASSERT_TRUE(screen.tests_paths());
  struct Called {
    double first, second;
  };
  std::size_t near = 0;
  for (const auto& [first, second] :
       {Called{.15, .15}, {.25, .25}, {.5, .5}, {.7, .7}, {.91, .91}, {.96, .96}, {.25, 1}, {1, .7}})
    for (const double share : {1., .75, .25, 1. / 8}) {
      testing::Genotypes people = pairs_who_share(made, share, 12, rng);
      for (std::size_t i = 0; i < people.size(); ++i) {
        if (share == 1 && i % 2 == 1) people[i] = people[i - 1];
        std::bernoulli_distribution called(i % 2 == 0 ? first : second);
        for (int& copies : people[i])
          if (!called(rng)) copies = -1;
      }
      SCOPED_TRACE(::testing::Message() << first << ", " << second << " called, " << share << " shared");
      near += near_by_the_chain(made, screen, 4, people);
    }
  EXPECT_GT(near, 100U);
}

// Some chromosomes are not called at all: no path shall pay for them.
TEST(PairScreen, LosesNoRelativeOfWhomChromosomesAreMissing) {
  std::mt19937_64 rng(38);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  testing::Genotypes people = pairs_who_share(made, 1. / 10, 60, rng);
  for (std::size_t i = 1; i < people.size(); i += 2) std::fill_n(people[i].begin(), 4 * 140, -1);
  EXPECT_GT(near_by_the_chain(made, screen, 4, people), 10U);
}

// Tiles of different sizes, with people of whom few sites are called among others.
TEST(PairScreen, FindsTheSameOfFewSitesInEveryTile) {
  std::mt19937_64 rng(39);
  const MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  testing::Genotypes people = people_of(made, 40, rng);
  for (std::size_t i = 0; i < people.size(); i += 3) {
    std::bernoulli_distribution called(i % 2 == 0 ? .2 : .85);
    for (int& copies : people[i])
      if (!called(rng)) copies = -1;
  }
  EXPECT_EQ(found_by(screen, people, 32), found_by(screen, people, 96));
}

// Sites at one place of the map, of which the panel has the second one first.
TEST(PairScreen, PacksSitesOfOneCentimorganAsTheModelHasThem) {
  std::mt19937_64 rng(40);
  MadeSites made = testing::made_sites(22, 140, 1.5, rng);
  for (std::size_t s = 0; s + 1 < made.size(); s += 2) {
    std::swap(made.sites[s].site, made.sites[s + 1].site);
    made.sites[s + 1].cm = made.sites[s].cm;
  }
  const LinkedModel model = testing::model_of_sites(made);
  const PairScreen screen = screen_of(model);
  EXPECT_TRUE(screen.tests_paths());
  std::size_t s = 0;
  for (const SiteOrigin& origin : screen.origins())
    if (origin.site != SiteOrigin::kNone) {
      ASSERT_EQ(origin.site, made.sites[s].site);
      ++s;
    }
  EXPECT_EQ(s, made.size());
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
  const PairScreen by_chain(models, 4, 500'000), both(models, 4, 150'000);
  const Found chain = found_by(by_chain, people, 32), all = found_by(both, people, 96);
  EXPECT_TRUE(std::ranges::includes(all, chain));
  EXPECT_GT(all.size(), chain.size());
  for (std::size_t i = 0; i + 1 < people.size(); i += 10) EXPECT_TRUE(all.contains({i, i + 1})) << i;
}

}  // namespace
}  // namespace fastid::linked
