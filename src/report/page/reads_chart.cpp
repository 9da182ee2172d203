#include "report/page/reads_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"
#include "report/page/explanations.hpp"
#include "stats/measured_stain.hpp"

namespace fastid::report {
namespace {

/// A set of the contributors' genotypes.
struct GenotypeSet {
  std::vector<unsigned> copies;  ///< minor copies of each contributor; who left most comes first
  double minor_share = 0;        ///< of the mixture's copies
};

std::vector<double> falling_shares(const match::MixtureSupport& support) {
  std::vector<double> shares = support.unknown;
  shares.insert(shares.end(), support.known.begin(), support.known.end());
  shares.push_back(support.own);
  std::ranges::sort(shares, std::greater<>());
  return shares;
}

/// The sets of genotypes, by share of the minor allele.
std::vector<GenotypeSet> genotype_sets(const std::vector<double>& shares) {
  constexpr unsigned kMostCopies = 2;
  std::vector<GenotypeSet> sets{{}};
  for (const double share : shares) {
    std::vector<GenotypeSet> longer;
    for (const GenotypeSet& set : sets)
      for (unsigned copies = 0; copies <= kMostCopies; ++copies) {
        longer.push_back(set);
        longer.back().copies.push_back(copies);
        longer.back().minor_share = std::min(1., set.minor_share + share * copies / kMostCopies);
      }
    sets = std::move(longer);
  }
  std::ranges::stable_sort(sets, {}, &GenotypeSet::minor_share);
  return sets;
}

class ReadsPicture {
 public:
  explicit ReadsPicture(const match::QueryMatches& query)
      : depths_(*query.evidence.mixture->depths),
        are_some_(depths_.sites.size() < query.called_sites),
        best_(likeliest_explanation(*query.evidence.mixture)),
        shares_(falling_shares(best_)),
        sets_(genotype_sets(shares_)) {
    for (const match::MixtureSite& site : depths_.sites)
      deepest_ = std::max(deepest_, static_cast<double>(site.total()));
    shallowest_ = deepest_;
    for (const match::MixtureSite& site : depths_.sites)
      shallowest_ = std::min(shallowest_, static_cast<double>(site.total()));
    deepest_ = std::max(deepest_, 2 * shallowest_);
  }

  std::string figure(const std::string& id) {
    if (with_bands())
      for (const GenotypeSet& set : sets_) draw_band(set);
    draw_axes();
    draw_sites();
    for (const GenotypeSet& set : sets_) draw_mean(set);
    if (with_bands()) draw_labels();
    const std::string title = "Reads of each site, and what the likeliest explanation expects";
    return fmt::format(
        "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n"
        "<figcaption>{}</figcaption>\n</figure>\n",
        title, picture_.finish(id, kWidth, kHeight, title, description()), caption());
  }

 private:
  static constexpr double kWidth = 800, kLeft = 64, kRight = 690, kTop = 28, kBottom = 388, kHeight = 440;
  static constexpr double kDeviations = 2;          ///< of a band to each side: 95 of 100 sites
  static constexpr std::size_t kMostWithBands = 2;  ///< contributors; of more, bands would lie on each other

  bool with_bands() const { return shares_.size() <= kMostWithBands; }

  double x(double reads) const {
    return kLeft + (kRight - kLeft) * std::log(reads / shallowest_) / std::log(deepest_ / shallowest_);
  }
  static double y(double share) { return kBottom - (kBottom - kTop) * share; }

  stats::ExpectedShare expected(const GenotypeSet& set, double reads) const {
    return stats::expected_share(set.minor_share, reads, {best_.reads->concentration, best_.reads->error});
  }

  /// Calls visit(x, expected) from the left to the right.
  template <class Visit>
  void along(const GenotypeSet& set, const Visit& visit) const {
    constexpr int kSteps = 32;
    for (int i = 0; i <= kSteps; ++i) {
      const double reads = shallowest_ * std::pow(deepest_ / shallowest_, static_cast<double>(i) / kSteps);
      visit(x(reads), expected(set, reads));
    }
  }

  void draw_band(const GenotypeSet& set) {
    std::string above, below;
    along(set, [&](double at, const stats::ExpectedShare& of) {
      above += fmt::format("{}{:.1f} {:.1f} ", above.empty() ? "M" : "L", at,
                           y(std::min(1., of.mean + kDeviations * of.sd)));
      below = fmt::format("L{:.1f} {:.1f} ", at, y(std::max(0., of.mean - kDeviations * of.sd))) + below;
    });
    picture_.add(fmt::format("<path class=\"band\" d=\"{}{}z\"/>\n", above, below));
  }

  void draw_mean(const GenotypeSet& set) {
    const double at = y(expected(set, deepest_).mean);
    picture_.line("mean", kLeft, at, kRight, at);
  }

  void draw_axes() {
    constexpr int kQuarters = 4;
    for (int i = 0; i <= kQuarters; ++i) {
      const double share = static_cast<double>(i) / kQuarters;
      picture_.line("grid", kLeft, y(share), kRight, y(share));
      picture_.text(kLeft - 6, y(share) + 4, "end", fmt::format("{:g} %", 100 * share));
    }
    picture_.upright((kTop + kBottom) / 2, "reads of the minor allele");
    picture_.line("axis", kLeft, kBottom, kRight, kBottom);
    for (double power = 1; power <= deepest_; power *= 10)
      for (const double times : {1., 2., 5.})
        if (const double reads = power * times; reads >= shallowest_ && reads <= deepest_) {
          picture_.line("axis", x(reads), kBottom, x(reads), kBottom + 5);
          picture_.text(x(reads), kBottom + 20, "middle", page::tick_text(reads));
        }
    picture_.text((kLeft + kRight) / 2, kBottom + 42, "middle", "reads of the site");
  }

  void draw_sites() {
    std::string path;
    for (const match::MixtureSite& site : depths_.sites) {
      const auto reads = static_cast<double>(site.total());
      path += fmt::format("M{:.1f} {:.1f}h0", x(reads), y(site.minor / reads));
    }
    picture_.add(fmt::format("<path class=\"sites\" d=\"{}\"/>\n", path));
  }

  /// Draws labels beside the bands, from the bottom; each at least a line above the one before.
  void draw_labels() {
    constexpr double kLine = 15, kGap = 14;
    double last = kBottom + 2 * kLine;
    std::vector<double> places;
    for (const GenotypeSet& set : sets_)
      places.push_back(last = std::min(y(expected(set, deepest_).mean), last - kLine));
    double lowest = kTop;  // labels that were pushed out of the picture go back
    for (std::size_t i = places.size(); i-- > 0;) {
      places[i] = std::max(places[i], lowest);
      lowest = places[i] + kLine;
    }
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      picture_.line("axis", kRight, y(expected(sets_[i], deepest_).mean), kRight + kGap - 2, places[i]);
      picture_.text(kRight + kGap, places[i] + 4, "start",
                    fmt::format("{}", fmt::join(sets_[i].copies, " + ")));
    }
    picture_.text(kWidth - 4, kTop - 14, "end", "copies of the minor allele");
  }

  /// Whether a site lies where a set of genotypes expects it.
  bool is_expected(const match::MixtureSite& site) const {
    const auto reads = static_cast<double>(site.total());
    const double share = site.minor / reads, hidden = (depths_.threshold - 1) / reads;
    return std::ranges::any_of(sets_, [&](const GenotypeSet& set) {
      const stats::ExpectedShare of = expected(set, reads);
      const double room =
          kDeviations * of.sd + (site.minor == 0 || site.major == 0 ? hidden : 0) + .5 / reads;
      return std::abs(share - of.mean) <= room;
    });
  }
  double expected_percent() const {
    const auto within = std::ranges::count_if(
        depths_.sites, [&](const match::MixtureSite& site) { return is_expected(site); });
    return 100 * static_cast<double>(within) / static_cast<double>(depths_.sites.size());
  }

  std::string explained_by() const {
    return fmt::format(
        "{}{}{}", counted(shares_.size(), "contributor"),
        shares_.size() == 1 ? "" : fmt::format(" with shares of {:.2f}", fmt::join(shares_, ", ")),
        best_.reads->kin.empty() ? "" : ", relatives of each other");
  }

  std::string description() const {
    return fmt::format(
        "{} by their number of reads, from {} to {}, and the share of these that show the minor allele. The "
        "likeliest explanation is {}; {:.0f} % of the sites lie where it expects them.",
        counted(depths_.sites.size(), "site"), with_commas(static_cast<std::uint64_t>(shallowest_)),
        with_commas(static_cast<std::uint64_t>(deepest_)), explained_by(), expected_percent());
  }

  std::string caption() const {
    std::string text = fmt::format(
        "Each point is a site: to the right how many reads it has, upwards which share of them shows the "
        "minor "
        "allele. {} shown{}. ",
        counted(depths_.sites.size(), "site") + (depths_.sites.size() == 1 ? " is" : " are"),
        are_some_ ? ", evenly chosen, to which the explanations are fitted" : "");
    text += fmt::format("{}: where the likeliest explanation, {}, expects sites",
                        with_bands() ? "Bands" : "Lines", explained_by());
    text += with_bands() ? ", 95 of 100 within a band" : ", one for each set of their genotypes";
    if (with_bands())
      text += shares_.size() == 1 ? "; beside it how many copies of the minor allele the contributor has"
                                  : "; beside it how many copies of the minor allele the contributors have, "
                                    "who left most first";
    return text + fmt::format(
                      ". {:.0f} % of the points lie where a set of genotypes expects them. Many that do not "
                      "would speak for a further contributor, or for sites that are typed badly.",
                      expected_percent());
  }

  const match::MixtureDepths& depths_;
  bool are_some_;  ///< not all sites are shown
  const match::MixtureSupport& best_;
  std::vector<double> shares_;
  std::vector<GenotypeSet> sets_;
  double shallowest_ = 1, deepest_ = 1;
  page::SvgPicture picture_;
};

}  // namespace

std::string reads_figure(const match::QueryMatches& query, const std::string& id) {
  const auto& mixture = query.evidence.mixture;
  if (!mixture || !mixture->depths || mixture->depths->sites.empty()) return "";
  return ReadsPicture(query).figure(id);
}

}  // namespace fastid::report
