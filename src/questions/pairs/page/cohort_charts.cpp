#include "questions/pairs/page/cohort_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"
#include "questions/pairs/page/cohort_words.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {
namespace {

constexpr double kWidth = 800, kLegendRow = 20, kLegendSquare = 11;
constexpr std::size_t kLongestLabel = 24;

std::string figure(const std::string& title, const std::string& svg, const std::string& caption) {
  return fmt::format(
      "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>{}</figcaption>\n</figure>\n",
      page::escaped(title), svg, page::escaped(caption));
}

/// Draws the legend of colours, with a line for each relation. \return the y position below it
double draw_legend(page::SvgPicture& picture, const std::vector<std::size_t>& relations, double x, double y) {
  for (const std::size_t relation : relations) {
    picture.add(
        fmt::format("<rect class=\"cells rel{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n",
                    relation, x, y, kLegendSquare, kLegendSquare));
    picture.text(x + kLegendSquare + 7, y + kLegendSquare - 1, "start",
                 fmt::format("{}: {}", relation_words()[relation].name, relation_words()[relation].words));
    y += kLegendRow;
  }
  return y;
}

std::string capped(const std::string& label) {
  return printable(label, kLongestLabel);
}

/// The members that the matrix shows, by group.
class Matrix {
 public:
  explicit Matrix(const CohortTable& cohort) : cohort_(cohort) {
    for (const CohortGroup& group : cohort.groups) {
      if (!groups_.empty() && members_.size() + group.members.size() > kMostNamedMembers) break;
      groups_.push_back(members_.size());
      for (std::size_t i = 0; i < std::min(kMostMatrixMembers, group.members.size()); ++i) {
        places_.emplace(group.members[i].profile, members_.size());
        members_.push_back(group.members[i].profile);
      }
    }
    const double room = kWidth - kNames - kGroupName;
    cell_ = std::min(18.0, room / static_cast<double>(members_.size()));
  }

  std::string draw() {
    put_cells();
    for (std::size_t g = 0; g < groups_.size(); ++g) draw_group(g);
    draw_cells();
    if (has_names())
      for (std::size_t i = 0; i < members_.size(); ++i)
        picture_.text(kNames - 6, at(i) + cell_ / 2 + 4, "end", capped(label_of(cohort_, members_[i])));
    std::vector<std::size_t> relations;
    for (const auto& [relation, path] : cells_) relations.push_back(relation);
    const double end = draw_legend(picture_, relations, kNames, at(members_.size()) + 14);
    return picture_.finish("groups", kWidth, end, title(), caption());
  }

  std::string title() const { return "Groups as a matrix"; }

  std::string caption() const {
    return shown() +
           ", each member against each other one of its group, in the order of the table below. The colour "
           "of a "
           "square is the relation of the two; where there is none they are no close pair.";
  }

 private:
  static constexpr double kNames = 180, kGroupName = 80;

  bool has_names() const { return members_.size() <= kMostNamedMembers; }

  std::string shown() const {
    const std::string all = counted(cohort_.groups.size(), "group");
    const std::size_t first = cohort_.groups[0].members.size();
    if (first > members_.size())
      return fmt::format("The first {} of {} of the largest of {}", with_commas(members_.size()),
                         counted(first, "member"), all);
    if (groups_.size() == cohort_.groups.size()) return "All " + all;
    return fmt::format("{} of {}, the largest", with_commas(groups_.size()), all);
  }

  double at(std::size_t place) const { return 8 + cell_ * static_cast<double>(place); }
  double across(std::size_t place) const { return kNames + cell_ * static_cast<double>(place); }
  std::size_t end_of(std::size_t group) const {
    return group + 1 < groups_.size() ? groups_[group + 1] : members_.size();
  }

  /// Draws each pair twice, with the squares of each relation in one path.
  void put_cells() {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::size_t index : cohort_.groups[g].pairs) {
        const CohortPair& pair = cohort_.pairs[index];
        const auto a = places_.find(pair.first), b = places_.find(pair.second);
        if (a == places_.end() || b == places_.end()) continue;
        std::string& path = cells_[place_of(pair.relation)];
        put_square(a->second, b->second, path);
        put_square(b->second, a->second, path);
      }
  }
  void put_square(std::size_t column, std::size_t row, std::string& path) const {
    path +=
        fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", across(column), at(row), cell_, cell_, cell_);
  }

  void draw_group(std::size_t g) {
    const std::size_t first = groups_[g];
    const double side = cell_ * static_cast<double>(end_of(g) - first);
    picture_.add(fmt::format(
        "<rect class=\"self\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{2:.1f}\"/>\n",
        across(first), at(first), side));
    picture_.add(fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z\"/>\n",
                             across(first), at(first), side, side, side));
    picture_.text(across(first) + side + 6, at(first) + 13, "start", fmt::format("group {}", g + 1));
  }

  void draw_cells() {
    for (const auto& [relation, path] : cells_)
      picture_.add(fmt::format("<path class=\"cells rel{}\" d=\"{}\"/>\n", relation, path));
  }

  const CohortTable& cohort_;
  std::vector<std::size_t> members_;           ///< profiles
  std::vector<std::size_t> groups_;            ///< of each the place of its first member
  std::map<std::size_t, std::size_t> places_;  ///< of profiles
  std::map<std::size_t, std::string> cells_;   ///< paths, by relation
  double cell_ = 0;
  page::SvgPicture picture_;
};

/// A plot of pairs: kinship upwards; to the right, the share of sites at which both are homozygous for
/// different alleles.
class Scatter {
 public:
  explicit Scatter(const CohortTable& cohort) : by_relation_(relation_words().size()) {
    for (const CohortPair& pair : cohort.pairs)
      if (const match::ClosePair& close = pair.close; !std::isnan(close.kinship) && close.compared > 0)
        by_relation_[place_of(pair.relation)].push_back({share(close), close.kinship});
    for (std::vector<Dot>& dots : by_relation_) {
      n_all_ += dots.size();
      thin(dots);
      n_shown_ += dots.size();
      for (const Dot& dot : dots) {
        most_share_ = std::max(most_share_, dot.share);
        least_kinship_ = std::min(least_kinship_, dot.kinship);
      }
    }
    most_share_ = std::max(0.01, most_share_ * 1.05);
  }

  bool has_dots() const { return n_all_ > 0; }

  std::string draw() {
    draw_axes();
    std::vector<std::size_t> relations;
    for (std::size_t i = by_relation_.size(); i-- > 0;) {  // the closest are few, and drawn last
      if (by_relation_[i].empty()) continue;
      relations.insert(relations.begin(), i);
      draw_dots(i);
    }
    const double end = draw_legend(picture_, relations, kLeft, kBottom + 56);
    return picture_.finish("kinship", kWidth, end, title(), caption());
  }

  std::string title() const { return "Kinship against IBS0"; }

  std::string caption() const {
    return fmt::format(
        "{} by kinship, and by the share of their sites at which they are homozygous for different alleles, "
        "which parent and child never are but for errors. Lines: KING's bounds of the same person and of "
        "relatives of the first, second and third degree.",
        n_shown_ == n_all_
            ? fmt::format("All {}", counted(n_all_, "pair"))
            : fmt::format("{} of {}, evenly chosen of each relation that has more than {},",
                          with_commas(n_shown_), counted(n_all_, "pair"), with_commas(kMostDots)));
  }

 private:
  struct Dot {
    double share = 0, kinship = 0;
  };
  static constexpr double kLeft = 64, kRight = 650, kTop = 12, kBottom = 372;

  static double share(const match::ClosePair& close) {
    return close.ibs0 / static_cast<double>(close.compared);
  }

  /// Keeps every n-th dot, by kinship.
  static void thin(std::vector<Dot>& dots) {
    if (dots.size() <= kMostDots) return;
    std::ranges::sort(dots, {}, [](const Dot& dot) { return std::pair(dot.kinship, dot.share); });
    const std::size_t step = ceil_div(dots.size(), kMostDots);
    std::vector<Dot> kept;
    for (std::size_t i = 0; i < dots.size(); i += step) kept.push_back(dots[i]);
    dots = std::move(kept);
  }

  double x(double share) const { return kLeft + (kRight - kLeft) * share / most_share_; }
  double y(double kinship) const {
    return kBottom - (kBottom - kTop) * (kinship - least_kinship_) / (0.52 - least_kinship_);
  }

  void draw_axes() {
    using stats::Degree;
    for (const auto& [degree, words] : {std::pair{Degree::kSame, "same"},
                                        {Degree::kFirst, "1st degree"},
                                        {Degree::kSecond, "2nd degree"},
                                        {Degree::kThird, "3rd degree"}}) {
      const double bound = stats::least_kinship(degree);
      if (bound < least_kinship_) continue;
      picture_.line("mean", kLeft, y(bound), kRight, y(bound));
      picture_.text(kRight + 6, y(bound) + 4, "start", fmt::format("{:g} {}", bound, words));
    }
    picture_.line("axis", kLeft, kBottom, kRight, kBottom);
    picture_.line("axis", kLeft, kTop, kLeft, kBottom);
    const double step = page::nice_step(most_share_, 8, false);
    for (int tick = 0; step * tick <= most_share_; ++tick) {
      picture_.line("axis", x(step * tick), kBottom, x(step * tick), kBottom + 5);
      picture_.text(x(step * tick), kBottom + 18, "middle", page::tick_text(step * tick));
    }
    constexpr double kStep = 0.1;
    for (int tick = static_cast<int>(std::ceil(least_kinship_ / kStep)); tick <= 5; ++tick)
      picture_.text(kLeft - 6, y(kStep * tick) + 4, "end", page::tick_text(kStep * tick));
    picture_.text((kLeft + kRight) / 2, kBottom + 40, "middle", "IBS0, as a share of the sites compared");
    picture_.upright((kTop + kBottom) / 2, "kinship");
  }

  /// Points are lines of no length with round ends, all of a relation in one path; first their edges.
  void draw_dots(std::size_t relation) {
    std::string path;
    for (const Dot& dot : by_relation_[relation])
      path += fmt::format("M{:.1f} {:.1f}h0", x(dot.share), y(dot.kinship));
    picture_.add(fmt::format("<path class=\"dots edge\" d=\"{}\"/>\n", path));
    picture_.add(fmt::format("<path class=\"dots rel{}\" d=\"{}\"/>\n", relation, path));
  }

  std::vector<std::vector<Dot>> by_relation_;  ///< in the order of relation_words()
  std::uint64_t n_all_ = 0, n_shown_ = 0;
  double most_share_ = 0, least_kinship_ = 0;
  page::SvgPicture picture_;
};

}  // namespace

std::string groups_figure(const CohortTable& cohort) {
  if (cohort.groups.empty()) return "";
  Matrix matrix(cohort);
  const std::string svg = matrix.draw();
  return figure(matrix.title(), svg, matrix.caption());
}

std::string kinship_figure(const CohortTable& cohort) {
  Scatter scatter(cohort);
  if (!scatter.has_dots()) return "";
  const std::string svg = scatter.draw();
  return figure(scatter.title(), svg, scatter.caption());
}

}  // namespace fastid::pairs
