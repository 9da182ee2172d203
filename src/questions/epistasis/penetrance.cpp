#include "questions/epistasis/penetrance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"

namespace fastid::epistasis {
namespace {

constexpr double kCellWidth = 76, kCellHeight = 54, kLeft = 130, kGap = 30, kTop = 66;
constexpr std::size_t kColours = 6, kFirstDark = 4;  // of the style sheet: .share0 ..
constexpr std::size_t kLongestName = 14;

double share_of(const engine::Cell& cell) {
  return cell[1] / (static_cast<double>(cell[0]) + cell[1]);
}

std::size_t colour_of(double share) {
  return std::min(kColours - 1, static_cast<std::size_t>(share * kColours));
}

std::string genotype_of(const Site& site, std::size_t copies) {
  std::string alleles(2, site.major);
  for (std::size_t i = 0; i < copies; ++i) alleles[1 - i] = site.minor;
  return alleles;
}

std::string name_of(const Site& site) {
  return printable(site.id, kLongestName);
}

/// The picture of one combination. The last site's genotypes are columns, those of the one before it rows,
/// those of the site before that squares side by side, and those of a further one bands of squares.
class Penetrance {
 public:
  explicit Penetrance(const EpistasisRow& row)
      : row_(row),
        squares_(engine::n_cells(row.sites.size()) / kSquare),
        down_(row.sites[row.sites.size() - 2]) {}

  std::string draw(const std::string& id) {
    for (std::size_t square = 0; square < squares_; ++square) draw_square(square);
    for (std::size_t band = 0; band < n_bands(); ++band) {
      picture_.text(kLeft - 50, at(band, 0) - 8, "end", name_of(down_));
      for (std::size_t b = 0; b < engine::kSiteGenotypes; ++b)
        picture_.text(kLeft - 10, at(band, b) + kCellHeight / 2 + 4, "end", genotype_of(down_, b));
    }
    const double end = at(n_bands() - 1, engine::kSiteGenotypes);
    draw_legend(end);
    return picture_.finish(id, kWidth, end + 52, title(), said());
  }

  std::string title() const {
    std::string names;
    for (const Site& site : row_.sites) names += (names.empty() ? "" : " x ") + name_of(site);
    return "Share of cases by the genotypes of " + names;
  }

  /// What the picture shows in a sentence.
  std::string said() const {
    const engine::Cell *lowest = nullptr, *highest = nullptr;
    engine::Cell all{};
    for (std::size_t cell = 0; cell < squares_ * kSquare; ++cell) {
      const engine::Cell& people = row_.table.cells[cell];
      all[0] += people[0];
      all[1] += people[1];
      if (people[0] + people[1] == 0) continue;
      if (lowest == nullptr || share_of(people) < share_of(*lowest)) lowest = &people;
      if (highest == nullptr || share_of(people) > share_of(*highest)) highest = &people;
    }
    if (lowest == nullptr) return "Nobody is called at all of these sites.";
    return fmt::format(
        "Of each joint genotype the share of cases, and cases / controls: {} of all {} people, from {} to "
        "{}.",
        share_text(all), with_commas(std::uint64_t{all[0]} + all[1]), share_text(*lowest),
        share_text(*highest));
  }

 private:
  static constexpr std::size_t kSquare = engine::kSiteGenotypes * engine::kSiteGenotypes;
  static constexpr double kSide = engine::kSiteGenotypes * kCellWidth;
  static constexpr double kWidth = kLeft + engine::kSiteGenotypes * (kSide + kGap);

  std::size_t n_bands() const { return (squares_ + engine::kSiteGenotypes - 1) / engine::kSiteGenotypes; }
  static double at(std::size_t band, std::size_t row) {
    constexpr double kBand = kTop + engine::kSiteGenotypes * kCellHeight + 10;
    return kTop + kBand * static_cast<double>(band) + kCellHeight * static_cast<double>(row);
  }
  static double across(std::size_t square, std::size_t column) {
    return kLeft + static_cast<double>(square) * (kSide + kGap) + kCellWidth * static_cast<double>(column);
  }

  /// The genotypes of the sites before the last two, which a square has. "rs1 AG, rs2 CC"
  std::string genotypes_of(std::size_t square) const {
    std::string text;
    for (std::size_t i = row_.sites.size() - 2; i-- > 0; square /= engine::kSiteGenotypes)
      text = name_of(row_.sites[i]) + " " + genotype_of(row_.sites[i], square % engine::kSiteGenotypes) +
             (text.empty() ? "" : ", ") + text;
    return text;
  }

  void draw_square(std::size_t square) {
    const std::size_t band = square / engine::kSiteGenotypes, beside = square % engine::kSiteGenotypes;
    const double middle = across(beside, 0) + kSide / 2, top = at(band, 0);
    if (squares_ > 1) put_text(middle, top - 50, "named", genotypes_of(square));
    put_text(middle, top - 30, "", name_of(row_.sites.back()));
    for (std::size_t column = 0; column < engine::kSiteGenotypes; ++column) {
      put_text(across(beside, column) + kCellWidth / 2, top - 8, "", genotype_of(row_.sites.back(), column));
      for (std::size_t row = 0; row < engine::kSiteGenotypes; ++row)
        draw_cell(row_.table.cells[kSquare * square + engine::kSiteGenotypes * row + column],
                  across(beside, column), at(band, row));
    }
  }

  void draw_cell(const engine::Cell& people, double x, double y) {
    const bool empty = people[0] + people[1] == 0;
    const std::size_t colour = empty ? 0 : colour_of(share_of(people));
    put_box(empty ? "nobody" : fmt::format("share{}", colour), x, y, kCellWidth, kCellHeight);
    if (empty) return put_text(x + kCellWidth / 2, y + kCellHeight / 2 + 4, "", "nobody");
    const char* const on = colour < kFirstDark ? "on-light" : "on-dark";
    put_text(x + kCellWidth / 2, y + 24, fmt::format("named {}", on), share_text(people));
    put_text(x + kCellWidth / 2, y + 43, on,
             fmt::format("{} / {}", with_commas(people[1]), with_commas(people[0])));
  }

  void draw_legend(double end) {
    constexpr double kBox = kCellWidth;
    const double y = end + 20;
    picture_.text(kLeft - 10, y + 14, "end", "share of cases");
    for (std::size_t i = 0; i < kColours; ++i) {
      const double x = kLeft + kBox * static_cast<double>(i);
      put_box(fmt::format("share{}", i), x, y, kBox, 20);
      put_text(x + kBox / 2, y + 14, i < kFirstDark ? "on-light" : "on-dark",
               fmt::format("{:.0f}-{:.0f} %", 100.0 * static_cast<double>(i) / kColours,
                           100.0 * static_cast<double>(i + 1) / kColours));
    }
  }

  void put_box(const std::string& kind, double x, double y, double width, double height) {
    picture_.add(
        fmt::format("<rect class=\"share {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", kind,
                    x, y, width, height));
  }
  void put_text(double x, double y, const std::string& kind, const std::string& words) {
    picture_.add(
        fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", kind,
                    x, y, page::escaped(words)));
  }

  const EpistasisRow& row_;
  std::size_t squares_;
  const Site& down_;
  page::SvgPicture picture_;
};

}  // namespace

std::string share_text(const engine::Cell& cell) {
  return fmt::format("{:.1f} %", 100 * share_of(cell));
}

std::string penetrance_figure(const EpistasisRow& row, const std::string& id) {
  Penetrance picture(row);
  const std::string drawn = picture.draw(id);
  return fmt::format(
      "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>{}</figcaption>\n</figure>\n",
      page::escaped(picture.title()), drawn, page::escaped(picture.said()));
}

}  // namespace fastid::epistasis
