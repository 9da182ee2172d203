// What a mixture's sites weigh in whole numbers: the exact ratios but for rounding, and whom they find.
#include "stats/stain_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bits/popcount.hpp"
#include "stats_testing.hpp"

namespace fastid::stats {
namespace {
using testing::AllelesSeen;
using testing::model_of;
using testing::random_frequencies;

/// People of one population, and what they leave.
class Leaving {
 public:
  explicit Leaving(std::size_t n_sites, std::uint64_t seed = 3)
      : rng_(seed), freq_(random_frequencies(n_sites, rng_)) {
    models_.push_back(model_of(freq_, .01));
  }

  std::vector<testing::Alleles> somebody() {
    std::vector<testing::Alleles> person;
    for (const double q : freq_) person.push_back(testing::person(q, rng_));
    return person;
  }

  AllelesSeen stain(const std::vector<std::vector<testing::Alleles>>& people,
                    const std::vector<double>& drop_outs) {
    return testing::stain_of(people, drop_outs, rng_);
  }

  Question question(const StainParameters& parameters = {}) const {
    return make_question(engine::Comparison::kMixture, Encoding::kAlleles, 1000, Relation::kUnrelated,
                         models_, {}, parameters);
  }

 private:
  std::mt19937_64 rng_;
  std::vector<double> freq_;
  std::vector<PopulationModel> models_;
};

/// The highest of the sets' sums.
std::int64_t highest_sum(const WholeWeights& whole, const RowView& person) {
  std::int64_t highest = INT64_MIN;
  for (const auto& [sites, of] : whole.weights) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sites.size(); ++i)
      if ((person.called[sites[i] / kWordBits] >> sites[i] % kWordBits & 1) != 0)
        sum += of[i][kind_at(person, sites[i], Encoding::kAlleles)];
    highest = std::max(highest, sum);
  }
  return highest;
}

// Of one site more than a hundred supports weigh alike, each less than a hundredth.
TEST(StainWeights, AreThoseOfTheHeaviestWhereManySupportsWeighAlike) {
  Leaving leaving(1);
  const AllelesSeen stain = leaving.stain({leaving.somebody(), leaving.somebody()}, {0, 0});
  const Question question = leaving.question({.least = 1, .most = 8, .estimated = false});
  EXPECT_FALSE(stain_weights(question, stain, explanations_of(question, stain)).weights.empty());
}

TEST(StainWeights, AddUpToTheRatioOfTheBestSupport) {
  Leaving leaving(200);
  const std::vector people{leaving.somebody(), leaving.somebody()};
  const AllelesSeen stain = leaving.stain(people, {.1, .6});
  const Question question =
      leaving.question({.least = 2, .most = 2, .estimated = false, .drop_outs = {.1, .6}});
  const StainExplanations explained = explanations_of(question, stain);
  const WholeWeights whole = stain_weights(question, stain, explained);
  ASSERT_EQ(whole.weights.size(), 4u);
  for (const auto& person : {people[0], people[1], leaving.somebody()}) {
    const AllelesSeen profile = testing::profile_of(person);
    const RowView row = profile;
    double best = -1e9;
    for (const auto& of_support : question.stains[0].ratios(stain, explained[0], {&row, 1}))
      best = std::max({best, of_support[0][Relation::kSame], of_support[0][Relation::kSibling]});
    EXPECT_NEAR(whole.unit * static_cast<double>(highest_sum(whole, profile)), best, 200 * .5 * whole.unit);
  }
}

TEST(StainWeights, OfContributorsWhoLeftAboutTheSameAreOneSet) {
  Leaving leaving(200);
  const std::vector people{leaving.somebody(), leaving.somebody()};
  const AllelesSeen stain = leaving.stain(people, {.1, .1});
  const auto sets = [&](double first, double second) {
    const Question question =
        leaving.question({.least = 2, .most = 2, .estimated = false, .drop_outs = {first, second}});
    return stain_weights(question, stain, explanations_of(question, stain)).weights.size();
  };
  EXPECT_EQ(sets(.1, .11), 2u);
  EXPECT_EQ(sets(.1, .9), 4u);
}

/// By alleles that are not seen many strangers stand before the minor contributor.
TEST(StainWeights, SetAMinorContributorBeforeStrangers) {
  constexpr std::size_t kStrangers = 1000, kShortlist = 20;
  Leaving leaving(600, 5);
  const std::vector people{leaving.somebody(), leaving.somebody()};
  const AllelesSeen stain = leaving.stain(people, {0, .7});
  const Question question = leaving.question();
  const WholeWeights whole = stain_weights(question, stain, explanations_of(question, stain));
  EXPECT_LE(whole.weights.size(), 2 * kMostSupports);
  const auto not_seen = [&](const RowView& row) {
    int count = 0;
    for (std::size_t word = 0; word < row.bits.size(); ++word)
      count += bits_set(row.bits[word] & ~stain.row().bits[word]) +
               bits_set(row.major[word] & ~stain.row().major[word]);
    return count;
  };
  const AllelesSeen minor = testing::profile_of(people[1]);
  std::size_t by_weights = 0, by_counts = 0;
  for (std::size_t i = 0; i < kStrangers; ++i) {
    const AllelesSeen stranger = testing::profile_of(leaving.somebody());
    by_weights += highest_sum(whole, stranger) >= highest_sum(whole, minor);
    by_counts += not_seen(stranger) <= not_seen(minor);
  }
  EXPECT_LT(by_weights, kShortlist);
  EXPECT_GT(by_counts, kShortlist);
}

}  // namespace
}  // namespace fastid::stats
