#include "page/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "page/svg_picture.hpp"

namespace fastid::page {
namespace {

constexpr double kGrowthWidth = 800, kGrowthHeight = 360, kGrowthLeft = 64, kGrowthRight = 580,
                 kGrowthTop = 12, kGrowthBottom = 304;

class GrowthDrawing {
 public:
  explicit GrowthDrawing(const GrowthChart& chart) : chart_(chart) {
    const double first = static_cast<double>(chart.counts.front());
    x_high_ = std::max(1.0, std::log2(static_cast<double>(chart.counts.back()) / first));
    for (const GrowthChart::Line& line : chart.lines)
      for (const double rate : line.rates)
        if (line.rates.front() > 0 && rate > 0) take(std::log2(rate / line.rates.front()));
    y_low_ = std::floor(y_low_), y_high_ = std::ceil(y_high_);
  }

  std::string draw(const std::string& id) {
    axes();
    const double both = std::min(x_high_, y_high_);
    picture_.line("mean", kGrowthLeft, y(0), x(both), y(both));
    for (const GrowthChart::Line& line : chart_.lines)
      if (line.rates.front() > 0) draw_line(line);
    name_lines();
    return picture_.finish(id, kGrowthWidth, kGrowthHeight, chart_.title, chart_.description);
  }

 private:
  void take(double power) { y_low_ = std::min(y_low_, power), y_high_ = std::max(y_high_, power); }

  /// The x position of a power of two.
  double x(double power) const { return kGrowthLeft + (kGrowthRight - kGrowthLeft) * power / x_high_; }
  double y(double power) const {
    return kGrowthBottom - (kGrowthBottom - kGrowthTop) * (power - y_low_) / (y_high_ - y_low_);
  }

  void axes() {
    for (int power = static_cast<int>(y_low_); power <= static_cast<int>(y_high_); ++power) {
      picture_.line("grid", kGrowthLeft, y(power), kGrowthRight, y(power));
      picture_.text(kGrowthLeft - 6, y(power) + 4, "end", fmt::format("{:g}", std::exp2(power)));
    }
    for (const std::size_t count : chart_.counts) {
      const double at = x(power_of(count));
      picture_.line("grid", at, kGrowthTop, at, kGrowthBottom);
      picture_.text(at, kGrowthBottom + 18, "middle", std::to_string(count));
    }
    picture_.line("axis", kGrowthLeft, kGrowthBottom, kGrowthRight, kGrowthBottom);
    picture_.line("axis", kGrowthLeft, kGrowthTop, kGrowthLeft, kGrowthBottom);
    picture_.text((kGrowthLeft + kGrowthRight) / 2, kGrowthBottom + 42, "middle", chart_.x_title);
    picture_.upright((kGrowthTop + kGrowthBottom) / 2,
                     fmt::format("times the rate of {}", chart_.counts.front()));
  }

  double power_of(std::size_t count) const {
    return std::log2(static_cast<double>(count) / static_cast<double>(chart_.counts.front()));
  }

  void draw_line(const GrowthChart::Line& line) {
    std::string path;
    End end{line.name, 0, 0};
    for (std::size_t i = 0; i < chart_.counts.size(); ++i) {
      if (!(line.rates[i] > 0)) continue;
      end.x = x(power_of(chart_.counts[i])), end.y = y(std::log2(line.rates[i] / line.rates.front()));
      path += fmt::format("{}{:.1f} {:.1f} ", path.empty() ? "M" : "L", end.x, end.y);
      picture_.add(
          fmt::format("<circle class=\"pointer\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", end.x, end.y));
    }
    picture_.add(fmt::format("<path class=\"curve\" d=\"{}\"/>\n", path));
    ends_.push_back(std::move(end));
  }

  /// Names the lines to the right of their ends, each in a row of its own.
  void name_lines() {
    std::vector<double> wanted;
    for (const End& end : ends_) wanted.push_back(end.y + 4);
    const std::vector<double> rows = spread_rows(wanted, kGrowthTop, kGrowthBottom + 4);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      picture_.line("axis", ends_[i].x + 4, ends_[i].y, ends_[i].x + 18, rows[i] - 4);
      picture_.text(ends_[i].x + 20, rows[i], "start", ends_[i].name);
    }
  }

  struct End {
    std::string name;
    double x, y;
  };

  const GrowthChart& chart_;
  double x_high_ = 1, y_low_ = 0, y_high_ = 1;  ///< powers of two
  std::vector<End> ends_;                       ///< of lines
  SvgPicture picture_;
};

}  // namespace

std::string svg(const GrowthChart& chart, const std::string& id) {
  return GrowthDrawing(chart).draw(id);
}

}  // namespace fastid::page
