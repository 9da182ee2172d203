#include "report/page/mixture_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "page/page.hpp"
#include "report/page/explanations.hpp"
#include "report/page/reads_chart.hpp"

namespace fastid::report {
namespace {

constexpr double kLeastPart = .001;  ///< of explanations and numbers that are listed

/// A bar that fills this part of its cell.
std::string part_bar(double part) {
  return fmt::format(
      "<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"bar\" width=\"{:.1f}\" height=\"8\"/></svg>",
      100 * std::clamp(part, 0., 1.));
}

std::string numbers_of_people(const match::MixtureEvidence& mixture) {
  page::HtmlTable table{.caption = "Numbers of contributors",
                        .head = {"Contributors", "Probability", "Of 1"},
                        .left = {false, false, true}};
  for (std::size_t i = 0; i < mixture.numbers.size(); ++i)
    if (mixture.numbers[i] >= kLeastPart)
      table.rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.3f}", mixture.numbers[i]),
                            part_bar(mixture.numbers[i])});
  return page::table_html(table);
}

/// Each contributor's share or drop-out by the likeliest explanation: the unknown contributors in the order
/// of their numbers, then the known ones.
std::string each_ones_part(const match::MatchTable& matches, const match::MixtureEvidence& mixture) {
  const match::MixtureSupport& best = likeliest_explanation(mixture);
  const bool shares = best.reads.has_value();
  page::HtmlTable table{
      .caption = "What each contributor left",
      .head = {"Contributor", shares ? "Share of the mixture" : "Share of the alleles that is lost", "Of 1"},
      .left = {true, false, true}};
  const auto add = [&](std::string who, double part) {
    table.rows.push_back({std::move(who), fmt::format("{:.2g}", part), part_bar(part)});
  };
  const std::vector<double> parts = unknown_parts(best);
  for (std::size_t i = 0; i < parts.size(); ++i) add(fmt::format("{} of {}", i + 1, parts.size()), parts[i]);
  const std::vector<match::KnownPerson>& known = matches.provenance.evidence.known;
  for (std::size_t i = 0; i < best.known.size(); ++i)
    add(i < known.size() ? fmt::format("<bdi>{}</bdi>, known", page::escaped(known[i].name)) : "known",
        best.known[i]);
  return fmt::format("<p>{}</p>\n", shares ? "By the likeliest explanation the contributors left:"
                                           : "By the likeliest explanation the contributors lost:") +
         page::table_html(table);
}

/// For the likeliest number of contributors: the places of unknown contributors that have supports, and the
/// number of equal contributors that each place stands for.
std::map<std::size_t, std::size_t> places_of(const match::MixtureEvidence& mixture) {
  const unsigned contributors = likeliest_explanation(mixture).contributors;
  std::map<std::size_t, std::size_t> places;
  for (const match::MixtureSupport& support : mixture.supports) {
    if (support.contributors != contributors) continue;
    const auto alike = 1 + static_cast<std::size_t>(std::ranges::count(support.unknown, support.own));
    const auto [at, is_new] = places.emplace(support.place(), alike);
    if (!is_new) at->second = std::min(at->second, alike);
  }
  return places;
}

std::string explanations_table(const match::QueryMatches& query) {
  const match::MixtureEvidence& mixture = *query.evidence.mixture;
  const auto list = [](const std::vector<double>& numbers) {
    return numbers.empty() ? std::string("-") : fmt::format("{:.2g}", fmt::join(numbers, ", "));
  };
  const bool by_reads = mixture.depths.has_value();
  page::HtmlTable table{
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
  for (const match::MixtureSupport& support : mixture.supports) {
    if (support.weight < kLeastPart) continue;
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        fmt::format("{}", support.contributors), fmt::format("{:.2g}", support.own), list(support.unknown),
        list(support.known), fmt::format("{:.3f}", support.weight)});
    if (support.reads)
      row.insert(
          row.end(),
          {fmt::format("{:.3g}", support.reads->concentration),
           support.reads->of_peaks || fits_error(query) ? fmt::format("{:.2g}", support.reads->error) : "-",
           support.reads->kin.empty() ? "unrelated" : support.reads->kin});
  }
  return "<details><summary>All explanations that have a weight</summary>\n" + page::table_html(table) +
         "</details>\n";
}

}  // namespace

std::string how_many_people(const match::MatchTable& matches, const match::QueryMatches& query,
                            std::size_t number) {
  if (!query.evidence.mixture) return "";
  const match::MixtureEvidence& mixture = *query.evidence.mixture;
  return "<h3>How many people left it</h3>\n" + numbers_of_people(mixture) +
         each_ones_part(matches, mixture) + reads_figure(query, fmt::format("reads-{}", number)) +
         explanations_table(query);
}

std::string what_of_each(const match::QueryMatches& query) {
  if (!query.evidence.mixture || query.evidence.mixture->people.empty()) return "";
  const match::MixtureEvidence& mixture = *query.evidence.mixture;
  const bool shares = mixture.depths.has_value();
  page::HtmlTable table{.caption = "How much of each contributor is known",
                        .head = {"Contributor", shares ? "Share" : "Drop-out",
                                 "Sites with one genotype at .99", "Of sites called"},
                        .left = {true, false, false, false}};
  const std::size_t unknown = unknown_parts(likeliest_explanation(mixture)).size();
  const std::map<std::size_t, std::size_t> places = places_of(mixture);
  if (places.size() != mixture.people.size()) return "";  // cannot be: both are of the same explanations
  auto place = places.begin();
  for (const match::MixtureContributor& person : mixture.people) {
    const auto [first, alike] = *place++;
    table.rows.push_back(
        {alike == 1         ? fmt::format("{} of {}", first, unknown)
         : alike == unknown ? fmt::format("each of {}, who are alike", unknown)
                            : fmt::format("{} to {} of {}, who are alike", first, first + alike - 1, unknown),
         fmt::format("{:.2g}", person.left), with_commas(person.certain), with_commas(person.sites)});
  }
  return "<h3>What can be said of each of them</h3>\n<p>At so many sites one genotype of an unknown "
         "contributor "
         "has a probability of .99 or more, given the mixture. <code>--deconvolve</code> writes all "
         "probabilities, by which the person, or a relative, can be looked for.</p>\n" +
         page::table_html(table);
}

}  // namespace fastid::report
