// The chain of two states, against the same sum over all its paths.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linked/linked_model.hpp"
#include "stats/ibd_emissions.hpp"
#include "stats/shown.hpp"
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

TEST(Screen, IsTheSumOverAllPaths) {
  std::mt19937_64 rng(21);
  for (int round = 0; round < 5; ++round) {
    const MadeSites made = testing::made_sites(2, 6, 10, rng);
    testing::Genotypes people{testing::random_genotypes(made.size(), .1, rng)};
    for (int other = 0; other < 11; ++other)
      people.push_back(testing::random_genotypes(made.size(), .1, rng));
    const ProfileRows rows = testing::rows_of_people(people);
    std::vector<RowView> others;
    for (std::size_t i = 1; i < people.size(); ++i) others.push_back(rows.row(i));
    const std::vector<double> found = testing::model_of_sites(made).screen(rows.row(0), others);
    ASSERT_EQ(found.size(), others.size());
    for (std::size_t i = 0; i < others.size(); ++i)
      EXPECT_NEAR(found[i], by_paths(made, people[0], people[i + 1], .01, .005), 1e-11);
  }
}

}  // namespace
}  // namespace fastid::linked
