#include "page/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page/svg_picture.hpp"

namespace fastid::page {
namespace {

constexpr double kWidth = 800, kLeft = 64, kRight = 784, kPlot = 220;
constexpr double kMarkRow = 18, kPointerRow = 14, kLabelRow = 14, kTickRow = 18, kTitleRow = 22;
/// A bar of one profile has the height from 0.5 to 1, so that it is visible.
constexpr double kLogFloor = 0.5;

/// The picture that is being drawn, and the positions in it, in units of the picture.
class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart),
        top_(8 + kMarkRow * static_cast<double>(chart.marks.size())),
        bottom_(top_ + kPlot),
        highest_(highest(chart)) {
    place_labels();
  }

  std::string draw(const std::string& id) {
    draw_bands();
    draw_y_ticks();
    draw_bars("bar", chart_.bars);
    draw_bars("listed", chart_.listed);
    draw_curve();
    draw_marks();
    draw_x_axis();
    draw_pointers();
    return picture_.finish(id, kWidth, height(), chart_.title, chart_.description);
  }

 private:
  static double highest(const Chart& chart) {
    double most = chart.log_scale ? 10 : 1;
    for (const Chart::Bar& bar : chart.bars) most = std::max(most, bar.height);
    for (const Chart::Point& point : chart.curve) most = std::max(most, point.y);
    return chart.log_scale ? most * 1.3 : most * 1.05;
  }

  double x(double at) const {
    return kLeft + (kRight - kLeft) * (at - chart_.x_low) / (chart_.x_high - chart_.x_low);
  }
  double y(double value) const {
    const double share =
        chart_.log_scale ? std::log(std::max(value, kLogFloor) / kLogFloor) / std::log(highest_ / kLogFloor)
                         : value / highest_;
    return bottom_ - kPlot * share;
  }
  double pointers() const {
    if (chart_.pointers.empty()) return 0;
    return kPointerRow + kLabelRow * static_cast<double>(label_ends_.size());
  }
  double height() const { return bottom_ + pointers() + kTickRow + kTitleRow + 8; }

  void draw_y_ticks() {
    if (chart_.log_scale) {
      const int decades = static_cast<int>(std::log10(highest_));
      for (int decade = 0; decade <= decades; ++decade) draw_y_tick(std::pow(10, decade));
    } else {
      const double step = nice_step(highest_, 4, true);
      const int ticks = static_cast<int>(highest_ / step);
      for (int tick = 0; tick <= ticks; ++tick) draw_y_tick(step * tick);
    }
    picture_.upright((top_ + bottom_) / 2, chart_.y_title);
  }
  void draw_y_tick(double tick) {
    picture_.line("grid", kLeft, y(tick), kRight, y(tick));
    picture_.text(kLeft - 6, y(tick) + 4, "end", tick_text(tick));
  }

  void draw_rectangle(const char* kind, double from, double to, double top) {
    picture_.add(
        fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                    kind, from, top, std::max(2., to - from), bottom_ - top));
  }

  void draw_bars(const char* kind, const std::vector<Chart::Bar>& bars) {
    for (const auto& [from, to, bar_height] : bars)
      if (bar_height > 0) draw_rectangle(kind, x(from), x(to), y(bar_height));
  }

  /// The ends of a mark: two standard deviations to each side, cut at the picture's edges.
  std::pair<double, double> ends(const Chart::Mark& mark) const {
    return {std::max(kLeft, x(mark.at - 2 * mark.sd)), std::min(kRight, x(mark.at + 2 * mark.sd))};
  }

  void draw_bands() {
    for (const Chart::Mark& mark : chart_.marks)
      if (mark.shaded) draw_rectangle("band", ends(mark).first, ends(mark).second, top_);
  }

  void draw_curve() {
    std::string path;
    bool drawing = false;
    for (const auto& [at, value] : chart_.curve) {
      const bool seen = !chart_.log_scale || value >= kLogFloor;
      if (seen) path += fmt::format("{}{:.1f} {:.1f} ", drawing ? "L" : "M", x(at), y(value));
      drawing = seen;
    }
    if (!path.empty()) picture_.add(fmt::format("<path class=\"curve\" d=\"{}\"/>\n", path));
  }

  void draw_marks() {
    double at_y = 14;
    for (const Chart::Mark& mark : chart_.marks) {
      const auto [low, high] = ends(mark);
      picture_.line("mean", x(mark.at), at_y, x(mark.at), bottom_);
      picture_.line("span", low, at_y, high, at_y);
      picture_.line("span", x(mark.at), at_y - 5, x(mark.at), at_y + 5);
      const bool beside_right = high < kLeft + 0.7 * (kRight - kLeft);
      picture_.text(beside_right ? high + 6 : low - 6, at_y + 4, beside_right ? "start" : "end", mark.name);
      at_y += kMarkRow;
    }
  }

  void draw_x_axis() {
    picture_.line("axis", kLeft, bottom_, kRight, bottom_);
    const double step = nice_step(chart_.x_high - chart_.x_low, 8, chart_.x_whole);
    const double at_y = bottom_ + pointers() + kTickRow;
    const int first = static_cast<int>(std::ceil(chart_.x_low / step));
    const int last = static_cast<int>(chart_.x_high / step * (1 + 1e-9));
    for (int tick = first; tick <= last; ++tick) {
      picture_.line("axis", x(step * tick), bottom_, x(step * tick), bottom_ + 5);
      picture_.text(x(step * tick), at_y, "middle", tick_text(step * tick));
    }
    picture_.text((kLeft + kRight) / 2, at_y + kTitleRow, "middle", chart_.x_title);
  }

  /// Puts each label into the first row below the pointers where it does not overlap another label.
  void place_labels() {
    constexpr double kLetter = 7.5;  ///< approximate width of a letter
    for (const auto& [at, label] : chart_.pointers) {
      label_rows_.push_back(0);
      if (label.empty()) continue;
      const double half = kLetter / 2 * static_cast<double>(label.size() + 1);
      const double middle = std::clamp(x(at), half, std::max(half, kWidth - half));
      const auto row = std::ranges::find_if(label_ends_, [&](double end) { return end <= middle - half; });
      label_rows_.back() = static_cast<std::size_t>(row - label_ends_.begin());
      if (row == label_ends_.end()) label_ends_.push_back(0);
      label_ends_[label_rows_.back()] = middle + half;
      label_middles_.resize(label_rows_.size());
      label_middles_.back() = middle;
    }
    label_middles_.resize(label_rows_.size());
  }

  void draw_pointers() {
    for (std::size_t i = 0; i < chart_.pointers.size(); ++i) {
      const auto& [at, label] = chart_.pointers[i];
      picture_.add(fmt::format("<path class=\"pointer\" d=\"M{0:.1f} {1:.1f} l5 10 l-10 0 z\"/>\n", x(at),
                               bottom_ + 2));
      if (!label.empty())
        picture_.text(label_middles_[i],
                      bottom_ + kPointerRow + kLabelRow * static_cast<double>(label_rows_[i] + 1) - 2,
                      "middle", label);
    }
  }

  const Chart& chart_;
  double top_, bottom_;
  double highest_;
  std::vector<std::size_t> label_rows_;  ///< [pointer]
  std::vector<double> label_middles_;    ///< [pointer]
  std::vector<double> label_ends_;       ///< [row]
  SvgPicture picture_;
};

}  // namespace

std::string svg(const Chart& chart, const std::string& id) {
  return Drawing(chart).draw(id);
}

}  // namespace fastid::page
