#include "page/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "page/svg_picture.hpp"

namespace fastid::report {
namespace {

constexpr double kWidth = 800, kLeft = 72, kRight = 764, kTop = 12, kBottom = 332, kHeight = 388;

double least_of(double a, double b) {
  return b > 0 ? std::min(a, b) : a;
}

int decade_below(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}
int decade_above(double value) {
  return static_cast<int>(std::ceil(std::log10(value)));
}

class Drawing {
 public:
  explicit Drawing(const Roofline& chart) : chart_(chart) {
    double x_least = INFINITY, x_most = 0, y_least = INFINITY, y_most = 0;
    for (const Roofline::Point& point : chart.points) {
      x_least = least_of(x_least, point.x), x_most = std::max(x_most, point.x);
      y_least = least_of(y_least, point.rate), y_most = std::max(y_most, point.rate);
    }
    for (const Roofline::Roof& roof : chart.roofs)
      if (!roof.slanted && roof.rate > 0)
        y_least = std::min(y_least, roof.rate), y_most = std::max(y_most, roof.rate);
    // Where a slanted roof meets the highest flat one is in the picture, so that all of it is seen.
    for (const Roofline::Roof& roof : chart.roofs)
      if (roof.slanted && roof.rate > 0 && y_most > 0)
        x_least = std::min(x_least, y_most / roof.rate), x_most = std::max(x_most, y_most / roof.rate);
    if (!(x_most > 0) || !(y_most > 0)) x_least = x_most = y_least = y_most = 1;
    x_low_ = decade_below(x_least / 3), x_high_ = decade_above(x_most * 3);
    y_low_ = decade_below(y_least / 2), y_high_ = decade_above(y_most * 1.2);
  }

  std::string draw(const std::string& id) {
    axes();
    for (const Roofline::Roof& roof : chart_.roofs)
      if (roof.rate > 0) draw_roof(roof);
    for (const Roofline::Point& point : chart_.points)
      if (point.rate > 0) labels_.block(x(point.x) - 5, y(point.rate) - 5, 10, 10);
    for (const bool chosen : {false, true})
      for (const Roofline::Point& point : chart_.points)
        if (point.chosen == chosen && point.rate > 0) draw_point(point);
    return picture_.finish(id, kWidth, kHeight, chart_.title, chart_.description);
  }

 private:
  double x(double value) const {
    return kLeft + (kRight - kLeft) * (std::log10(value) - x_low_) / (x_high_ - x_low_);
  }
  double y(double value) const {
    const double share = (std::log10(value) - y_low_) / (y_high_ - y_low_);
    return kBottom - (kBottom - kTop) * std::clamp(share, 0.0, 1.0);
  }

  void axes() {
    for (int decade = y_low_; decade <= y_high_; ++decade) {
      const double value = std::pow(10, decade);
      picture_.line("grid", kLeft, y(value), kRight, y(value));
      picture_.text(kLeft - 6, y(value) + 4, "end", fmt::format("{:g}", value / 1e12));
    }
    for (int decade = x_low_; decade <= x_high_; ++decade) {
      const double value = std::pow(10, decade);
      picture_.line("grid", x(value), kTop, x(value), kBottom);
      picture_.text(x(value), kBottom + 18, "middle", fmt::format("{:g}", value));
    }
    picture_.line("axis", kLeft, kBottom, kRight, kBottom);
    picture_.line("axis", kLeft, kTop, kLeft, kBottom);
    picture_.text((kLeft + kRight) / 2, kBottom + 42, "middle", chart_.x_title);
    picture_.upright((kTop + kBottom) / 2, "Tbit/s");
  }

  void draw_roof(const Roofline::Roof& roof) {
    const double low = std::pow(10, x_low_), high = std::pow(10, x_high_);
    if (!roof.slanted) {
      picture_.line("curve", kLeft, y(roof.rate), kRight, y(roof.rate));
      name_flat(roof);
      return;
    }
    // Drawn from the bottom of the picture to its top.
    const double from = std::clamp(std::pow(10, y_low_) / roof.rate, low, high);
    const double to = std::clamp(std::pow(10, y_high_) / roof.rate, low, high);
    if (!(to > from)) return;
    picture_.line("curve", x(from), y(roof.rate * from), x(to), y(roof.rate * to));
    name_slanted(roof, from, to);
  }

  /// At the right end, or left of the names that are there.
  void name_flat(const Roofline::Roof& roof) {
    const double width = LabelPlaces::width_of(roof.name);
    double end = kRight - 4;
    while (end - 2 * width > kLeft && !labels_.take(end - width, y(roof.rate) - 5, roof.name))
      end -= width / 2;
    picture_.text(end, y(roof.rate) - 5, "end", roof.name);
  }

  /// Beside the line, as near to its middle as there is room.
  void name_slanted(const Roofline::Roof& roof, double from, double to) {
    const auto place = [&](double share) {
      const double at = from * std::pow(to / from, share);
      return std::pair(x(at) + 8, y(roof.rate * at) + 4);
    };
    double share = 0.5;
    for (const double tried : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1}) {
      if (!labels_.take(place(tried).first, place(tried).second, roof.name)) continue;
      share = tried;
      break;
    }
    picture_.text(place(share).first, place(share).second, "start", roof.name);
  }

  void draw_point(const Roofline::Point& point) {
    picture_.add(fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n",
                             point.chosen ? "pointer" : "bar", x(point.x), y(point.rate),
                             point.chosen ? 6 : 4));
    if (!point.label.empty()) name_point(point);
  }

  /// Below and beside the mark, or in a row further up or down, with a line from the mark.
  void name_point(const Roofline::Point& point) {
    constexpr double kRow = 15, kBeside = 10, kFar = 26;
    const double at_x = x(point.x), at_y = y(point.rate);
    const double width = LabelPlaces::width_of(point.label);
    const bool beside_right = at_x < kLeft + 0.6 * (kRight - kLeft);
    double row = at_y + 16;
    bool far = false;
    for (const int rows : {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8}) {
      const double tried = at_y + 16 + kRow * rows, distance = rows == 0 ? kBeside : kFar;
      if (tried > kBottom - 4 || tried < kTop + 12) continue;
      if (!labels_.take(beside_right ? at_x + distance : at_x - distance - width, tried, point.label))
        continue;
      row = tried, far = rows != 0;
      break;
    }
    const double side = (beside_right ? 1 : -1) * (far ? kFar : kBeside);
    if (far) picture_.line("axis", at_x, at_y, at_x + side * 0.9, row - 4);
    picture_.text(at_x + side, row, beside_right ? "start" : "end", point.label);
  }

  const Roofline& chart_;
  int x_low_ = 0, x_high_ = 1, y_low_ = 0, y_high_ = 1;  ///< powers of ten
  LabelPlaces labels_;
  SvgPicture picture_;
};

}  // namespace

std::string svg(const Roofline& chart, const std::string& id) {
  return Drawing(chart).draw(id);
}

}  // namespace fastid::report
