#include "page/growth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace fastid::page {
namespace {

/// The places of all marks of a picture, as x and y.
std::vector<std::pair<double, double>> marks_of(const std::string& svg) {
  static const std::regex kMark("<circle class=\"pointer\" cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::vector<std::pair<double, double>> marks;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kMark), end; at != end; ++at)
    marks.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
  return marks;
}

// Axes: x from 64 to 580 for 1 to 8, y from 304 up to 12 for 1/2 to 8, so that 1 is a quarter up.
TEST(GrowthChart, MarksRatesAsMultiplesOfTheFirst) {
  const GrowthChart chart{
      .title = "t",
      .description = "d",
      .x_title = "threads",
      .counts = {1, 2, 8},
      .lines = {{"in proportion", {3, 6, 24}}, {"not at all", {5, 5, 4}}, {"unknown", {0, 1, 2}}}};
  const auto marks = marks_of(svg(chart, "g"));
  ASSERT_EQ(marks.size(), 6u);
  EXPECT_NEAR(marks[0].first, 64, 0.1);
  EXPECT_NEAR(marks[0].second, 304 - 292.0 / 4, 0.1);
  EXPECT_NEAR(marks[1].first, 64 + 516.0 / 3, 0.1);
  EXPECT_NEAR(marks[1].second, 304 - 292.0 / 2, 0.1);
  EXPECT_NEAR(marks[2].first, 580, 0.1);
  EXPECT_NEAR(marks[2].second, 12, 0.1);
  EXPECT_NEAR(marks[4].second, 304 - 292.0 / 4, 0.1);
  EXPECT_NEAR(marks[5].second, 304 - 292.0 / 4 * (1 + std::log2(0.8)), 0.1);  // it falls
}

TEST(GrowthChart, LeavesOutWhatWasNotMeasured) {
  const GrowthChart chart{
      .title = "t", .description = "d", .x_title = "x", .counts = {4, 8, 16}, .lines = {{"a", {1, 0, 3}}}};
  EXPECT_EQ(marks_of(svg(chart, "g")).size(), 2u);
}

TEST(GrowthChart, OfOneCountIsAPoint) {
  const GrowthChart chart{
      .title = "t", .description = "d", .x_title = "x", .counts = {1}, .lines = {{"a", {2}}}};
  EXPECT_EQ(marks_of(svg(chart, "g")).size(), 1u);
}

}  // namespace
}  // namespace fastid::page
