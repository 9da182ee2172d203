// What a panel can tell of relatives along the map. Which chains the figures rest on is tests/unit/linked's
// matter.
#include "asking/degree_rates.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "simulate/people.hpp"

namespace fastid::asking {
namespace {

stats::PopulationModel model_for_rates(const Panel& panel) {
  return {"test", panel.populations()[0].minor_freq, {.theta = .01, .error_rate = .005}};
}

TEST(DegreeRates, NameNearRelativesAndNoStrangers) {
  const Panel panel = simulate::simulate_panel(1200, 3);
  std::map<std::string, DegreeRates> of;
  for (const DegreeRates& rates : degree_rates(panel, model_for_rates(panel)))
    of[std::string(rates.name)] = rates;
  ASSERT_EQ(of.size(), 9u);
  EXPECT_EQ(of["same"].right, of["same"].pairs);
  EXPECT_EQ(of["parent-child"].right, of["parent-child"].pairs);
  EXPECT_EQ(of["2"].pairs, 4 * of["parent-child"].pairs);
  EXPECT_GT(of["2"].right, of["2"].pairs / 3);
  EXPECT_GT(of["4"].undecided, of["4"].pairs / 2);  // it is not known by so few sites
  EXPECT_LT(of["5"].right, of["2"].right);
  EXPECT_EQ(of["unrelated"].right + of["unrelated"].undecided, of["unrelated"].pairs);
}

TEST(DegreeRates, AreNoneWithoutPositions) {
  const Panel made = simulate::simulate_panel(40, 3);
  std::vector<Site> sites = made.sites();
  for (Site& site : sites) site.pos = 0;
  const Panel panel(std::move(sites), made.populations(), GenomeBuild::kUnknown, "test");
  EXPECT_TRUE(degree_rates(panel, model_for_rates(panel)).empty());
}

}  // namespace
}  // namespace fastid::asking
