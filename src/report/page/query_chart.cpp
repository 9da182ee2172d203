#include "report/page/query_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/chart.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "report/page/finding.hpp"

namespace fastid::report {
namespace {

constexpr std::size_t kMostBars = 120;
constexpr double kSeen = 0.5;  ///< fewest expected profiles that the curve shows

/// One past the last count that the chart must show.
std::size_t counts_shown(const match::QueryHistogram& histogram, const match::QueryMatches& query) {
  std::size_t end = 1;
  for (std::size_t k = 0; k < histogram.profiles.size(); ++k)
    if (histogram.profiles[k] > 0 || (k < histogram.expected.size() && histogram.expected[k] >= kSeen / 10))
      end = k + 1;
  for (const match::MatchRow& row : query.rows)
    end = std::max<std::size_t>(end, std::size_t{row.counts.count} + 1);
  for (const match::RelationMark& mark : histogram.marks)
    end = std::max(end, static_cast<std::size_t>(mark.mean + 2 * mark.sd) + 1);
  return std::min(end, histogram.profiles.size());
}

/// The counts first .. last, combined so that there are not too many bars.
struct Bin {
  std::size_t first = 0, last = 0;
  std::uint64_t profiles = 0;
  double expected = 0;
  std::uint64_t listed = 0;  ///< listed rows
};

std::vector<Bin> bins_of(const match::QueryMatches& query, std::size_t end) {
  const match::QueryHistogram& histogram = *query.histogram;
  const std::size_t width = ceil_div(end, kMostBars);
  std::vector<Bin> bins;
  for (std::size_t first = 0; first < end; first += width) {
    Bin bin{first, std::min(first + width, end) - 1};
    for (std::size_t k = bin.first; k <= bin.last; ++k) {
      bin.profiles += histogram.profiles[k];
      if (k < histogram.expected.size()) bin.expected += histogram.expected[k];
    }
    bins.push_back(bin);
  }
  for (const match::MatchRow& row : query.rows)
    if (row.counts.count < end) ++bins[row.counts.count / width].listed;
  return bins;
}

std::string looked_at(const match::MatchTable& matches, const match::QueryHistogram& histogram) {
  return counted(histogram.n_profiles, match::stored(matches));
}

std::string description(const match::MatchTable& matches, const match::QueryMatches& query) {
  const match::QueryHistogram& histogram = *query.histogram;
  std::string text = fmt::format("{} of the database, by their number of {}.", looked_at(matches, histogram),
                                 match::differences(matches.comparison, matches.by));
  if (!query.rows.empty())
    text += fmt::format(" The {} ranked first has {}.", match::stored(matches),
                        with_commas(query.rows.front().counts.count));
  for (const match::RelationMark& mark : histogram.marks)
    text += fmt::format(" Expected of {}: {:.1f}, standard deviation {:.1f}.", mark.name, mark.mean, mark.sd);
  return text;
}

bool is_relatives(const match::RelationMark& mark) {
  return mark.name != "same person" && mark.name != "unrelated";
}

/// A triangle for each listed profile. Profiles that stand apart are named; where none does, the first is
/// named.
std::vector<page::Chart::Pointer> pointers_of(const match::MatchTable& matches,
                                              const match::QueryMatches& query) {
  constexpr std::size_t kMostNamed = 5, kLongest = 24;
  std::vector<page::Chart::Pointer> pointers;
  for (const match::MatchRow& row : query.rows)
    pointers.push_back({static_cast<double>(row.counts.count), ""});
  const std::vector<std::size_t> apart = finding_of(matches, query).apart;
  for (std::size_t i = 0; i < std::min(apart.size(), kMostNamed); ++i)
    pointers[apart[i]].label = printable(query.rows[apart[i]].profile, kLongest);
  if (apart.empty() && !pointers.empty()) pointers[0].label = "first listed";
  std::ranges::stable_sort(pointers, {}, &page::Chart::Pointer::at);
  return pointers;
}

page::Chart chart_of(const match::MatchTable& matches, const match::QueryMatches& query,
                     const std::vector<Bin>& bins) {
  const match::QueryHistogram& histogram = *query.histogram;
  page::Chart chart{
      .title = fmt::format("Histogram of {}", match::differences(matches.comparison, matches.by)),
      .description = description(matches, query),
      .x_title = match::differences(matches.comparison, matches.by),
      .y_title = fmt::format("{}s (log scale)", match::stored(matches)),
      .x_low = -0.5,
      .x_high = static_cast<double>(bins.back().last) + 0.5};
  for (const Bin& bin : bins) {
    const double from = static_cast<double>(bin.first) - 0.5, to = static_cast<double>(bin.last) + 0.5;
    chart.bars.push_back({from, to, static_cast<double>(bin.profiles)});
    const double quarter = (to - from) / 4;  // narrower, so that the bar behind it is visible
    chart.listed.push_back({from + quarter, to - quarter, static_cast<double>(bin.listed)});
    if (!histogram.expected.empty()) chart.curve.push_back({(from + to) / 2, bin.expected});
  }
  for (const match::RelationMark& mark : histogram.marks)
    chart.marks.push_back({mark.name, mark.mean, mark.sd, is_relatives(mark)});
  chart.pointers = pointers_of(matches, query);
  return chart;
}

/// Compares the distribution of the database with that of the model.
std::string spreads(const match::QueryMatches& query) {
  const match::QueryHistogram& histogram = *query.histogram;
  if (!histogram.own || !histogram.model) return "";
  std::string text = fmt::format(
      " The bars&#39; centre is {:.1f} and their spread {:.1f}; the line&#39;s, {:.1f} and {:.1f}.",
      histogram.own->centre, histogram.own->spread, histogram.model->centre, histogram.model->spread);
  if (query.strangers && query.strangers->nearer)
    text +=
        " The nearest profiles come nearer than the line has it, so that chance matches rest on likelihood "
        "ratios.";
  return text;
}

/// The caption as html.
std::string caption(const match::MatchTable& matches, const match::QueryMatches& query) {
  const match::QueryHistogram& histogram = *query.histogram;
  std::string text =
      histogram.step == 1
          ? fmt::format("Bars: all {} that were searched.", looked_at(matches, histogram))
          : fmt::format("Bars: a systematic sample of {} out of {} searched (of each {} blocks of 32, one).",
                        looked_at(matches, histogram), with_commas(matches.provenance.searched.n_profiles),
                        with_commas(histogram.step));
  if (const std::uint64_t n = histogram.not_comparable; n > 0)
    text += fmt::format(" {} of them {} no called site in common with the query, and {} in no bar.",
                        with_commas(n), n == 1 ? "has" : "have", n == 1 ? "is" : "are");
  if (!histogram.expected.empty())
    text += fmt::format(" Line: as many unrelated people of population {}, expected by {} alone{}.",
                        page::escaped(query.evidence.populations[query.evidence.worst].name),
                        match::differences(matches.comparison, matches.by),
                        query.evidence.populations.size() > 1
                            ? "; the bars are of the people of the database, whatever their population"
                            : "");
  if (!query.rows.empty())
    text += fmt::format(" Triangles and dark bars: the {}s that are listed{}.", match::stored(matches),
                        histogram.step == 1 ? "" : ", be they of the sample or not");
  if (!histogram.marks.empty())
    text +=
        " Above: the mean and two standard deviations to each side for the same person, for relatives "
        "(shaded) and for unrelated people.";
  return text + spreads(query);
}

std::string numbers_table(const match::MatchTable& matches, const match::QueryMatches& query,
                          const std::vector<Bin>& bins) {
  const bool curve = !query.histogram->expected.empty();
  page::HtmlTable table{.caption = fmt::format("Histogram of {} as numbers",
                                               match::differences(matches.comparison, matches.by)),
                        .head = {"From", "To", page::capitalized(match::stored(matches)) + "s"},
                        .left = {false, false, false, false}};
  if (curve)
    table.head.push_back(fmt::format("Expected of unrelated people by {} alone",
                                     match::differences(matches.comparison, matches.by)));
  for (const Bin& bin : bins) {
    if (bin.profiles == 0 && bin.expected < 0.01) continue;
    table.rows.push_back({with_commas(bin.first), with_commas(bin.last), with_commas(bin.profiles)});
    if (curve) table.rows.back().push_back(fmt::format("{:.2f}", bin.expected));
  }
  return "<details class=\"numbers\"><summary>The same as numbers</summary>\n" + page::table_html(table) +
         "</details>\n";
}

}  // namespace

std::string histogram_figure(const match::MatchTable& matches, const match::QueryMatches& query,
                             const std::string& id) {
  if (!query.histogram) return "";
  if (query.histogram->not_comparable == query.histogram->n_profiles)
    return fmt::format("<p>None of {} has a called site in common with the query.</p>\n",
                       looked_at(matches, *query.histogram));
  const std::vector<Bin> bins = bins_of(query, counts_shown(*query.histogram, query));
  const page::Chart chart = chart_of(matches, query, bins);
  return fmt::format(
      "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>{}</figcaption>\n</figure>\n{}",
      page::escaped(chart.title), page::svg(chart, id), caption(matches, query),
      numbers_table(matches, query, bins));
}

}  // namespace fastid::report
