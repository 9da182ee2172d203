#include "report/page/mixture_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "page/page.hpp"
#include "report/page/reads_chart.hpp"

namespace fastid::report {
namespace {

constexpr double kLeastPart = .001;  ///< of explanations and numbers that are listed

/// A bar of this part of its cell.
std::string part_bar(double part) {
  return fmt::format(
      "<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"bar\" width=\"{:.1f}\" height=\"8\"/></svg>",
      100 * std::clamp(part, 0., 1.));
}

std::string numbers_of_people(const MixtureEvidence& mixture) {
  HtmlTable table{.caption = "Numbers of contributors",
                  .head = {"Contributors", "Probability", "Of 1"},
                  .left = {false, false, true}};
  for (std::size_t i = 0; i < mixture.numbers.size(); ++i)
    if (mixture.numbers[i] >= kLeastPart)
      table.rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.3f}", mixture.numbers[i]),
                            part_bar(mixture.numbers[i])});
  return table_html(table);
}

/// By the likeliest explanation.
std::string each_ones_part(const MixtureEvidence& mixture) {
  const MixtureSupport& best = *std::ranges::max_element(mixture.supports, {}, &MixtureSupport::weight);
  std::vector<std::pair<double, bool>> parts;  ///< and whether it is a known person's
  for (const double part : best.unknown) parts.emplace_back(part, false);
  parts.emplace_back(best.own, false);
  for (const double part : best.known) parts.emplace_back(part, true);
  const bool shares = best.reads.has_value();
  std::ranges::stable_sort(
      parts, [&](const auto& a, const auto& b) { return shares ? a.first > b.first : a.first < b.first; });
  HtmlTable table{
      .caption = "What each contributor left",
      .head = {"Contributor", shares ? "Share of the mixture" : "Share of the alleles that is lost", "Of 1"},
      .left = {true, false, true}};
  for (std::size_t i = 0; i < parts.size(); ++i)
    table.rows.push_back({fmt::format("{} of {}{}", i + 1, parts.size(), parts[i].second ? ", known" : ""),
                          fmt::format("{:.2g}", parts[i].first), part_bar(parts[i].first)});
  return fmt::format("<p>{}</p>\n", shares ? "By the likeliest explanation the contributors left:"
                                           : "By the likeliest explanation the contributors lost:") +
         table_html(table);
}

std::string explanations_table(const MixtureEvidence& mixture) {
  const auto list = [](const std::vector<double>& numbers) {
    return numbers.empty() ? std::string("-") : fmt::format("{:.2g}", fmt::join(numbers, ", "));
  };
  const bool by_reads = mixture.depths.has_value();
  HtmlTable table{
      .caption = "Explanations of weight .001 and more",
      .head = {"Contributors", by_reads ? "Share of the one in question" : "Drop-out of the one in question",
               "Of other unknown ones", "Of known ones", "Weight"},
      .left = {false, false, false, false, false}};
  if (by_reads) {
    const bool peaks = mixture.depths->of_peaks;
    for (const char* const column :
         {peaks ? "Height" : "Concentration", peaks ? "Variation" : "Error", "To each other"})
      table.head.push_back(column);
    table.left.insert(table.left.end(), {false, false, true});
  }
  for (const MixtureSupport& support : mixture.supports) {
    if (support.weight < kLeastPart) continue;
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        fmt::format("{}", support.contributors), fmt::format("{:.2g}", support.own), list(support.unknown),
        list(support.known), fmt::format("{:.3f}", support.weight)});
    if (support.reads)
      row.insert(row.end(), {fmt::format("{:.3g}", support.reads->concentration),
                             fmt::format("{:.2g}", support.reads->error),
                             support.reads->kin.empty() ? "unrelated" : support.reads->kin});
  }
  return "<details><summary>All explanations that have a weight</summary>\n" + table_html(table) +
         "</details>\n";
}

}  // namespace

std::string how_many_people(const QueryMatches& query, std::size_t number) {
  if (!query.evidence.mixture) return "";
  const MixtureEvidence& mixture = *query.evidence.mixture;
  return "<h3>How many people left it</h3>\n" + numbers_of_people(mixture) + each_ones_part(mixture) +
         reads_figure(mixture, fmt::format("reads-{}", number)) + explanations_table(mixture);
}

std::string what_of_each(const QueryMatches& query) {
  if (!query.evidence.mixture || query.evidence.mixture->people.empty()) return "";
  const MixtureEvidence& mixture = *query.evidence.mixture;
  const bool shares = mixture.depths.has_value();
  HtmlTable table{.caption = "How much of each contributor is known",
                  .head = {"Contributor", shares ? "Share" : "Drop-out", "Sites with one genotype at .99",
                           "Of sites called"},
                  .left = {true, false, false, false}};
  for (std::size_t i = 0; i < mixture.people.size(); ++i) {
    const MixtureContributor& person = mixture.people[i];
    table.rows.push_back({fmt::format("{} of {}", i + 1, mixture.people.size()),
                          fmt::format("{:.2g}", person.left), with_commas(person.certain),
                          with_commas(person.sites)});
  }
  return "<h3>What can be said of each of them</h3>\n<p>At so many sites one genotype of an unknown "
         "contributor "
         "has a probability of .99 or more, given the mixture. <code>--deconvolve</code> writes all "
         "probabilities, by which the person, or a relative, can be looked for.</p>\n" +
         table_html(table);
}

}  // namespace fastid::report
