// Ratios along the map: at the limits where the product over sites has them too, by blocks, thinned, and the
// same bytes for each instruction set and company.
#include "linked/linked_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#define HWY_WANT_AVX3_DL 1  // as base/cpu_target.hpp, so that it is one of those generated
#include "base/cpu_dispatch.hpp"
#include "stats/kinship.hpp"
#include "stats/likelihoods.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

using testing::Genotypes;
using testing::MadeSites;

Ratios ratios_of(const LinkedModel& model, const ProfileRows& rows) {
  const RowView other = rows.row(1);
  return model.ratios(rows.row(0), {&other, 1}).front();
}

const std::pair<Relation, stats::Relation> kOfProducts[] = {
    {Relation::kSame, stats::Relation::kSame},
    {Relation::kParentChild, stats::Relation::kParentChild},
    {Relation::kSibling, stats::Relation::kSibling},
    {Relation::kHalfSibling, stats::Relation::kHalfSibling},
    {Relation::kGrandparent, stats::Relation::kHalfSibling},
    {Relation::kAvuncular, stats::Relation::kHalfSibling},
    {Relation::kFirstCousin, stats::Relation::kCousin},
    {Relation::kGreatGrandparent, stats::Relation::kCousin}};

TEST(LinkedModel, IsAProductWhereEverySiteIsAChromosome) {
  std::mt19937_64 rng(3);
  const MadeSites made = testing::made_sites(22, 1, 10, rng);
  const stats::PopulationModel population("test", made.freq, {.02, .005});
  const LinkedModel model(population, made.sites, all_relations());
  const ProfileRows rows = testing::rows_of_people(
      {testing::random_genotypes(22, .1, rng), testing::random_genotypes(22, .1, rng)});
  const Ratios linked = ratios_of(model, rows);
  const stats::RelationRatios product = stats::KinshipModel(population).ratios(rows.row(0), rows.row(1));
  for (const auto& [relation, of_product] : kOfProducts)
    EXPECT_NEAR(*linked[relation], product[of_product], 1e-11) << name_of(relation);
}

SampleLikelihoods random_sample(std::uint32_t n_sites, std::mt19937_64& rng) {
  SampleLikelihoods sample(n_sites);
  std::uniform_real_distribution<double> likelihood(0, 1);
  for (std::uint32_t s = 0; s < n_sites; ++s)
    if (rng() % 5 > 0) sample.add(s, {likelihood(rng), likelihood(rng), likelihood(rng)});
  return sample;
}

TEST(LinkedModel, OfTwoSamplesIsAProductWhereEverySiteIsAChromosome) {
  std::mt19937_64 rng(13);
  const MadeSites made = testing::made_sites(22, 1, 10, rng);
  const stats::PopulationModel population("test", made.freq, {.02, .005});
  const LinkedModel model(population, made.sites, all_relations());
  const SampleLikelihoods one = random_sample(22, rng), other = random_sample(22, rng);
  const SampleLikelihoods* const others[] = {&one, &other};
  const Ratios linked = model.ratios(model.sums_of(one), others)[1];
  const stats::RelationRatios product = stats::SamplePairs(population).ratios(one, other);
  for (const auto& [relation, of_product] : kOfProducts)
    EXPECT_NEAR(*linked[relation], product[of_product], 1e-11) << name_of(relation);
}

TEST(LinkedModel, OfTwoSamplesThatAreCalledIsThatOfTheirCalls) {
  std::mt19937_64 rng(14);
  const MadeSites made = testing::made_sites(2, 90, .5, rng);
  stats::PopulationModel population("test", made.freq, {.01, .005});
  std::vector<std::uint32_t> block_of(made.size(), stats::LinkageBlocks::kAlone);
  for (const std::size_t site : {3, 4, 5}) block_of[site] = 0;
  for (const bool by_blocks : {false, true}) {
    if (by_blocks) population.weigh_by(std::make_shared<const stats::LinkageBlocks>(block_of, 1));
    const LinkedModel model(population, made.sites, all_relations());
    const ProfileRows rows = testing::rows_of_people(
        {testing::random_genotypes(made.size(), .1, rng), testing::random_genotypes(made.size(), .1, rng)});
    const auto n_sites = static_cast<std::uint32_t>(made.size());
    const SampleLikelihoods one = stats::likelihoods_of_calls(rows.row(0), n_sites),
                            other = stats::likelihoods_of_calls(rows.row(1), n_sites);
    const SampleLikelihoods* const others[] = {&other};
    const Ratios by_calls = ratios_of(model, rows), by_samples = model.ratios(model.sums_of(one), others)[0];
    for (const Relation relation : all_relations()) EXPECT_EQ(by_samples[relation], by_calls[relation]);
  }
}

TEST(LinkedModel, WeighsByBlocks) {
  std::mt19937_64 rng(4);
  const MadeSites made = testing::made_sites(5, 3, 10, rng);
  std::vector<std::uint32_t> block_of(made.size(), stats::LinkageBlocks::kAlone);
  for (const std::size_t site : {0, 1, 2}) block_of[site] = 0;
  for (const std::size_t site : {7, 8}) block_of[site] = 1;
  stats::PopulationModel population("test", made.freq, {.01, .005});
  population.weigh_by(std::make_shared<const stats::LinkageBlocks>(block_of, 2));
  const LinkedModel model(population, made.sites, all_relations());
  Genotypes people{testing::random_genotypes(made.size(), 0, rng),
                   testing::random_genotypes(made.size(), 0, rng)};
  people[1][1] = -1;  // so that a block has two compared sites
  const ProfileRows rows = testing::rows_of_people(people);
  const Ratios linked = ratios_of(model, rows);
  const stats::RelationRatios product = stats::KinshipModel(population).ratios(rows.row(0), rows.row(1));
  EXPECT_NEAR(*linked[Relation::kSame], product[stats::Relation::kSame], 1e-11);
  EXPECT_NEAR(*linked[Relation::kParentChild], product[stats::Relation::kParentChild], 1e-11);
}

TEST(LinkedModel, OfNothingComparedIsOne) {
  std::mt19937_64 rng(5);
  const MadeSites made = testing::made_sites(2, 300, 1, rng);
  const ProfileRows rows = testing::rows_of_people(
      {std::vector<int>(made.size(), -1), testing::random_genotypes(made.size(), 0, rng)});
  const LinkedModel model = testing::model_of_sites(made);
  for (const auto& ratio : ratios_of(model, rows).log10) EXPECT_NEAR(*ratio, 0, 1e-12);
}

TEST(LinkedModel, ConsidersTheRelationsThatAreAskedFor) {
  std::mt19937_64 rng(6);
  const MadeSites made = testing::made_sites(2, 50, 1, rng);
  const stats::PopulationModel population("test", made.freq, {});
  const std::array few{Relation::kSibling, Relation::kFirstCousin};
  const ProfileRows rows = testing::rows_of_people(
      {testing::random_genotypes(made.size(), 0, rng), testing::random_genotypes(made.size(), 0, rng)});
  const Ratios some = ratios_of(LinkedModel(population, made.sites, few), rows),
               all = ratios_of(LinkedModel(population, made.sites, all_relations()), rows);
  for (const Relation relation : all_relations()) {
    const bool asked = relation == few[0] || relation == few[1];
    EXPECT_EQ(some[relation], asked ? all[relation] : std::nullopt);
  }
}

/// Two people of equal genotypes, and opposite ones.
TEST(LinkedModel, StaysInTheRangeOfDoubles) {
  std::mt19937_64 rng(7);
  MadeSites made = testing::made_sites(3, 1000, .5, rng);
  const std::vector<int> minor(made.size(), 2), major(made.size(), 0);
  for (double& q : made.freq) q = 1e-6;
  const ProfileRows rows = testing::rows_of_people({minor, minor, major});
  const std::vector<RowView> others{rows.row(1), rows.row(2)};
  for (const double w : {1e-60, 1e-9, 0.}) {
    const LinkedModel model = testing::model_of_sites(made, 0, w);
    const auto ratios = model.ratios(rows.row(0), others);
    EXPECT_NEAR(*ratios[0][Relation::kSame] / (12. * 3000), 1, w == 1e-9 ? 1e-3 : 1e-9);
    EXPECT_TRUE(std::isfinite(*ratios[1][Relation::kSibling]));
    EXPECT_EQ(std::isinf(*ratios[1][Relation::kSame]), w == 0);
    EXPECT_EQ(std::isinf(*ratios[1][Relation::kParentChild]), w == 0);
    if (w != 0) {
      EXPECT_NEAR(*ratios[1][Relation::kParentChild] / 3000, std::log10(w / 1e-6), .01) << "one misread copy";
    }
    for (const auto& [one, two] :
         testing::shared_of(model, rows.row(0), others[1], testing::weight_on(Relation::kSibling))) {
      EXPECT_GE(one, 0);
      EXPECT_LE(one + two, 1 + 1e-12);
    }
  }
}

/// All ratios, and the shares of one pair, of people in such a company.
std::vector<double> everything(const LinkedModel& model, const ProfileRows& rows) {
  std::vector<RowView> others;
  for (std::size_t i = 1; i < rows.n_rows(); ++i) others.push_back(rows.row(i));
  std::vector<double> all;
  const std::vector<Ratios> of = model.ratios(rows.row(0), others);
  for (const Ratios& ratios : of)
    for (const auto& ratio : ratios.log10) all.push_back(*ratio);
  for (const auto& [one, two] : testing::shared_of(model, rows.row(0), others[0], weights_of(of[0]))) {
    all.push_back(one);
    all.push_back(two);
  }
  return all;
}

Genotypes random_people(std::size_t n, std::size_t sites, std::mt19937_64& rng) {
  Genotypes people;
  for (std::size_t i = 0; i < n; ++i) people.push_back(testing::random_genotypes(sites, .05, rng));
  return people;
}

TEST(LinkedModel, HasTheSameBytesOnEveryProcessor) {
  std::mt19937_64 rng(8);
  const MadeSites made = testing::made_sites(3, 200, 2, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const ProfileRows rows = testing::rows_of_people(random_people(11, made.size(), rng));
  const std::vector<double> here = everything(model, rows);
  std::size_t targets = 0;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const auto there = dispatched_to(hwy::TargetName(target), [&] {
      return std::make_unique<std::vector<double>>(everything(model, rows));
    });
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(*there, here);
    ++targets;
  }
  EXPECT_GT(targets, 0u);
}

TEST(LinkedModel, OfAPairDoesNotDependOnItsCompany) {
  std::mt19937_64 rng(9);
  const MadeSites made = testing::made_sites(3, 200, 2, rng);
  const LinkedModel model = testing::model_of_sites(made);
  const ProfileRows rows = testing::rows_of_people(random_people(20, made.size(), rng));
  std::vector<RowView> others;
  for (std::size_t i = 1; i < rows.n_rows(); ++i) others.push_back(rows.row(i));
  const auto together = model.ratios(rows.row(0), others);
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_EQ(model.ratios(rows.row(0), {&others[i], 1}).front().log10, together[i].log10);
  std::vector<Weights> weights;
  for (const Ratios& of : together) weights.push_back(weights_of(of));
  const auto shared = model.shared(rows.row(0), others, weights);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto alone = testing::shared_of(model, rows.row(0), others[i], weights[i]);
    for (std::size_t s = 0; s < alone.size(); ++s) {
      EXPECT_EQ(alone[s].one, shared[i][s].one);
      EXPECT_EQ(alone[s].two, shared[i][s].two);
    }
  }
}

TEST(LinkedModel, OfStrangersHasAMeanOfOne) {
  std::mt19937_64 rng(10);
  const MadeSites made = testing::made_sites(4, 4, 10, rng);
  const LinkedModel model = testing::model_of_sites(made, 0, .005);
  constexpr std::size_t kPeople = 20000;
  Genotypes people;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t i = 0; i < kPeople; ++i) {
    std::vector<int>& of = people.emplace_back();
    for (const double q : made.freq) of.push_back((uniform(rng) < q) + (uniform(rng) < q));
  }
  const ProfileRows rows = testing::rows_of_people(people);
  std::vector<RowView> others;
  for (std::size_t i = 1; i < kPeople; ++i) others.push_back(rows.row(i));
  std::array<double, kRelations> mean{};
  for (const Ratios& ratios : model.ratios(rows.row(0), others))
    for (std::size_t r = 0; r < kRelations; ++r)
      mean[r] += std::pow(10, *ratios.log10[r]) / static_cast<double>(others.size());
  for (const Relation relation : {Relation::kHalfSibling, Relation::kFirstCousin, Relation::kSecondCousin})
    EXPECT_NEAR(mean[static_cast<std::size_t>(relation)], 1, .1) << name_of(relation);
}

TEST(Thinned, KeepsTheMostFrequentMinorAlleleOfAStretch) {
  const std::vector<MappedSite> sites{{0, "1", 1, 0.01}, {1, "1", 2, 0.05}, {2, "1", 3, 0.09},
                                      {3, "1", 4, 0.11}, {4, "2", 1, 0.15}, {5, "2", 2, 0.19}};
  const std::vector<double> freq{.1, .7, .3, .2, .4, .6};
  const auto kept = [&](double cm) {
    std::vector<std::uint32_t> places;
    for (const MappedSite& site : thinned(sites, freq, cm)) places.push_back(site.site);
    return places;
  };
  EXPECT_EQ(kept(.1), (std::vector<std::uint32_t>{1, 3, 4})) << "the first of equal ones";
  EXPECT_EQ(kept(100), (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(kept(0), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace fastid::linked
