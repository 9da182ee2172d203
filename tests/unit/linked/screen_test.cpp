// The chain of two states, against the same sum over all its paths. tests/conformance has its passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "linked/internal/screen_pass.hpp"
#include "linked/linked_model.hpp"
#include "linked/screen.hpp"
#include "stats/ibd_emissions.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

using testing::MadeSites;

/// By every path of the states.
double by_paths(const MadeSites& made, const std::vector<int>& x, const std::vector<int>& y, double theta,
                double w) {
  const std::size_t n = made.size();
  double sum = 0;
  for (std::size_t path = 0; path < std::size_t{1} << n; ++path) {
    double probability = 1;
    for (std::size_t s = 0; s < n; ++s) {
      const bool here = (path >> s & 1) != 0,
                 linked = s > 0 && made.sites[s].chrom == made.sites[s - 1].chrom;
      const double stays = linked ? std::exp(-6 * (made.sites[s].cm - made.sites[s - 1].cm) / 100) : 0;
      const bool before = s > 0 && (path >> (s - 1) & 1) != 0;
      const double share = here ? 1. / 16 : 15. / 16;
      probability *= (1 - stays) * share + (here == before ? stays : 0);
      const auto& [none, one, two] = stats::ibd_emissions(made.freq[s], theta, w);
      if (here && x[s] >= 0 && y[s] >= 0) {
        const auto a = static_cast<std::size_t>(x[s]), b = static_cast<std::size_t>(y[s]);
        probability *= one[a][b] / none[a][b];
      }
    }
    sum += probability;
  }
  return std::log10(sum);
}

/// The same by the forward recursion, in double precision.
double by_recursion(const LinkedModel& model, const std::vector<int>& x, const std::vector<int>& y) {
  double none = 15. / 16, one = 1. / 16, log10 = 0;
  for (std::size_t s = 0; s < model.sites().size(); ++s) {
    const double stays = std::pow(1 - 2 * model.recombination()[s], 3), all = none + one;
    one = stays * one + (1 - stays) / 16 * all;
    none = all - one;
    if (x[s] >= 0 && y[s] >= 0)
      one *= model.emission_of_one(s, static_cast<std::size_t>(x[s]), static_cast<std::size_t>(y[s]));
    log10 += std::log10(none + one);
    const double sum = none + one;
    none /= sum, one /= sum;
  }
  return log10;
}

/// The people as a database, of which the first is the query.
class People {
 public:
  People(const MadeSites& made, std::size_t n, std::mt19937_64& rng)
      : blocks_({n, static_cast<std::uint32_t>(made.size()), Encoding::kAlleles}), rows_(0, 0) {
    constexpr std::array seen{kMajorSeen, kBothSeen, kMinorSeen};
    for (std::size_t i = 0; i < n; ++i) {
      genotypes_.push_back(testing::random_genotypes(made.size(), .1, rng));
      for (std::uint32_t s = 0; s < made.size(); ++s)
        if (const int copies = genotypes_[i][s]; copies >= 0)
          blocks_.set_seen(i, s, seen[static_cast<std::size_t>(copies)]);
    }
    rows_ = testing::rows_of_people({genotypes_[0]});
  }
  const std::vector<int>& operator[](std::size_t i) const { return genotypes_[i]; }
  std::size_t size() const { return genotypes_.size(); }
  const ProfileRows& query() const { return rows_; }
  BlocksView view() const { return blocks_.view(); }

 private:
  testing::Genotypes genotypes_;
  BitBlocks blocks_;
  ProfileRows rows_;
};

/// All pairs of the query, as an engine finds them.
std::vector<engine::Pair> found_by(engine::Engine& engine, const engine::Problem& problem,
                                   const BlocksView& view) {
  const auto prepared = engine.prepare(problem, {});
  const auto worker = prepared->open_worker(static_cast<std::size_t>(view.shape.n_blocks()));
  EXPECT_TRUE(worker->borrow(view));
  std::vector<engine::Pair> pairs;
  worker->compare({0, view.shape}, {}, std::array{engine::Threshold{}}, pairs);
  return pairs;
}

TEST(Screen, IsTheSumOverAllPaths) {
  std::mt19937_64 rng(21);
  for (int round = 0; round < 2; ++round) {
    const MadeSites made = testing::made_sites(2, 6, 10, rng);
    const People people(made, 11, rng);
    const LinkedModel model = testing::model_of_sites(made);
    const Screen screen({&model, 1}, people.query());
    for (std::size_t i = 0; i < people.size(); ++i) {
      const double paths = by_paths(made, people[0], people[i], .01, .005);
      EXPECT_NEAR(by_recursion(model, people[0], people[i]), paths, 1e-11);
      EXPECT_NEAR(Screen::log10_ratio(screen.count_pair(0, people.view(), i)), paths, 1.2e-4);
    }
  }
}

// Of many sites in any order in the profile, with rare alleles and several at one place; the lowest of two
// populations.
TEST(Screen, CountsAsTheDefinitionAndNearDouble) {
  std::mt19937_64 rng(22);
  MadeSites made = testing::made_sites(3, 700, .3, rng);
  std::vector<std::uint32_t> places;
  for (const MappedSite& site : made.sites) places.push_back(site.site);
  std::shuffle(places.begin(), places.begin() + 900, rng);
  std::vector<double> other(made.size());
  for (std::size_t s = 0; s < made.size(); ++s) {
    if (s % 50 < 5 && s % 700 > 5) made.sites[s].cm = made.sites[s - 1].cm;
    if (s % 9 == 0) made.freq[s] = .0001;
    other[s] = std::clamp(made.freq[s] * 1.3, .0001, .6);
  }
  const People people(made, 103, rng);
  for (std::size_t s = 0; s < made.size(); ++s) made.sites[s].site = places[s];
  const auto model = [&](const std::vector<double>& freq) {
    return LinkedModel(stats::PopulationModel("test", freq, {0, .005}), made.sites, all_relations());
  };
  const std::array models{model(made.freq), model(other)};
  const Screen screen(models, people.query());
  engine::Problem problem{engine::Comparison::kKinship, &people.query(), people.view().shape, true,
                          Encoding::kAlleles};
  problem.custom_count = &screen;
  const std::vector<engine::Pair> pairs = found_by(*screen.make_engine(1), problem, people.view());
  ASSERT_EQ(pairs.size(), people.size());
  const auto along_map = [&](std::size_t person) {
    std::vector<int> genotypes;
    for (const std::uint32_t place : places) genotypes.push_back(people[person][place]);
    return genotypes;
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].row, i);
    EXPECT_EQ(pairs[i].counts, screen.count_pair(0, people.view(), i));
    EXPECT_NEAR(Screen::log10_ratio(pairs[i].counts),
                std::min(by_recursion(models[0], along_map(0), along_map(i)),
                         by_recursion(models[1], along_map(0), along_map(i))),
                1e-3);
  }
}

/// The query's genotypes as likelihoods. \param others  of the genotypes that it has not
SampleLikelihoods likelihoods_of(const std::vector<int>& genotypes, double others) {
  SampleLikelihoods sample(static_cast<std::uint32_t>(genotypes.size()));
  for (std::uint32_t s = 0; s < genotypes.size(); ++s) {
    if (genotypes[s] < 0) continue;
    GenotypeLikelihoods likelihoods{others, others, others};
    likelihoods[static_cast<std::size_t>(genotypes[s])] = 1;
    sample.add(s, likelihoods);
  }
  return sample;
}

TEST(Screen, OfACallAsALikelihoodIsTheCalls) {
  std::mt19937_64 rng(24);
  const MadeSites made = testing::made_sites(2, 200, .5, rng);
  const People people(made, 40, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const SampleLikelihoods sample = likelihoods_of(people[0], 0);
  const ProfileRows nothing(1, people.query().n_sites(), Encoding::kAlleles);
  const SampleLikelihoods* const samples[] = {&sample};
  const Screen called({&model, 1}, people.query()), weighed({&model, 1}, nothing, samples);
  std::vector<std::vector<int>> others;
  for (std::size_t i = 0; i < people.size(); ++i) {
    EXPECT_EQ(weighed.count_pair(0, people.view(), i), called.count_pair(0, people.view(), i));
    others.push_back(people[i]);
  }
  const ProfileRows rows = testing::rows_of_people(others);
  std::vector<RowView> views;
  for (std::size_t i = 0; i < rows.n_rows(); ++i) views.push_back(rows.row(i));
  const std::vector<Ratios> by_calls = model.ratios(people.query().row(0), views),
                            by_sample = model.ratios(model.emissions_of(sample), views);
  for (std::size_t i = 0; i < views.size(); ++i)
    for (const Relation relation : all_relations()) EXPECT_EQ(by_sample[i][relation], by_calls[i][relation]);
}

TEST(Screen, OfLikelihoodsIsAMeanOverGenotypes) {
  constexpr double kOthers = .2;
  std::mt19937_64 rng(25);
  const MadeSites made = testing::made_sites(2, 300, .5, rng);
  const People people(made, 70, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const SampleLikelihoods sample = likelihoods_of(people[0], kOthers);
  const SampleLikelihoods* const samples[] = {&sample};
  const Screen screen({&model, 1}, people.query(), samples);
  engine::Problem problem{engine::Comparison::kKinship, &people.query(), people.view().shape, true,
                          Encoding::kAlleles};
  problem.custom_count = &screen;
  const std::vector<engine::Pair> pairs = found_by(*screen.make_engine(1), problem, people.view());
  ASSERT_EQ(pairs.size(), people.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].counts, screen.count_pair(0, people.view(), i));
    double none = 15. / 16, one = 1. / 16, log10 = 0;
    for (std::size_t s = 0; s < made.size(); ++s) {
      const double stays = std::pow(1 - 2 * model.recombination()[s], 3), all = none + one;
      one = stays * one + (1 - stays) / 16 * all;
      none = all - one;
      if (people[0][s] >= 0 && people[i][s] >= 0) {
        const auto emissions = stats::ibd_emissions(made.freq[s], .01, .005);
        const auto y = static_cast<std::size_t>(people[i][s]);
        double shared = 0, strangers = 0;
        for (std::size_t x = 0; x < 3; ++x) {
          const double likelihood = x == static_cast<std::size_t>(people[0][s]) ? 1 : kOthers;
          shared += likelihood * emissions[1][x][y];
          strangers += likelihood * emissions[0][x][y];
        }
        one *= shared / strangers;
      }
      log10 += std::log10(none + one);
      const double sum = none + one;
      none /= sum, one /= sum;
    }
    EXPECT_NEAR(Screen::log10_ratio(pairs[i].counts), log10, 1e-3);
  }
}

// As a device takes them that has no room for all queries at once.
TEST(Screen, OfASliceOfQueriesIsTheirs) {
  std::mt19937_64 rng(26);
  const MadeSites made = testing::made_sites(2, 100, .5, rng);
  const People people(made, 40, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const ProfileRows queries =
      ProfileRows::from_blocks(people.view(), std::vector<std::uint64_t>{3, 1, 0, 7, 9});
  const SampleLikelihoods sample = likelihoods_of(people[0], .2);
  const SampleLikelihoods* const samples[] = {nullptr, nullptr, &sample, nullptr, nullptr};
  const Screen screen({&model, 1}, queries, samples);
  EXPECT_FALSE(screen.by_rows());
  const auto slice_of = [&](const engine::CustomCount& of, std::vector<std::uint64_t> rows,
                            std::size_t first) {
    const ProfileRows some = ProfileRows::from_blocks(people.view(), rows);
    engine::Problem slice{engine::Comparison::kKinship, &some, people.view().shape, true, Encoding::kAlleles};
    const std::unique_ptr<engine::CustomCount> count = of.sliced(slice, first);
    std::vector<engine::PairCounts> counts;
    for (std::size_t query = 0; query < some.n_rows(); ++query)
      counts.push_back(count->count_pair(query, people.view(), 20));
    slice.custom_count = count.get();
    EXPECT_EQ(engine::screen_of(slice)->by_rows(), first + rows.size() <= 2 || first > 2);
    for (const engine::Pair& pair : found_by(*count->make_engine(1), slice, people.view())) {
      if (pair.row == 20) {
        EXPECT_EQ(pair.counts, counts[pair.query]);
      }
    }
    return counts;
  };
  const auto all = [&](std::size_t query) { return screen.count_pair(query, people.view(), 20); };
  EXPECT_NE(all(2), all(1));
  EXPECT_EQ(slice_of(screen, {3, 1}, 0), (std::vector{all(0), all(1)}));
  EXPECT_EQ(slice_of(screen, {1, 0, 7}, 1), (std::vector{all(1), all(2), all(3)}));
  EXPECT_EQ(slice_of(screen, {7, 9}, 3), (std::vector{all(3), all(4)}));
}

}  // namespace
}  // namespace fastid::linked
