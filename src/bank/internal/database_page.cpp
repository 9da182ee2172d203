#include "bank/internal/database_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "page/chart.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"

namespace fastid::bank {
namespace {

constexpr std::size_t kBins = 50;

/// The counts of shares between `low` and 1 in equal bins; the last bin includes 1.
std::vector<page::Chart::Bar> bars_of(const std::vector<std::pair<double, std::uint64_t>>& shares,
                                      double low) {
  std::vector<page::Chart::Bar> bars(kBins);
  const double width = (1 - low) / kBins;
  for (std::size_t i = 0; i < kBins; ++i)
    bars[i] = {low + width * static_cast<double>(i), low + width * static_cast<double>(i + 1), 0};
  for (const auto& [share, n] : shares) {
    const auto bin = static_cast<std::size_t>(std::max(0., (share - low) / width));
    bars[std::min(bin, kBins - 1)].height += static_cast<double>(n);
  }
  return bars;
}

struct Picture {
  std::string title, x_title, y_title, id;
  bool from_zero = true;  ///< false: from a round number below the lowest share
  bool log_scale = false;
};

std::string figure(const Picture& picture, const std::vector<std::pair<double, std::uint64_t>>& shares) {
  double lowest = 1, sum = 0;
  std::uint64_t n = 0;
  for (const auto& [share, count] : shares) {
    if (count == 0) continue;
    lowest = std::min(lowest, share);
    sum += share * static_cast<double>(count);
    n += count;
  }
  if (n == 0) return "";
  const double low = picture.from_zero ? 0 : std::max(0., std::floor(lowest * 20 - 0.5) / 20);
  page::Chart chart{.title = picture.title,
                    .x_title = picture.x_title,
                    .y_title = picture.y_title + (picture.log_scale ? " (log scale)" : ""),
                    .x_low = low,
                    .x_high = 1,
                    .x_whole = false,
                    .log_scale = picture.log_scale,
                    .bars = bars_of(shares, low)};
  const std::string said =
      fmt::format("{}: lowest {:.4f}, mean {:.4f}.", picture.title, lowest, sum / static_cast<double>(n));
  chart.description = said;
  return fmt::format(
      "<h3>{0}</h3>\n<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\">\n{1}</div>\n"
      "<figcaption>{2}</figcaption>\n</figure>\n",
      page::escaped(picture.title), page::svg(chart, picture.id), page::escaped(said));
}

std::vector<std::pair<double, std::uint64_t>> one_each(const std::vector<double>& shares) {
  std::vector<std::pair<double, std::uint64_t>> counted;
  for (const double share : shares) counted.push_back({share, 1});
  return counted;
}

std::string call_rates(const DatabasePage& database) {
  std::vector<std::pair<double, std::uint64_t>> profiles;
  const double sites = static_cast<double>(database.profiles_by_called.size() - 1);
  for (std::size_t called = 0; called < database.profiles_by_called.size(); ++called)
    profiles.push_back({static_cast<double>(called) / sites, database.profiles_by_called[called]});
  return figure({"Call rate of profiles", "share of the sites that a profile has called", "profiles",
                 "profile-calls", false, true},
                profiles) +
         figure({"Call rate of sites", "share of the profiles that have a site called", "sites", "site-calls",
                 false, true},
                one_each(database.call_rates));
}

std::string frequencies(const DatabasePage& database) {
  std::string html;
  for (std::size_t p = 0; p < database.populations.size(); ++p)
    html += figure({"Minor-allele frequencies: " + database.populations[p].population, "frequency", "sites",
                    fmt::format("population-{}", p + 1)},
                   one_each(database.populations[p].minor));
  return html + figure({"Carriers among the profiles", "share of called profiles that carry the minor allele",
                        "sites", "carriers"},
                       one_each(database.carrier_shares));
}

page::HtmlTable limits_table(const DatabasePage& database) {
  page::HtmlTable table{
      .caption = "What the panel can prove",
      .head = {"Population", "Mismatch limit", "Chance matches without a mismatch",
               "Probability that two unrelated people show the same bits", "Contributors at most"},
      .left = {true, false, false, false, false}};
  for (const auto& [population, figures, kin, degrees] : database.powers)
    table.rows.push_back(
        {page::escaped(population), figures.mismatch_limit ? with_commas(*figures.mismatch_limit) : "none",
         page::chance_html(figures.log10_expected_at_0), page::chance_html(figures.log10_match_probability),
         fmt::format("{}", figures.max_contributors)});
  return table;
}

page::HtmlTable relatives_table(const DatabasePage& database) {
  page::HtmlTable table{.caption = "Mismatches to expect",
                        .head = {"Population", "Same person", "Parent or child", "Full sibling", "Unrelated"},
                        .left = {true, false, false, false, false}};
  const auto spread = [](const stats::Expected& expected) {
    return fmt::format("{:.1f} (sd {:.1f})", expected.mean, expected.sd);
  };
  for (const auto& [population, figures, kin, degrees] : database.powers)
    table.rows.push_back({page::escaped(population), spread(figures.same), spread(figures.parent_child),
                          spread(figures.siblings), spread(figures.unrelated)});
  return table;
}

/// How well degrees are told, by simulated relatives; empty where no site has a position.
std::string degrees_html(const DatabasePage& database) {
  page::HtmlTable table{
      .caption = "Degrees that the panel can tell",
      .head = {"Population", "Degree", "Pairs", "Named right", "Undecided", "Another named"},
      .left = {true, true, false, false, false, false}};
  for (const DatabasePage::Power& of : database.powers)
    for (const asking::DegreeRates& rates : of.degrees)
      table.rows.push_back({page::escaped(of.population), std::string(rates.name), with_commas(rates.pairs),
                            with_commas(rates.right), with_commas(rates.undecided),
                            with_commas(rates.pairs - rates.right - rates.undecided)});
  if (table.rows.empty()) return "";
  return fmt::format(
      "{}<p>Of simulated pairs to the fifth degree, who share stretches along the genetic map, and of "
      "strangers: "
      "how "
      "often their degree is named, by genotypes ten times as probable as under any other degree. 1.5 is a "
      "three-quarter sibling.</p>\n",
      page::table_html(table));
}

/// The section on kinship; empty where the database does not say which alleles were seen.
std::string kin(const DatabasePage& database) {
  page::HtmlTable table{.caption = "Relatives that the panel can tell site by site",
                        .head = {"Population", "Relation", "Log10 LR against unrelated people",
                                 "Decided right", "Undecided", "Decided wrong"},
                        .left = {true, true, false, false, false, false}};
  const auto share = [](double rate) { return fmt::format("{:.1f} %", 100 * rate); };
  for (const auto& [population, figures, power, degrees] : database.powers)
    for (std::size_t r = 0; power && r < stats::kRelations; ++r) {
      const stats::KinPower::Kin& of = power->kin[r];
      const bool unrelated = r == static_cast<std::size_t>(stats::Relation::kUnrelated);
      table.rows.push_back(
          {page::escaped(population), std::string(stats::name_of(static_cast<stats::Relation>(r))),
           unrelated ? "0" : fmt::format("{:.1f} (sd {:.1f})", of.log10_lr.mean, of.log10_lr.sd),
           share(of.right), share(of.undecided), share(of.wrong)});
    }
  if (table.rows.empty()) return "";
  return fmt::format(
      "<h3>Relatives to tell</h3>\n{}{}<p>Of pairs of people with a relation whose sites are unlinked, by "
      "the "
      "genotypes of both: the likelihood ratio to expect of it, and how often it is the one that is decided "
      "for. A relation is decided for where it makes the genotypes {:g} times as probable as any other does. "
      "Real relatives share stretches, and vary more.</p>\n",
      degrees_html(database), page::table_html(table), std::pow(10, stats::kLeastMargin));
}

std::string power(const DatabasePage& database) {
  if (database.powers.empty()) return "";
  return fmt::format(
      "<h2>What the panel can prove</h2>\n<p>Of a typical query with every site called, among {}, with theta "
      "{:g}. Loci are taken to be unlinked.</p>\n{}<p>Mismatch limit: the largest number of mismatches at "
      "which fewer than {:g} chance matches are expected; where there is none, chance brings even profiles "
      "that are equal. Contributors: the most of a mixture that is not expected to show all minor alleles of "
      "an unrelated person's profile.</p>\n<h3>Mismatches to expect</h3>\n{}{}",
      counted(database.n_profiles, "profile"), database.theta, page::table_html(limits_table(database)),
      database.max_expected, page::table_html(relatives_table(database)), kin(database));
}

}  // namespace

std::string html(const DatabasePage& database) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [term, text] : database.facts)
    facts.push_back({page::capitalized(term), page::escaped(text)});
  std::string body = fmt::format("<header>\n<h1>Database {}</h1>\n</header>\n<main id=\"main\">\n",
                                 page::name_html(database.name));
  if (!database.linked.empty())
    body += "<p class=\"warn\">" + page::escaped(page::capitalized(database.linked)) + ".</p>\n";
  body += page::facts_html(facts) + power(database);
  body +=
      "<h2>Calls</h2>\n" + call_rates(database) + "<h2>Alleles</h2>\n" + frequencies(database) + "</main>\n";
  return page::page("Database " + database.name, body);
}

}  // namespace fastid::bank
