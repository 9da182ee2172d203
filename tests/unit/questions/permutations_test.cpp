// Permutations of a trait: what they leave as it is, and that p is uniform where nothing goes with the trait.
#include "questions/epistasis/permutations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace fastid {
namespace {

/// People of both classes, whose genotypes are drawn; of a planted trait, odd sums of sites 1, 4 and 6 are
/// cases.
struct DrawnTrait {
  std::array<BitBlocks, engine::kClasses> classes;

  DrawnTrait(std::uint32_t n_sites, std::uint32_t n_people, bool planted, std::uint32_t seed)
      : classes{BitBlocks({n_sites, n_people / 2, Encoding::kAlleles}),
                BitBlocks({n_sites, n_people / 2, Encoding::kAlleles})} {
    std::minstd_rand random(seed);
    constexpr Seen kSeen[] = {kMajorSeen, kBothSeen, kMinorSeen, kNoneSeen};
    for (std::size_t of = 0; of < engine::kClasses; ++of)
      for (std::uint32_t person = 0; person < n_people / 2; ++person) {
        std::vector<std::size_t> copies(n_sites);
        do
          for (std::size_t& one : copies) one = random() / 7 % (planted ? 3 : 100) % 4;
        while (planted && (copies[1] + copies[4] + copies[6]) % 2 != of);
        for (std::uint32_t site = 0; site < n_sites; ++site)
          if (copies[site] < 3) classes[of].set_seen(site, person, kSeen[copies[site]]);
      }
  }

  engine::EpistasisProblem problem(std::size_t way) const {
    return {{classes[0].view(), classes[1].view()}, way, engine::EpistasisScore::kK2};
  }
};

double best_of(const engine::EpistasisProblem& problem) {
  engine::BestCombinations best(1);
  const auto engine = engine::make_epistasis_engine("cpu", problem);
  for (const engine::Rectangle& tile : engine::tiles_of(problem, 16)) engine->find(tile, best);
  return best.kept().at(0).cost;
}

double p_of(const engine::EpistasisProblem& problem, std::uint64_t n, std::uint64_t seed) {
  std::vector<double> best;
  for (std::uint64_t i = 0; i < n; ++i)
    best.push_back(best_of(epistasis::PermutedTrait(problem, seed, i).problem()));
  return epistasis::p_of_permutations(best_of(problem), best);
}

// What is seen of a person, of all sites.
std::multiset<std::string> people_of(const engine::EpistasisProblem& problem) {
  std::multiset<std::string> people;
  for (const BlocksView& of : problem.classes)
    for (std::uint32_t person = 0; person < of.shape.n_sites; ++person) {
      std::string seen;
      for (std::uint32_t site = 0; site < of.shape.n_profiles; ++site)
        for (const Word word :
             {of.bits_word(site, person / kWordBits), of.major_word(site, person / kWordBits)})
          seen += (word >> person % kWordBits & 1) != 0 ? '1' : '0';
      people.insert(seen);
    }
  return people;
}

TEST(PermutedTrait, HasTheSamePeopleInClassesOfTheSameSize) {
  const DrawnTrait trait(20, 150, false, 3);
  const engine::EpistasisProblem problem = trait.problem(3);
  std::set<std::vector<Word>> drawn;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const epistasis::PermutedTrait permuted(problem, 5, i);
    const engine::EpistasisProblem made = permuted.problem();
    EXPECT_EQ(made.n_people(0), problem.n_people(0));
    EXPECT_EQ(made.n_people(1), problem.n_people(1));
    EXPECT_EQ(people_of(made), people_of(problem));
    std::vector<Word> first;
    for (std::size_t word = 0; word < 3; ++word) first.push_back(made.classes[1].bits_word(0, word));
    drawn.insert(first);
  }
  EXPECT_EQ(drawn.size(), 20U);
}

// 200 traits that go with nothing, nine permutations each: p is each tenth equally often.
TEST(PermutedTrait, GivesEachPEquallyOftenByChance) {
  std::array<int, 10> times{};
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const DrawnTrait trait(12, 120, false, seed);
    ++times.at(static_cast<std::size_t>(p_of(trait.problem(2), 9, seed) * 10 - 0.5));
  }
  double squares = 0;
  for (const int n : times) squares += (n - 20) * (n - 20) / 20.0;
  EXPECT_LT(squares, 21.7) << "of nine degrees of freedom: p below 0.01";
}

TEST(PermutedTrait, GivesAPlantedTripleTheSmallestP) {
  const DrawnTrait trait(9, 400, true, 1);
  EXPECT_EQ(p_of(trait.problem(3), 19, 1), 1.0 / 20);
}

TEST(PermutedTrait, IsSearchedAloneWhereADeviceHasTooLittleMemory) {
  std::vector<std::pair<std::size_t, std::size_t>> done;
  const auto act = [&](std::size_t most) {
    return [&done, most](std::size_t first, std::size_t n) {
      if (n > most) throw DeviceMemoryError("too little memory");
      done.emplace_back(first, n);
    };
  };
  epistasis::for_permutations(5, 4, act(4));
  EXPECT_EQ(done, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {4, 1}}));
  done.clear();
  epistasis::for_permutations(3, 3, act(2));
  EXPECT_EQ(done, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_THROW(epistasis::for_permutations(3, 3, act(0)), DeviceMemoryError);
}

// A table in another order of cells is as good, though its sum is rounded otherwise.
TEST(PermutedTrait, CountsWhatIsAsGoodButForRounding) {
  const std::array<double, 3> best = {-12.5 + 1e-12, -12.4, -13};
  EXPECT_EQ(epistasis::p_of_permutations(-12.5, best), 3.0 / 4);
  EXPECT_EQ(epistasis::p_of_permutations(-13.5, best), 1.0 / 4);
}

}  // namespace
}  // namespace fastid
