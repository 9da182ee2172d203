#include "questions/pairs/page/cohort_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "questions/pairs/page/cohort_charts.hpp"
#include "questions/pairs/page/cohort_words.hpp"

namespace fastid::pairs {
namespace {

std::string label_html(const CohortTable& cohort, std::size_t profile) {
  return page::name_html(label_of(cohort, profile));
}

std::string labels_html(const CohortTable& cohort, const std::vector<std::size_t>& profiles,
                        const char* between) {
  std::string html;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (i == kMostMembers) return html + fmt::format(" and {} more", with_commas(profiles.size() - i));
    html += (i == 0 ? "" : between) + label_html(cohort, profiles[i]);
  }
  return html;
}

/// "The first 500 of 1,234 are listed. " where a table has not all.
std::string listed(std::size_t n, const char* which) {
  if (n <= kMostRows) return "";
  return fmt::format("<p>{} {} of {} are listed.</p>\n", which, with_commas(kMostRows), with_commas(n));
}

/// Kinship, sites and differences of a pair.
std::vector<std::string> figures_of(const CohortTable& cohort, const match::ClosePair& close) {
  const bool alleles = cohort.facts.by == Encoding::kAlleles;
  std::vector<std::string> cells;
  if (alleles) {
    cells.push_back(std::isnan(close.kinship) ? "NA" : page::signed_html(page::ratio_text(close.kinship, 4)));
    cells.push_back(with_commas(close.ibs0));
  }
  cells.push_back(with_commas(close.differing));
  cells.push_back(with_commas(close.compared));
  return cells;
}

void add_figures(const CohortTable& cohort, page::HtmlTable& table) {
  const bool alleles = cohort.facts.by == Encoding::kAlleles;
  std::vector<std::string> heads = {alleles ? "Alleles that differ" : "Mismatches", "Sites compared"};
  if (alleles) heads.insert(heads.begin(), {"Kinship", "IBS0"});
  table.head.insert(table.head.end(), heads.begin(), heads.end());
  table.left.insert(table.left.end(), heads.size(), false);
}

/// The pairs of one outcome.
std::string judged_table(const CohortTable& cohort, Outcome outcome, const char* title, const char* what) {
  const CohortExpectation& of = *cohort.expectation;
  const std::uint64_t n = of.number(outcome);
  if (n == 0) return "";
  const bool is_expected = outcome != Outcome::kUnexpected, is_found = outcome != Outcome::kMissing;
  page::HtmlTable table{.caption = title, .head = {"Profile", "Profile"}, .left = {true, true}};
  const auto add = [&](const char* head) {
    table.head.emplace_back(head);
    table.left.push_back(true);
  };
  if (is_expected) add("Expected");
  if (is_found) {
    add("Found");
    add_figures(cohort, table);
  }
  for (const JudgedPair& pair : of.judged) {
    if (pair.outcome != outcome || table.rows.size() == kMostRows) continue;
    std::vector<std::string> row = {label_html(cohort, pair.first), label_html(cohort, pair.second)};
    if (is_expected) row.emplace_back(pair.expected);
    if (pair.pair) {
      row.emplace_back(cohort.pairs[*pair.pair].relation);
      std::ranges::move(figures_of(cohort, cohort.pairs[*pair.pair].close), std::back_inserter(row));
    }
    table.rows.push_back(std::move(row));
  }
  const std::string body =
      fmt::format("<p>{}</p>\n{}{}", what, listed(n, "The first"), page::table_html(table));
  if (outcome == Outcome::kFound)
    return fmt::format("<details class=\"numbers\"><summary>{}: {}</summary>\n{}</details>\n", title,
                       counted(n, "pair"), body);
  return fmt::format("<h3>{}: {}</h3>\n{}", title, counted(n, "pair"), body);
}

std::string exchanges(const CohortTable& cohort) {
  const CohortExpectation& of = *cohort.expectation;
  std::string html;
  if (!of.exchanges.empty()) {
    page::HtmlTable table{
        .caption = "Labels that seem to be exchanged",
        .head = {"Labels", "Or else", "Missing pairs found", "Unexpected pairs gone", "Pairs newly wrong"},
        .left = {true, true, false, false, false}};
    for (const LabelExchange& exchange : of.exchanges) {
      if (table.rows.size() == kMostRows) break;
      const char* const between = exchange.profiles.size() == 2 ? " \u2194 " : " \u2192 ";
      std::string others;
      for (const std::vector<std::size_t>& other : exchange.alternatives)
        others += (others.empty() ? "" : "<br>") + labels_html(cohort, other, between);
      table.rows.push_back({labels_html(cohort, exchange.profiles, between), others,
                            with_commas(exchange.missing_found), with_commas(exchange.unexpected_gone),
                            with_commas(exchange.made_wrong)});
    }
    html += fmt::format(
        "<h3>Labels that seem to be exchanged: {}</h3>\n<p>Exchanged labels are swapped labels: each of two "
        "samples has the other one&#39;s. They are listed in turn: each row, of all exchanges that were "
        "possible after "
        "the rows before it, is the one that puts most pairs right, and more than one. Pairs newly wrong: "
        "pairs that are as expected now, and then would not be. It is a finding about pairs: it says that "
        "the data would be as expected if "
        "these labels were put right, not that somebody exchanged them. Or else: other labels whose exchange "
        "repairs as much, so that the data cannot tell which of the two it was. A \u2192 B \u2192 C: what is "
        "labelled A seems to be B, B to be C, and C to be A.</p>\n{}{}",
        with_commas(of.exchanges.size()), listed(of.exchanges.size(), "The first"), page::table_html(table));
  }
  if (of.exchanges_cut)
    html += "<p class=\"warn\">So many pairs are wrong that not all exchanges were looked for.</p>\n";
  return html;
}

std::string sexes_table(const CohortTable& cohort) {
  const std::vector<SexContradiction>& sexes = cohort.expectation->sexes;
  if (sexes.empty()) return "";
  page::HtmlTable table{
      .caption = "Another sex", .head = {"Profile", "Stated", "By X and Y"}, .left = {true, true, true}};
  for (const SexContradiction& sex : std::span(sexes).first(std::min(kMostRows, sexes.size())))
    table.rows.push_back(
        {label_html(cohort, sex.profile), std::string(name_of(sex.stated)), std::string(name_of(sex.found))});
  return fmt::format(
      "<h3>Another sex: {}</h3>\n<p>Profiles whose X and Y contradict the sex that the pedigree states.</p>\n"
      "{}{}",
      counted(sexes.size(), "profile"), listed(sexes.size(), "The first"), page::table_html(table));
}

/// The places of all pairs, the closest first.
std::vector<std::size_t> closest_first(const CohortTable& cohort) {
  std::vector<std::size_t> order(cohort.pairs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::size_t i) {
    const CohortPair& pair = cohort.pairs[i];
    return std::pair(place_of(pair.relation), std::isnan(pair.close.kinship) ? 0 : -pair.close.kinship);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

std::string members_html(const CohortTable& cohort, const CohortGroup& group) {
  std::string html;
  std::size_t person = 0, n = 0;
  std::vector<CohortGroup::Member> members = group.members;
  std::ranges::stable_sort(members, {}, &CohortGroup::Member::person);
  for (const CohortGroup::Member& member : members) {
    if (n == kMostMembers) return html + fmt::format(" and {} more", with_commas(members.size() - n));
    if (n++ > 0) html += member.person == person ? " = " : ", ";
    person = member.person;
    html += label_html(cohort, member.profile);
  }
  return html;
}

}  // namespace

std::string expectation_section(const CohortTable& cohort) {
  const CohortExpectation& of = *cohort.expectation;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Expected by", fmt::format("{} ({})", page::name_html(of.path), of.kind)},
      {"Expected", counted(of.n_expected, "pair")},
      {"Found as expected", with_commas(of.number(Outcome::kFound))},
      {"Found as another relation", with_commas(of.number(Outcome::kOtherRelation))},
      {"Missing", with_commas(of.number(Outcome::kMissing))},
      {"Unexpected", with_commas(of.number(Outcome::kUnexpected))}};
  if (of.number(Outcome::kBelow) > 0)
    facts.push_back({"Not found, and need not be",
                     with_commas(of.number(Outcome::kBelow)) + ": the search does not go so far"});
  if (of.number(Outcome::kNotCompared) > 0)
    facts.push_back({"Not compared", with_commas(of.number(Outcome::kNotCompared))});
  if (of.n_sexes > 0)
    facts.push_back({"Another sex than stated",
                     fmt::format("{} of {}", with_commas(of.sexes.size()), counted(of.n_sexes, "profile"))});
  if (of.n_absent > 0) facts.push_back({"People without a profile here", with_commas(of.n_absent)});
  return "<section id=\"expectation\">\n<h2>What was expected</h2>\n" + page::facts_html(facts) +
         exchanges(cohort) + sexes_table(cohort) +
         judged_table(cohort, Outcome::kMissing, "Missing", "Expected, but no close pair.") +
         judged_table(cohort, Outcome::kOtherRelation, "Another relation",
                      "Expected and close, but related otherwise.") +
         judged_table(cohort, Outcome::kUnexpected, "Unexpected", "Relatives that were not expected.") +
         judged_table(cohort, Outcome::kFound, "As expected", "Expected, and found so.") + "</section>\n";
}

std::string groups_section(const CohortTable& cohort) {
  std::string html = fmt::format("<section id=\"groups-section\">\n<h2>Groups</h2>\n<p>{}.</p>\n",
                                 page::escaped(page::capitalized(groups_sentence(cohort))));
  if (cohort.groups.empty()) return html + "</section>\n";
  page::HtmlTable table{.caption = "Groups of relatives",
                        .head = {"Group", "Profiles", "Persons", "Closest relation", "Members"},
                        .left = {false, false, false, true, true}};
  for (std::size_t g = 0; g < std::min(kMostRows, cohort.groups.size()); ++g) {
    const CohortGroup& group = cohort.groups[g];
    table.rows.push_back({with_commas(g + 1), with_commas(group.members.size()), with_commas(group.n_persons),
                          std::string(group.closest), members_html(cohort, group)});
  }
  return html + groups_figure(cohort) +
         "<p>A group is connected by pairs of relatives, so that not all of its members need be a close "
         "pair. "
         "Members with = between them are connected by pairs of one person (or of identical twins).</p>\n" +
         listed(cohort.groups.size(), "The largest") + page::table_html(table) + "</section>\n";
}

std::string pairs_section(const CohortTable& cohort) {
  std::string html = "<section id=\"pairs\">\n<h2>Pairs</h2>\n";
  if (cohort.pairs.empty()) return html + "<p>No close pair was found.</p>\n</section>\n";
  page::HtmlTable table{
      .caption = "Close pairs", .head = {"Profile", "Profile", "Relation"}, .left = {true, true, true}};
  add_figures(cohort, table);
  std::vector<std::size_t> order = closest_first(cohort);
  order.resize(std::min(order.size(), kMostRows));
  for (const std::size_t i : order) {
    const CohortPair& pair = cohort.pairs[i];
    std::vector<std::string> row = {label_html(cohort, pair.first), label_html(cohort, pair.second),
                                    std::string(pair.relation)};
    std::ranges::move(figures_of(cohort, pair.close), std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  return html + kinship_figure(cohort) + listed(cohort.pairs.size(), "The closest") +
         page::table_html(table) + "</section>\n";
}

}  // namespace fastid::pairs
