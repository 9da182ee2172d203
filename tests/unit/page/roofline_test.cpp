#include "page/roofline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

namespace fastid::page {
namespace {

struct Line {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

std::vector<Line> curves_of(const std::string& svg) {
  static const std::regex kCurve(
      "<line class=\"curve\" x1=\"([-0-9.]+)\" y1=\"([-0-9.]+)\" x2=\"([-0-9.]+)\" y2=\"([-0-9.]+)\"/>");
  std::vector<Line> lines;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kCurve), end; at != end; ++at)
    lines.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]), std::stod((*at)[4])});
  return lines;
}

/// A device by the rates of its memory (bytes a second) and of its pipes (bits a second).
struct Device {
  double memory, upload, popcounts, logic;
};

TEST(Roofline, KeepsEveryRoofInsideTheAxes) {
  constexpr double kLeft = 72, kRight = 764, kTop = 12, kBottom = 332;
  for (const Device& device : {Device{3.6e9, 0, 1e11, 4.3e12},      // a slow virtual machine
                               Device{4.8e12, 5e10, 1.3e14, 2e15},  // a fast GPU
                               Device{4.8e12, 5e10, 3e10, 9e10},    // memory far above the pipes
                               Device{1e9, 1e9, 1e15, 2e15}}) {     // and far below them
    SCOPED_TRACE(device.memory);
    const Roofline chart{.title = "t",
                         .description = "d",
                         .roofs = {{"memory", device.memory, true},
                                   {"upload", device.upload, true},
                                   {"popcounts", device.popcounts, false},
                                   {"logic", device.logic, false}},
                         .points = {{256, 1e12, true, "chosen"}, {256, 5e11, false, ""}}};
    const std::vector<Line> lines = curves_of(svg(chart, "roofline"));
    ASSERT_EQ(lines.size(), device.upload > 0 ? 4u : 3u);
    for (const Line& line : lines) {
      EXPECT_GE(line.x1, kLeft);
      EXPECT_LE(line.x2, kRight);
      EXPECT_GT(line.x2, line.x1);
      const bool flat = line.y1 == line.y2;
      EXPECT_GE(line.y2, kTop);
      EXPECT_LE(line.y1, flat ? kBottom - 5 : kBottom);
      if (flat) {
        EXPECT_EQ(line.x1, kLeft);
        EXPECT_EQ(line.x2, kRight);
        EXPECT_GT(line.y1, kTop);
      } else {
        EXPECT_LT(line.y2, line.y1 - 5);
      }
    }
  }
}

TEST(Roofline, SlantsByOneDecadeForEachDecade) {
  const Roofline chart{.title = "t",
                       .description = "d",
                       .roofs = {{"memory", 1e9, true}, {"pipes", 1e12, false}},
                       .points = {{256, 1e11, true, ""}}};
  const Line memory = curves_of(svg(chart, "r")).front();
  // Axes: x of 50 to 1,000 (meets the pipes) and 5,000; y of 5 x 10^10 to 2 x 10^12.
  const double decade_x = (764.0 - 72) / 2, decade_y = (332.0 - 12) / std::log10(40);
  EXPECT_NEAR((memory.y1 - memory.y2) / (memory.x2 - memory.x1), decade_y / decade_x, 0.01);
}

// The name of the kernel on the left would be over the other's mark.
TEST(Roofline, PutsNoNameOverAMark) {
  const Roofline chart{.title = "t",
                       .description = "d",
                       .roofs = {{"pipes", 1e12, false}, {"memory", 1e9, true}},
                       .points = {{10, 1e11, true, "a kernel of some length"}, {14, 1e11, true, ""}}};
  const std::string picture = svg(chart, "r");
  static const std::regex kMark("<circle class=\"pointer\" cx=\"([0-9.]+)\"");
  static const std::regex kName("<text class=\"halo\" x=\"([0-9.]+)\"[^>]*>a kernel of some length</text>");
  std::smatch name;
  ASSERT_TRUE(std::regex_search(picture, name, kName));
  double last = 0;
  for (std::sregex_iterator at(picture.begin(), picture.end(), kMark), end; at != end; ++at)
    last = std::max(last, std::stod((*at)[1]));
  EXPECT_GT(std::stod(name[1]), last + 6);
}

// Many kernels have the same intensity and rate.
TEST(Roofline, PutsNoNameOverAnother) {
  Roofline chart{.title = "t",
                 .description = "d",
                 .roofs = {{"memory", 1e10, true}, {"pipes", 1e12, false}},
                 .points = {}};
  for (int i = 0; i < 9; ++i) chart.points.push_back({50, 3e11 * (1 + i / 100.0), true, "kernel"});
  const std::string picture = svg(chart, "r");
  static const std::regex kName("<text class=\"halo\" x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*>kernel</text>");
  std::vector<std::pair<double, double>> places;
  for (std::sregex_iterator at(picture.begin(), picture.end(), kName), end; at != end; ++at)
    places.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
  ASSERT_EQ(places.size(), 9u);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_TRUE(std::abs(places[i].second - places[j].second) > 12 ||
                  std::abs(places[i].first - places[j].first) > 40)
          << i << ' ' << j;
}

}  // namespace
}  // namespace fastid::page
