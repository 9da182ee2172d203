// The page of a cohort: the pairs of everyone against everyone, beside the expectation.
#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/page.hpp"
#include "questions/pairs/cohort_print.hpp"
#include "questions/pairs/page/cohort_sections.hpp"
#include "questions/pairs/page/cohort_words.hpp"

namespace fastid::pairs {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< term, html

std::string databases_html(const match::PairsFacts& facts) {
  return page::name_html(facts.database.path) +
         (facts.second ? " and " + page::name_html(facts.second->path) : "");
}

std::string opening(const CohortTable& cohort, const match::RunInfo& run) {
  const match::PairsFacts& facts = cohort.facts;
  constexpr std::size_t kDay = 10;  ///< characters of an ISO date
  const std::string which = facts.second ? " of a profile of one with a profile of the other" : "";
  const bool met = !cohort.expectation || cohort.expectation->met();
  std::string html = fmt::format(
      "<header>\n<p class=\"asked\">Everyone against everyone</p>\n<h1>{}</h1>\n{}{}<p>{}</p>\n",
      page::escaped(page::capitalized(cohort_headline(cohort))),
      facts.linked.empty()
          ? ""
          : "<p class=\"warn\">" + page::escaped(page::capitalized(facts.linked)) + ".</p>\n",
      page::facts_html(
          {{"Compared", fmt::format("{} of {} in {}{}", counted(facts.n_pairs, "pair"),
                                    counted(facts.n_profiles, "profile"), databases_html(facts), which)},
           {"Close pairs", with_commas(cohort.pairs.size())},
           {"Date", page::escaped(run.started_utc.substr(0, kDay))}}),
      page::escaped(limits_sentence(cohort)));
  std::vector<std::string> findings;
  if (cohort.expectation)
    for (const LabelExchange& exchange : cohort.expectation->exchanges)
      findings.push_back(exchange_sentence(cohort, exchange));
  if (cohort.expectation && !cohort.expectation->sexes.empty()) findings.push_back(sexes_sentence(cohort));
  constexpr std::size_t kMost = 10;
  if (findings.empty()) return html + "</header>\n";
  html += fmt::format("<div class=\"finding{}\">\n", met ? " apart" : "");
  for (std::size_t i = 0; i < std::min(kMost, findings.size()); ++i)
    html += fmt::format("<p>{}.</p>\n", page::escaped(findings[i]));
  if (findings.size() > kMost)
    html += fmt::format("<p><a href=\"#expectation\">and {} more</a></p>\n", findings.size() - kMost);
  return html + "</div>\n</header>\n";
}

std::string unrelated(const CohortTable& cohort) {
  if (!cohort.unrelated) return "";
  return fmt::format("<section id=\"unrelated\">\n<h2>A set without relatives</h2>\n<p>{}.</p>\n</section>\n",
                     page::escaped(page::capitalized(unrelated_sentence(cohort))));
}

std::string reading(const CohortTable& cohort) {
  std::string html =
      "<section id=\"reading\">\n<h2>How to read this</h2>\n<h3>Relations</h3>\n<p>Where allele frequencies "
      "are "
      "known, a pair has the relation that makes the genotypes of the two most probable, if it is ten times "
      "as "
      "probable as the next one (or as --margin says). Where chance explains the pair it is undecided, and "
      "no pair of relatives. Else, and "
      "without frequencies, a pair has the class of its kinship by KING&#39;s bounds; of the first degree, "
      "parents and children are those with hardly a site at which the two are homozygous for different "
      "alleles. By bits no relation can be told. The second and the third degree are not told apart where "
      "they "
      "are expected.</p>\n<dl>\n";
  for (const RelationWords& relation : relation_words())
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", relation.name, relation.words);
  html += "</dl>\n";
  if (cohort.facts.second) html += "<p>A profile of the second database has [2] after its id.</p>\n";
  return html +
         "<h3>Samples and people</h3>\n<p>One person&#39;s samples and identical twins look the same. The "
         "relations are findings about genotypes; why two samples are so, and which of two labels is wrong, "
         "they do not say.</p>\n<p>docs/commands/pairs-cohort.md and docs/statistics.md of fastid define "
         "each figure.</p>\n"
         "</section>\n";
}

void add_database(const char* term, const match::PairsDatabase& database, Facts& facts) {
  facts.push_back(
      {term, fmt::format("{}<br>{}, {} bytes<br>SHA-256 of its content <span class=\"digest\">{}</span>",
                         page::name_html(database.path), counted(database.n_profiles, "profile"),
                         with_commas(database.bytes), page::escaped(database.content_sha256))});
}

std::string provenance(const CohortTable& cohort, const match::RunInfo& run) {
  const match::PairsFacts& of = cohort.facts;
  Facts facts = {{"Program", page::escaped(fmt::format("fastid {}, revision {}", version(), revision()))},
                 {"Command line", "<code>" + page::escaped(run.command_line) + "</code>"}};
  add_database("Database", of.database, facts);
  if (of.second) add_database("Second database", *of.second, facts);
  facts.push_back(
      {"Panel", fmt::format("{}, {}<br>SHA-256 <span class=\"digest\">{}</span>", counted(of.n_sites, "site"),
                            page::escaped(of.genome_build), page::escaped(of.panel_sha256))});
  if (cohort.expectation)
    facts.push_back({"Expectation", page::name_html(cohort.expectation->path) +
                                        "<br>SHA-256 <span class=\"digest\">" +
                                        page::escaped(cohort.expectation->sha256) + "</span>"});
  facts.push_back({"Compared", of.by == Encoding::kAlleles ? "alleles" : "bits"});
  facts.push_back({"Close", page::escaped(limits_text(of))});
  std::string populations;
  for (const match::PopulationFacts& population : of.populations)
    populations += (populations.empty() ? "" : ", ") + population.name;
  if (!populations.empty())
    facts.push_back({"Frequencies",
                     fmt::format("{}; theta {:g}, error rate {:g}, margin {:g}", page::escaped(populations),
                                 of.evidence.theta, of.evidence.error_rate, of.evidence.margin)});
  facts.push_back({"Device", page::escaped(fmt::format("{} ({})", run.description, run.engine))});
  facts.push_back({"Started", page::escaped(run.started_utc)});
  facts.push_back({"Seconds", fmt::format("{:.3f}", run.total_seconds)});
  return "<section id=\"provenance\">\n<h2>Provenance</h2>\n" + page::facts_html(facts) + "</section>\n";
}

}  // namespace

std::string cohort_html(const CohortTable& cohort, const match::RunInfo& run) {
  std::string body = opening(cohort, run) + "<main id=\"main\">\n";
  if (cohort.expectation) body += expectation_section(cohort);
  body += groups_section(cohort) + pairs_section(cohort) + unrelated(cohort) + reading(cohort) +
          provenance(cohort, run) + "</main>\n";
  constexpr std::size_t kDay = 10;
  return page::page("Everyone against everyone in " + cohort.facts.database.path, body,
                    run.started_utc.substr(0, kDay));
}

}  // namespace fastid::pairs
