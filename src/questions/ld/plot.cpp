#include "questions/ld/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"

namespace fastid::ld {
namespace {

constexpr double kWidth = 800, kLeft = 40, kRight = 760;
constexpr double kScale = 100, kColumns = 160;  ///< y of the scale, and where the lines from it end
constexpr double kLetter = 7, kIdWidth = 11;    ///< of the ids, which run upwards
constexpr std::size_t kLongestId = 20;
constexpr double kKeyBox = 20;

/// From white to dark red, a tenth of r2 each: darker and darker in grey too.
constexpr std::array<const char*, 10> kColors = {"#ffffff", "#fff0e8", "#fee0d2", "#fcbba1", "#fc9272",
                                                 "#fb6a4a", "#ef3b2c", "#cb181d", "#a50f15", "#67000d"};
constexpr std::size_t kNone = kColors.size();  ///< the class of pairs without an r2

std::size_t class_of(float r2) {
  if (std::isnan(r2)) return kNone;
  return std::min(static_cast<std::size_t>(std::max(0.F, r2) * kColors.size()), kColors.size() - 1);
}

std::string shortened(const std::string& id) {
  return id.size() > kLongestId ? id.substr(0, kLongestId - 1) + "\u2026" : id;
}

double letters(const std::string& shown) {
  return static_cast<double>(std::min(shown.size(), kLongestId));
}

class Drawing {
 public:
  Drawing(const std::string& file, const SiteFacts& facts, std::span<const float> r2)
      : file_(file), facts_(facts), r2_(r2), n_(facts.sites.size()) {
    for (const Site& site : facts.sites)
      longest_id_ = std::max(longest_id_, std::min(site.id.size(), kLongestId));
  }

  std::string draw() {
    draw_title();
    draw_scale();
    draw_columns();
    draw_triangle();
    draw_key();
    return picture_.finish_file(kWidth, bottom() + 24, title(), description());
  }

 private:
  std::uint32_t begin() const { return facts_.sites.front().pos; }
  std::uint32_t end() const { return facts_.sites.back().pos; }
  double step() const { return (kRight - kLeft) / static_cast<double>(n_); }
  bool shows_ids() const { return step() >= kIdWidth; }
  double top() const {
    return kColumns + 6 + (shows_ids() ? kLetter * static_cast<double>(longest_id_) + 6 : 0);
  }
  double bottom() const { return top() + (kRight - kLeft) / 2; }
  double x_of_site(std::size_t site) const { return kLeft + step() * (static_cast<double>(site) + 0.5); }
  double x_of_position(double position) const {
    if (begin() == end()) return (kLeft + kRight) / 2;
    return kLeft + step() / 2 + (kRight - kLeft - step()) * (position - begin()) / (end() - begin());
  }

  std::string title() const {
    return fmt::format("Linkage disequilibrium (r\u00b2), chromosome {}: {} to {}",
                       facts_.sites.front().chrom, with_commas(begin()), with_commas(end()));
  }
  std::string source() const {
    const std::string units = with_commas(facts_.n_units);
    return fmt::format("{}: {}, {}", printable(std::filesystem::path(file_).filename().string(), 60),
                       counted(n_, "site"),
                       facts_.what() == "haplotypes" ? units + " haplotypes"
                                                     : fmt::format("{} of {} people", facts_.what(), units));
  }
  std::string description() const {
    return source() + ". Each square of the triangle is a pair of sites: darker where they go together more.";
  }

  void draw_title() {
    picture_.add(
        fmt::format("<text x=\"{:.0f}\" y=\"24\" style=\"font-size: 16px; font-weight: bold\">{}</text>\n",
                    kLeft, page::escaped(title())));
    picture_.text(kLeft, 46, "start", source());
  }

  void draw_scale() {
    picture_.line("axis", x_of_position(begin()), kScale, x_of_position(end()), kScale);
    picture_.text(kRight, kScale - 28, "end", "position (base pairs)");
    const double tick = page::nice_step(std::max<double>(1, end() - begin()), 4, true);
    for (double at = std::ceil(begin() / tick) * tick; at <= end(); at += tick) {
      picture_.line("axis", x_of_position(at), kScale - 5, x_of_position(at), kScale);
      picture_.text(x_of_position(at), kScale - 10, "middle", page::tick_text(at));
    }
  }

  void draw_columns() {
    for (std::size_t site = 0; site < n_; ++site) {
      const double x = x_of_site(site);
      picture_.line("grid", x_of_position(facts_.sites[site].pos), kScale, x, kColumns);
      const std::string id = shows_ids() ? shortened(facts_.sites[site].id) : "";
      picture_.line("grid", x, kColumns, x, top() - (id.empty() ? 1 : 10 + kLetter * letters(id)));
      if (!id.empty()) draw_id(x + 4, id);
    }
  }
  void draw_id(double x, const std::string& id) {
    picture_.add(fmt::format(
        "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" style=\"font-size: 11px\">{}</text>\n", x,
        top() - 6, page::escaped(id)));
  }

  /// In units of sites: the square of sites i < j is that at i, j, and the picture turns all by 45 degrees.
  void draw_triangle() {
    const double half = step() / 2;
    define_hatching("none", 1);
    define_hatching("none-turned", 1 / half);
    picture_.add(
        fmt::format("<g transform=\"matrix({0:.4f} -{0:.4f} {0:.4f} {0:.4f} {1:.1f} {2:.1f})\" "
                    "stroke-width=\"{3:.4f}\">\n",
                    half, kLeft, top(), .3 / half));
    std::array<std::string, kNone + 1> paths = squares();
    for (std::size_t of_class = 1; of_class < kNone; ++of_class)  // white is there
      if (!paths[of_class].empty())
        picture_.add(fmt::format("<path fill=\"{0}\" stroke=\"{0}\" d=\"{1}\"/>\n", kColors[of_class],
                                 paths[of_class]));
    if (!paths[kNone].empty())
      picture_.add(fmt::format("<path fill=\"url(#none-turned)\" d=\"{}\"/>\n", paths[kNone]));
    picture_.add("</g>\n");
    picture_.add(fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\"/>\n",
                             kLeft, top(), kRight, top(), (kLeft + kRight) / 2, bottom()));
  }

  void define_hatching(const char* name, double scale) {
    picture_.add(
        fmt::format("<defs><pattern id=\"{}\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
                    "patternTransform=\"scale({:.4f})\"><path d=\"M0 2h4M2 0v4\" stroke=\"#888\" "
                    "stroke-width=\".6\"/></pattern></defs>\n",
                    name, scale));
  }

  /// The outlines of the squares of each class; neighbours of one class are one rectangle.
  std::array<std::string, kNone + 1> squares() const {
    std::array<std::string, kNone + 1> paths;
    for (std::size_t j = 1; j < n_; ++j)
      for (std::size_t i = 0, next = 0; i < j; i = next) {
        const std::size_t of_class = class_of(r2_[j * n_ + i]);
        next = i + 1;
        while (next < j && class_of(r2_[j * n_ + next]) == of_class) ++next;
        paths[of_class] += fmt::format("M{} {}h{}v1h-{}z", i, j, next - i, next - i);
      }
    return paths;
  }

  /// In the corner that the triangle leaves.
  void draw_key() {
    const double y = bottom() - 40;
    picture_.text(kLeft, y - 8, "start", "r\u00b2");
    for (std::size_t i = 0; i < kColors.size(); ++i)
      draw_box(kLeft + kKeyBox * static_cast<double>(i), y, kColors[i]);
    for (std::size_t i = 0; i <= kColors.size(); i += 2)
      picture_.text(kLeft + kKeyBox * static_cast<double>(i), y + 34, "middle",
                    fmt::format("{:g}", static_cast<double>(i) / static_cast<double>(kColors.size())));
    const bool lacks_some = std::ranges::any_of(r2_, [](float r2) { return std::isnan(r2); });
    if (!lacks_some) return;
    draw_box(kLeft, y - 48, "url(#none)");
    picture_.text(kLeft + kKeyBox + 6, y - 33, "start", "a site does not vary");
  }
  void draw_box(double x, double y, const char* fill) {
    picture_.add(
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
                    "stroke=\"#000\" stroke-width=\".5\"/>\n",
                    x, y, kKeyBox, kKeyBox, fill));
  }

  const std::string& file_;
  const SiteFacts& facts_;
  std::span<const float> r2_;
  std::size_t n_, longest_id_ = 1;
  page::SvgPicture picture_;
};

}  // namespace

std::string ld_plot(const std::string& file, const SiteFacts& facts, std::span<const float> r2) {
  return Drawing(file, facts, r2).draw();
}

}  // namespace fastid::ld
