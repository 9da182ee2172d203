#include "page/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "page/plain_number.hpp"
#include "page/svg_picture.hpp"

namespace fastid::page {
namespace {

constexpr double kWidth = 800, kLeft = 72, kRight = 764, kTop = 12, kBottom = 332, kHeight = 388;

double least_of(double a, double b) {
  return b > 0 ? std::min(a, b) : a;
}

/// 1, 2 or 5 times a power of ten, at most `value`.
double mark_below(double value) {
  constexpr double kRounding = 1 + 1e-9;
  const double power = std::pow(10, std::floor(std::log10(value * kRounding)));
  for (const double times : {5, 2})
    if (times * power <= value * kRounding) return times * power;
  return power;
}
double mark_after(double mark) {
  return mark_below(mark * 2.6);
}
double mark_above(double value) {
  const double below = mark_below(value);
  return below < value ? mark_after(below) : below;
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
    // Widen the picture to where each slanted roof meets the highest flat one.
    for (const Roofline::Roof& roof : chart.roofs)
      if (roof.slanted && roof.rate > 0 && y_most > 0)
        x_least = std::min(x_least, y_most / roof.rate), x_most = std::max(x_most, y_most / roof.rate);
    if (!(x_most > 0) || !(y_most > 0)) x_least = x_most = y_least = y_most = 1;
    x_low_ = mark_below(x_least / 3), x_high_ = mark_above(x_most * 3);
    y_low_ = mark_below(y_least / 2), y_high_ = mark_above(y_most * 1.2);
  }

  std::string draw(const std::string& id) {
    axes();
    for (const Roofline::Roof& roof : chart_.roofs)
      if (roof.rate > 0) draw_roof(roof);
    const std::vector<Name> names = names_of_points();
    for (const Roofline::Roof& roof : chart_.roofs)
      if (roof.rate > 0) name_roof(roof);
    for (const bool chosen : {false, true})
      for (const Roofline::Point& point : chart_.points)
        if (point.chosen == chosen && point.rate > 0) draw_point(point);
    for (const Name& name : names) draw_name(name);
    return picture_.finish(id, kWidth, kHeight, chart_.title, chart_.description);
  }

 private:
  double x(double value) const {
    return kLeft + (kRight - kLeft) * std::log(value / x_low_) / std::log(x_high_ / x_low_);
  }
  double y(double value) const {
    const double share = std::log(value / y_low_) / std::log(y_high_ / y_low_);
    return kBottom - (kBottom - kTop) * std::clamp(share, 0.0, 1.0);
  }

  /// The marks of an axis: powers of ten and, where these are few, their double and fivefold.
  static std::vector<double> marks(double low, double high) {
    constexpr double kFew = 2e3, kRounding = 1.01;
    std::vector<double> all;
    for (double mark = low; mark <= high * kRounding; mark = mark_after(mark))
      if (high / low <= kFew || std::abs(std::remainder(std::log10(mark), 1)) < 0.1) all.push_back(mark);
    return all;
  }

  void axes() {
    for (const double value : marks(y_low_, y_high_)) {
      picture_.line("grid", kLeft, y(value), kRight, y(value));
      picture_.text(kLeft - 6, y(value) + 4, "end", plain_number(value / 1e12));
    }
    for (const double value : marks(x_low_, x_high_)) {
      picture_.line("grid", x(value), kTop, x(value), kBottom);
      picture_.text(x(value), kBottom + 18, "middle", plain_number(value));
    }
    picture_.line("axis", kLeft, kBottom, kRight, kBottom);
    picture_.line("axis", kLeft, kTop, kLeft, kBottom);
    picture_.text((kLeft + kRight) / 2, kBottom + 42, "middle", chart_.x_title);
    picture_.upright((kTop + kBottom) / 2, "Tbit/s");
  }

  /// The ends of a slanted roof: from the bottom of the picture to its top.
  std::pair<double, double> ends(const Roofline::Roof& roof) const {
    return {std::clamp(y_low_ / roof.rate, x_low_, x_high_),
            std::clamp(y_high_ / roof.rate, x_low_, x_high_)};
  }

  void draw_roof(const Roofline::Roof& roof) {
    if (!roof.slanted) return picture_.line("curve", kLeft, y(roof.rate), kRight, y(roof.rate));
    const auto [from, to] = ends(roof);
    if (to > from) picture_.line("curve", x(from), y(roof.rate * from), x(to), y(roof.rate * to));
  }

  void name_roof(const Roofline::Roof& roof) {
    if (!roof.slanted) return name_flat(roof);
    const auto [from, to] = ends(roof);
    if (to > from) name_slanted(roof, from, to);
  }

  /// Names a flat roof at its right end, or left of the names that are there.
  void name_flat(const Roofline::Roof& roof) {
    const double width = LabelPlaces::width_of(roof.name);
    double end = kRight - 4;
    while (end - 2 * width > kLeft && !labels_.take(end - width, y(roof.rate) - 5, roof.name))
      end -= width / 2;
    picture_.text(end, y(roof.rate) - 5, "end", roof.name);
  }

  /// Names a slanted roof beside its line, as near to the middle as there is room.
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
  }

  /// The name of a mark, and where it begins or ends.
  struct Name {
    const Roofline::Point* point;
    bool beside_right;
    double x, row;
  };

  /// Names of points, in rows of their own, since many kernels have nearly the same place.
  std::vector<Name> names_of_points() {
    constexpr double kBeside = 26;
    std::vector<Name> names;
    std::vector<double> wanted;
    for (const Roofline::Point& point : chart_.points) {
      if (point.label.empty() || !(point.rate > 0)) continue;
      const bool beside_right = x(point.x) < kLeft + 0.7 * (kRight - kLeft);
      names.push_back({&point, beside_right, x(point.x) + (beside_right ? kBeside : -kBeside), 0});
      wanted.push_back(y(point.rate) + 4);
    }
    const std::vector<double> rows = spread_rows(wanted, kTop + 12, kBottom - 4);
    for (std::size_t i = 0; i < names.size(); ++i) {
      Name& name = names[i];
      name.row = rows[i];
      while (move_off_marks(name)) {
      }
      const double width = LabelPlaces::width_of(name.point->label);
      labels_.block(name.beside_right ? name.x : name.x - width, name.row - 11, width, 13);
    }
    return names;
  }

  /// Moves a name that lies over a mark beyond it. Returns whether it was moved.
  bool move_off_marks(Name& name) const {
    constexpr double kMark = 8;
    const double width = LabelPlaces::width_of(name.point->label), side = name.beside_right ? 1 : -1;
    const double begin = name.beside_right ? name.x : name.x - width;
    for (const Roofline::Point& point : chart_.points) {
      const double at_x = x(point.x), at_y = y(point.rate);
      if (!(point.rate > 0) || std::abs(at_y - (name.row - 4)) > 6 + kMark || at_x < begin - kMark ||
          at_x > begin + width + kMark)
        continue;
      name.x = at_x + side * (kMark + 2);
      return true;
    }
    return false;
  }

  void draw_name(const Name& name) {
    const double end = name.x + (name.beside_right ? -2 : 2);
    picture_.line("axis", x(name.point->x), y(name.point->rate), end, name.row - 4);
    picture_.text(name.x, name.row, name.beside_right ? "start" : "end", name.point->label);
  }

  const Roofline& chart_;
  double x_low_ = 1, x_high_ = 10, y_low_ = 1, y_high_ = 10;
  LabelPlaces labels_;
  SvgPicture picture_;
};

}  // namespace

std::string svg(const Roofline& chart, const std::string& id) {
  return Drawing(chart).draw(id);
}

}  // namespace fastid::page
