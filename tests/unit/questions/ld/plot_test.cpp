// The heat map of linked sites: each pair in the color of its r2, at its place.
#include "questions/ld/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <regex>

namespace fastid::ld {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SiteFacts facts_of(std::size_t n) {
  SiteFacts facts;
  for (std::size_t i = 0; i < n; ++i)
    facts.sites.push_back(
        {"rs" + std::to_string(i), "7", static_cast<std::uint32_t>(1000 + 10 * i * i), 'A', 'C'});
  facts.n_units = 1234;
  return facts;
}

/// The fill of each square i < j, by the outlines in the picture; "" where there is none.
std::map<std::pair<std::size_t, std::size_t>, std::string> squares_of(const std::string& svg) {
  static const std::regex kPath("<path fill=\"([^\"]+)\"[^>]* d=\"([^\"]+)\"/>"),
      kRun("M(\\d+) (\\d+)h(\\d+)v1h-(\\d+)z");
  std::map<std::pair<std::size_t, std::size_t>, std::string> squares;
  for (std::sregex_iterator path(svg.begin(), svg.end(), kPath), end; path != end; ++path) {
    const std::string outlines = (*path)[2];
    for (std::sregex_iterator run(outlines.begin(), outlines.end(), kRun); run != end; ++run) {
      EXPECT_EQ((*run)[3], (*run)[4]);
      for (std::size_t i = 0; i < std::stoul((*run)[3]); ++i)
        squares[{std::stoul((*run)[1]) + i, std::stoul((*run)[2])}] += (*path)[1];
    }
  }
  return squares;
}

TEST(LdPlot, HasEachPairOnceInTheColorOfItsR2) {
  constexpr std::size_t kSites = 6;
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> r2(kSites * kSites, 0);
  const auto put = [&](std::size_t i, std::size_t j, float value) {
    r2[i * kSites + j] = r2[j * kSites + i] = value;
  };
  put(0, 3, 1), put(1, 3, 0.95F), put(2, 3, 0.55F), put(4, 5, kNone), put(0, 5, 0.15F), put(2, 5, 0.1F);
  const auto squares = squares_of(ld_plot("x", facts_of(kSites), r2));
  const std::map<std::pair<std::size_t, std::size_t>, std::string> right = {
      {{0, 3}, "#67000d"}, {{1, 3}, "#67000d"}, {{2, 3}, "#fb6a4a"},
      {{0, 5}, "#fff0e8"}, {{2, 5}, "#fff0e8"}, {{4, 5}, "url(#none-turned)"}};
  EXPECT_EQ(squares, right);
}

TEST(LdPlot, NamesFewSitesAndSaysWhatItShows) {
  SiteFacts facts = facts_of(3);
  facts.sites[1].id = "rs<1>";
  facts.sites[2].id = std::string(255, 'x');
  const std::string svg = ld_plot("cases/a&b.vcf", facts, std::vector<float>(9, 1));
  EXPECT_THAT(svg, HasSubstr("chromosome 7: 1,000 to 1,040"));
  EXPECT_THAT(svg, HasSubstr("a&amp;b.vcf: 3 sites, genotypes of 1,234 people"));
  EXPECT_THAT(svg, HasSubstr("rs&lt;1&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr(std::string(20, 'x'))));
  EXPECT_THAT(svg, Not(HasSubstr("does not vary")));
  const std::vector<float> many(kMostPlotted * kMostPlotted, std::numeric_limits<float>::quiet_NaN());
  const std::string large = ld_plot("x", facts_of(kMostPlotted), many);
  EXPECT_THAT(large, Not(HasSubstr(">rs")));
  EXPECT_THAT(large, HasSubstr("does not vary"));
}

TEST(LdPlot, SitesAtOnePositionHaveOneOnTheScale) {
  SiteFacts facts = facts_of(2);
  facts.sites[1].pos = facts.sites[0].pos;
  const std::string svg = ld_plot("x", facts, std::vector<float>(4, 1));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace fastid::ld
