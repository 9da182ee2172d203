// Combinations of sites: scores against numbers worked out by hand, their bounds, tiles and shards.
// tests/conformance counts and finds.
#include "engine/epistasis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/thread_pool.hpp"
#include "support/cohort.hpp"

namespace fastid::engine {
namespace {

using namespace testing;

/// Controls and cases at the same sites.
struct Trait {
  Cohort controls, cases;

  Trait(std::uint32_t n_sites, std::uint32_t n_controls, std::uint32_t n_cases, double missing)
      : controls(make_cohort(n_sites, n_controls, LdUnit::kGenotypes, missing)),
        cases(make_cohort(n_sites, n_cases, LdUnit::kGenotypes, missing)) {}

  EpistasisProblem problem(std::size_t way, EpistasisScore score, std::uint64_t min_people = 0) const {
    return {{controls.blocks.view(), cases.blocks.view()}, way, score, min_people};
  }
};

std::vector<ScoredCombination> found(const EpistasisProblem& problem, const EpistasisEngine& engine,
                                     std::size_t top, std::uint32_t tile_sites) {
  BestCombinations best(top);
  for (const Rectangle& tile : tiles_of(problem, tile_sites)) engine.find(tile, best);
  return best.kept();
}

EpistasisProblem of_numbers(std::size_t way, EpistasisScore score, const BitBlocks& controls,
                            const BitBlocks& cases) {
  return {{controls.view(), cases.view()}, way, score};
}

// One cell with 3 controls and 1 case, another with 2 cases: ln 5! - ln 3! - ln 1! + ln 3! - ln 0! - ln 2! =
// ln 60, less ln 7! - ln 3! - ln 3! = ln 140 of all in one cell.
TEST(Epistasis, ScoresAreThoseOfTheirFormulas) {
  const BitBlocks controls({3, 3, Encoding::kAlleles}), cases({3, 3, Encoding::kAlleles});
  GenotypeTable table;
  table.cells[4] = {3, 1};
  table.cells[26] = {0, 2};
  EXPECT_NEAR(TableScorer(of_numbers(3, EpistasisScore::kK2, controls, cases)).cost(table),
              std::log(60.0 / 140), 1e-12);
  const TableScorer mi(of_numbers(3, EpistasisScore::kMutualInformation, controls, cases));
  // H(Y) = ln 2, H(Y | X) = 4/6 H(1/4).
  const double of_cell = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75));
  EXPECT_NEAR(mi.cost(table), -(std::log(2) - 4.0 / 6 * of_cell), 1e-12);
  EXPECT_EQ(mi.cost(GenotypeTable{}), 0);
}

// Whatever the number of people, a table that says nothing is near 0, and fewer people than count are never
// kept.
TEST(Epistasis, ScoresOfDifferentNumbersOfPeopleCompare) {
  const BitBlocks controls({3, 400, Encoding::kAlleles}), cases({3, 400, Encoding::kAlleles});
  EpistasisProblem problem = of_numbers(3, EpistasisScore::kK2, controls, cases);
  for (const std::uint32_t n : {0U, 3U, 400U}) {
    GenotypeTable table;
    table.cells[13] = {n, n};
    EXPECT_NEAR(TableScorer(problem).cost(table), 0, 1e-9) << n;
  }
  GenotypeTable split;
  split.cells[0] = {400, 0};
  split.cells[26] = {0, 399};
  GenotypeTable few;
  few.cells[0] = {2, 0};
  few.cells[26] = {0, 2};
  EXPECT_LT(TableScorer(problem).cost(split), TableScorer(problem).cost(few));
  problem.min_people = 799;
  EXPECT_LT(TableScorer(problem).cost(split), 0);
  EXPECT_TRUE(std::isinf(TableScorer(problem).cost(few)));
  BestCombinations best(2);
  best.offer({TableScorer(problem).cost(few), {0, 1, 2}});
  EXPECT_TRUE(best.kept().empty());
}

TEST(Epistasis, TilesHaveEveryCombinationOnce) {
  const Trait trait(37, 2, 2, 0);
  for (const std::size_t way : {2U, 3U, 4U}) {
    const EpistasisProblem problem = trait.problem(way, EpistasisScore::kK2);
    EXPECT_EQ(n_combinations(problem), way == 2   ? 37U * 36 / 2
                                       : way == 3 ? 37U * 36 * 35 / 6
                                                  : 37U * 36 * 35 * 34 / 24);
    for (const std::uint32_t sites : {1U, 5U, 37U, 100U}) {
      std::uint64_t n = 0;
      for (const Rectangle& tile : tiles_of(problem, sites)) n += n_combinations(problem, tile);
      EXPECT_EQ(n, n_combinations(problem));
    }
  }
}

TEST(Epistasis, ShardsHaveEveryCombinationOnce) {
  for (const std::uint32_t n_sites : {5U, 40U, 150U}) {
    const Trait trait(n_sites, 2, 2, 0);
    for (const std::size_t way : {2U, 3U, 4U}) {
      const EpistasisProblem problem = trait.problem(way, EpistasisScore::kK2);
      const auto engine = make_epistasis_engine("reference", problem);
      for (const std::uint32_t shards : {1U, 2U, 3U, 7U, 300U}) {
        std::uint64_t all = 0, most = 0;
        for (std::uint32_t i = 1; i <= shards; ++i) {
          std::uint64_t own = 0;
          for (const Rectangle& tile : tiles_of_shard(problem, {i, shards}))
            own += n_combinations(problem, tile);
          std::uint64_t as_run = 0;
          for (const Rectangle& tile : tiles_for(problem, *engine, 1, {i, shards}))
            as_run += n_combinations(problem, tile);
          EXPECT_EQ(as_run, own);
          all += own;
          most = std::max(most, own);
        }
        EXPECT_EQ(all, n_combinations(problem));
        if (n_sites == 150 && shards <= 7) {
          EXPECT_LE(most, all / shards + all / 12);
        }
      }
    }
  }
}

TEST(Epistasis, AShardHoldsItsOwnCombinationsAlone) {
  const Trait trait(40, 2, 2, 0);
  for (const std::size_t way : {2U, 3U, 4U}) {
    const EpistasisProblem problem = trait.problem(way, EpistasisScore::kK2);
    std::vector<std::vector<Rectangle>> shards;
    for (std::uint32_t i = 1; i <= 7; ++i) shards.push_back(tiles_of_shard(problem, {i, 7}));
    for (std::uint32_t a = 0; a < 40; ++a)
      for (std::uint32_t b = a + 1; b < 42 - way; ++b) {
        const SiteCombination sites{a, b, way == 2 ? 0 : b + 1, way == 4 ? b + 2 : 0};
        EXPECT_EQ(std::ranges::count_if(shards, [&](const auto& tiles) { return hold(tiles, way, sites); }),
                  1);
      }
  }
}

TEST(Epistasis, EnginesTogetherFindWhatOneFinds) {
  const Trait trait(70, 90, 80, 0);
  const EpistasisProblem problem = trait.problem(3, EpistasisScore::kK2);
  std::vector<std::unique_ptr<EpistasisEngine>> engines;
  for (const char* const device : {"cpu", "reference", "cpu"})
    engines.push_back(make_epistasis_engine(device, problem));
  const auto together = make_joint_epistasis(std::move(engines));
  BestCombinations best(20);
  const std::vector<Rectangle> tiles = tiles_for(problem, *together, 4);
  ThreadPool pool(4);
  pool.for_each(tiles.size(),
                [&](std::size_t i, const ThreadPool::Stop&) { together->find(tiles[i], best); });
  EXPECT_EQ(best.kept(), found(problem, *make_epistasis_engine("cpu", problem), 20, 70));
  const Trait other(70, 90, 80, 0.1);
  const EpistasisProblem dealt = other.problem(3, EpistasisScore::kK2);
  EXPECT_EQ(found(dealt, *together->dealt_again(dealt), 20, 70),
            found(dealt, *make_epistasis_engine("reference", dealt), 20, 70));
}

/// Whether a table passes the bound, by its formula.
bool passes(const CostBound& bound, const GenotypeTable& table, std::size_t n_cells = 27) {
  float squares = 0, logs = 0, people = 0;
  for (std::size_t i = 0; i < n_cells; ++i) {
    const auto [controls, cases] = table.cells[i];
    const float m = bound.people_of(controls + cases, 1), d = bound.excess_of(controls + cases, cases, 1);
    squares += d * d / m;
    logs += std::log2(m);
    people += m;
  }
  return people >= bound.least &&
         bound.squares * squares - bound.logs * logs >= people * bound.people + bound.offset;
}

// Tables of every kind: flat, concentrated, without one of the classes, of few and of many people.
TEST(Epistasis, NoTableIsBelowItsBound) {
  std::mt19937 rng(5);
  for (const std::uint32_t people : {10U, 4000U, 1'000'000U})
    for (const double share : {0.01, 0.2, 0.5, 0.9}) {
      const auto n_cases = std::max(1U, static_cast<std::uint32_t>(people * share));
      const BitBlocks controls({3, people - n_cases, Encoding::kAlleles}),
          cases({3, n_cases, Encoding::kAlleles});
      for (const EpistasisScore score : {EpistasisScore::kK2, EpistasisScore::kMutualInformation}) {
        const std::array problems = {of_numbers(3, score, controls, cases),
                                     of_numbers(4, score, controls, cases)};
        const std::array scorers = {TableScorer(problems[0]), TableScorer(problems[1])};
        for (int round = 0; round < 200; ++round) {
          const EpistasisProblem& problem = problems[static_cast<std::size_t>(round % 2)];
          const TableScorer& scorer = scorers[static_cast<std::size_t>(round % 2)];
          GenotypeTable table;
          const auto cells = 1 + rng() % problem.n_cells();
          const auto called = static_cast<std::uint32_t>(1 + rng() % 4);
          for (std::size_t of = 0; of < kClasses; ++of)
            for (std::uint32_t left = problem.n_people(of) / called; left > 0;) {
              const auto some = static_cast<std::uint32_t>(1 + rng() % left);
              table.cells[rng() % cells][of] += some;
              left -= some;
            }
          EXPECT_TRUE(passes(cost_bound(problem, scorer.cost(table)), table, problem.n_cells()))
              << people << " " << share;
        }
      }
    }
}

// All cells of few people, by themselves.
TEST(Epistasis, NoCellIsBelowItsBound) {
  for (const double share : {0.03, 0.3, 0.5, 0.8}) {
    const std::uint32_t people = 600, n_cases = static_cast<std::uint32_t>(people * share);
    const BitBlocks controls({3, people - n_cases, Encoding::kAlleles}),
        cases({3, n_cases, Encoding::kAlleles});
    for (const std::size_t way : {2U, 3U, 4U}) {
      const EpistasisProblem problem = of_numbers(way, EpistasisScore::kK2, controls, cases);
      const TableScorer scorer(problem);
      for (std::uint32_t n = 0; n <= 60; ++n)
        for (std::uint32_t k = 0; k <= std::min(n, n_cases); ++k) {
          GenotypeTable table;
          table.cells[5] = {n - k, k};
          EXPECT_TRUE(passes(cost_bound(problem, scorer.cost(table)), table, problem.n_cells()))
              << share << " " << n << " " << k;
        }
    }
  }
}

/// Whether a table passes the bound in double, by its formula.
bool passes(const WideCostBound& bound, const GenotypeTable& table, std::size_t n_cells) {
  double squares = 0, logs = 0, people = 0;
  for (std::size_t i = 0; i < n_cells; ++i) {
    const auto [controls, cases] = table.cells[i];
    const double m = std::uint64_t{controls} + cases + bound.prior_people;
    const double d = cases + bound.prior_cases - bound.share * m;
    squares += d * d / m;
    logs += std::log2(m);
    people += m;
  }
  return people >= bound.least &&
         bound.squares * squares - bound.logs * logs >= people * bound.people + bound.offset;
}

/// A table of some of these people, in some of the cells.
GenotypeTable dealt_table(const EpistasisProblem& problem, std::mt19937& rng) {
  GenotypeTable table;
  const auto cells = 1 + rng() % problem.n_cells();
  for (std::size_t of = 0; of < kClasses; ++of)
    for (std::uint32_t left = problem.n_people(of); left > 0;) {
      const auto some = static_cast<std::uint32_t>(1 + rng() % left);
      table.cells[rng() % cells][of] += some;
      left -= some;
    }
  return table;
}

// Of any number of people: what is asked is only how many there are.
TEST(Epistasis, NoTableIsBelowItsBoundInDouble) {
  std::mt19937 rng(7);
  for (const std::uint32_t people : {10U, 2'147'483'647U})
    for (const std::uint32_t n_cases : {1U, people / 5, people / 2})
      for (const EpistasisScore score : {EpistasisScore::kK2, EpistasisScore::kMutualInformation})
        for (const std::size_t way : {3U, 4U}) {
          EpistasisProblem problem{.way = way, .score = score};
          problem.classes[0].shape = {3, people - n_cases, Encoding::kAlleles};
          problem.classes[1].shape = {3, n_cases, Encoding::kAlleles};
          const TableScorer scorer(problem);
          for (int round = 0; round < 40; ++round) {
            const GenotypeTable table = dealt_table(problem, rng);
            EXPECT_TRUE(passes(wide_cost_bound(problem, scorer.cost(table)), table, problem.n_cells()))
                << people << " " << n_cases << " " << way;
          }
        }
}

/// People of random genotypes.
BitBlocks many_people(std::uint32_t n_sites, std::uint32_t n, std::minstd_rand& rng) {
  BitBlocks people({n_sites, n, Encoding::kAlleles});
  for (std::uint32_t person = 0; person < n; ++person)
    for (std::uint32_t site = 0, random = static_cast<std::uint32_t>(rng()); site < n_sites;
         ++site, random /= 4)
      people.set_seen(site, person, std::array{kMajorSeen, kMajorSeen, kBothSeen, kMinorSeen}[random % 4]);
  return people;
}

TEST(Epistasis, MorePeopleThanFloatCountsAreFound) {
  std::minstd_rand rng(8);
  const BitBlocks controls = many_people(3, 4'200'000, rng), cases = many_people(3, 4'190'000, rng);
  for (const std::size_t way : {2U, 3U}) {
    const EpistasisProblem problem = [&] {
      EpistasisProblem made = of_numbers(way, EpistasisScore::kK2, controls, cases);
      made.min_people = made.n_people();
      return made;
    }();
    ASSERT_GT(problem.n_people(), kMostPeopleInFloat);
    EXPECT_EQ(found(problem, *make_epistasis_engine("cpu", problem), 3, 3),
              found(problem, *make_epistasis_engine("reference", problem), 3, 3));
  }
}

// Copies for which there is no memory are not made, and the same is found.
TEST(Epistasis, PeopleAreCountedByStretchesWhereMemoryIsShort) {
  const Trait trait(40, 300, 200, 0);
  const EpistasisProblem problem = trait.problem(3, EpistasisScore::kK2);
  const auto engine = make_epistasis_engine("cpu", problem, 1000);
  EXPECT_LT(engine->tile_sites(1, 1000), make_epistasis_engine("cpu", problem)->tile_sites(1, 1000));
  EXPECT_EQ(found(problem, *engine, 20, 40),
            found(problem, *make_epistasis_engine("reference", problem), 20, 40));
}

// The numbers that a bound is tested with give the cells back.
TEST(Epistasis, CellsFollowFromTheirQuantities) {
  std::mt19937 rng(6);
  for (const std::uint32_t people : {3U, 1000U, 70'001U, 8'000'000U})
    for (const EpistasisScore score : {EpistasisScore::kK2, EpistasisScore::kMutualInformation}) {
      const std::uint32_t n_cases = std::max(1U, people / 3);
      const BitBlocks controls({3, people - n_cases, Encoding::kAlleles}),
          cases({3, n_cases, Encoding::kAlleles});
      const CostBound bound = cost_bound(of_numbers(3, score, controls, cases), 0);
      for (int round = 0; round < 100; ++round) {
        const auto k = static_cast<std::uint32_t>(rng() % (n_cases + 1)),
                   other = static_cast<std::uint32_t>(rng() % (people - n_cases + 1));
        EXPECT_EQ(bound.cell_of(bound.people_of(k + other, 1), bound.excess_of(k + other, k, 1)),
                  (Cell{other, k}))
            << people;
      }
    }
}

// The bound is of use: of combinations that do not go with the trait, few pass.
TEST(Epistasis, TheBoundKeepsMostTablesOut) {
  const Trait trait(24, 1500, 1400, 0);
  const EpistasisProblem problem = trait.problem(3, EpistasisScore::kK2);
  const CostBound bound =
      cost_bound(problem, found(problem, *make_epistasis_engine("reference", problem), 10, 24).back().cost);
  int passed = 0;
  for (std::uint32_t a = 0; a < 24; ++a)
    for (std::uint32_t b = a + 1; b < 24; ++b)
      for (std::uint32_t c = b + 1; c < 24; ++c) passed += passes(bound, count_table(problem, {a, b, c}));
  EXPECT_GE(passed, 10);
  EXPECT_LT(passed, 200);
}

TEST(BestCombinations, AreTheSameInAnyOrder) {
  std::vector<ScoredCombination> all;
  for (std::uint32_t i = 0; i < 60; ++i) all.push_back({static_cast<double>(i / 7), {i, i + 1, i + 2}});
  const std::vector<ScoredCombination> right(all.begin(), all.begin() + 10);
  std::mt19937 rng(3);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(all.begin(), all.end(), rng);
    BestCombinations best(10);
    for (const ScoredCombination& one : all) best.offer(one);
    EXPECT_EQ(best.kept(), right);
    EXPECT_EQ(best.ties(), 4U);
    EXPECT_EQ(best.worst(), 1);
  }
}

}  // namespace
}  // namespace fastid::engine
