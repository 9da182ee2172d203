#include "page/svg_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "page/page.hpp"

namespace fastid::page {

void SvgPicture::line(const char* kind, double x1, double y1, double x2, double y2) {
  elements_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                           kind, x1, y1, x2, y2);
}

void SvgPicture::text(double x, double y, const char* anchor, const std::string& words) {
  elements_ += fmt::format("<text class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x,
                           y, anchor, escaped(words));
}

void SvgPicture::upright(double y, const std::string& words) {
  elements_ +=
      fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                  y, escaped(words));
}

std::string SvgPicture::finish(const std::string& id, double width, double height, const std::string& title,
                               const std::string& description) const {
  return fmt::format(
      "<svg id=\"{0}\" viewBox=\"0 0 {1} {2:.0f}\" role=\"img\" aria-labelledby=\"{0}-t {0}-d\">\n"
      "<title id=\"{0}-t\">{3}</title>\n<desc id=\"{0}-d\">{4}</desc>\n{5}</svg>\n",
      id, width, height, escaped(title), escaped(description), elements_);
}

std::string SvgPicture::finish_file(double width, double height, const std::string& title,
                                    const std::string& description) const {
  constexpr std::string_view kStyle =
      "<style>text { font: 13px \"DejaVu Sans\", Verdana, Arial, sans-serif; } text, .halo { fill: #000; }\n"
      ".axis { stroke: #000; fill: none; } .grid { stroke: #777; stroke-width: .6; fill: none; }\n"
      "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"fastid\" width=\"{0}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-labelledby=\"fastid-t fastid-d\">\n"
      "<title id=\"fastid-t\">{2}</title>\n<desc id=\"fastid-d\">{3}</desc>\n{4}{5}</svg>\n",
      width, height, escaped(title), escaped(description), kStyle, elements_);
}

std::vector<double> spread_rows(const std::vector<double>& wanted, double top, double bottom) {
  constexpr double kRow = 14;
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<double> down = wanted, up = wanted;  // pushed away by the rows above, and by the rows below
  double last = top - kRow;
  for (const std::size_t i : order) last = down[i] = std::max(wanted[i], last + kRow);
  last = bottom + kRow;
  for (auto i = order.rbegin(); i != order.rend(); ++i) last = up[*i] = std::min(wanted[*i], last - kRow);
  // No two rows are too near in `down` nor in `up`, so none are in their mean. Rows beyond the bottom then
  // move up, with all above them.
  std::vector<double> rows(wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = (down[i] + up[i]) / 2;
  last = bottom + kRow;
  for (auto i = order.rbegin(); i != order.rend(); ++i) last = rows[*i] = std::min(rows[*i], last - kRow);
  last = top - kRow;
  for (const std::size_t i : order) last = rows[i] = std::max(rows[i], last + kRow);
  return rows;
}

bool LabelPlaces::take(double x, double baseline, const std::string& words) {
  constexpr double kHeight = 13;
  const Rectangle wanted{x, baseline - 11, width_of(words), kHeight};
  for (const Rectangle& one : taken_)
    if (wanted.x < one.x + one.width && one.x < wanted.x + wanted.width && wanted.y < one.y + one.height &&
        one.y < wanted.y + wanted.height)
      return false;
  taken_.push_back(wanted);
  return true;
}

double nice_step(double span, double wanted, bool whole) {
  const double rough = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double times : {5., 2., 1.})
    if (times * power >= rough) step = times * power;
  return whole ? std::max(1., step) : step;
}

std::string tick_text(double value) {
  return value >= 1000 && value == std::floor(value) ? with_commas(static_cast<std::uint64_t>(value))
                                                     : fmt::format("{:g}", value);
}

}  // namespace fastid::page
