// A validation as a page for screen and paper.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "page/page.hpp"
#include "report/validation.hpp"

namespace fastid::report {
namespace {

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

std::string fact_of(const Validation& validation, std::string_view name) {
  const auto fact = std::ranges::find(validation.program, name, &std::pair<std::string, std::string>::first);
  return fact == validation.program.end() ? "" : fact->second;
}

/// The result of the whole validation, in a frame.
std::string finding(const Validation& validation) {
  std::size_t run = 0, failed = 0, checks = 0, unmet = 0;
  std::string absent;
  for (const Result& result : validation.results) {
    if (result.outcome == Outcome::kNotRun) {
      absent += (absent.empty() ? "" : ", ") + result.id;
      continue;
    }
    ++run;
    failed += result.outcome == Outcome::kFailed;
    checks += result.checks.size();
    unmet += result.failed_checks();
  }
  const std::string headline =
      validation.passed()
          ? fmt::format("All {} that were run have passed.", counted(run, "test"))
          : fmt::format("{} of {} failed: do not use this installation before the reason is found.", failed,
                        counted(run, "test"));
  return fmt::format(
      "<div class=\"finding{}\">\n<p class=\"headline\">{}</p>\n<p>{} of {} were met.{}{}</p>\n</div>\n",
      validation.passed() ? " apart" : "", headline, with_commas(checks - unmet),
      fmt::format("{} criteria", with_commas(checks)),
      absent.empty() ? "" : " Not run: " + page::escaped(absent) + ".",
      validation.quick
          ? " This was the quick run, which tells an installation that works from one that does not; a "
            "validation is the full one."
          : "");
}

std::string overview(const Validation& validation) {
  page::HtmlTable table{.caption = "The tests",
                        .head = {"Test", "Requirement", "Result", "Criteria met", "Processor time"},
                        .left = {true, true, true, false, false}};
  for (const Result& result : validation.results) {
    const std::size_t met = result.checks.size() - result.failed_checks();
    table.rows.push_back(
        {fmt::format("<a href=\"#{}\">{}</a>", result.id, page::escaped(result.title)),
         page::escaped(result.requirement), std::string(name_of(result.outcome)),
         result.outcome == Outcome::kNotRun ? "" : fmt::format("{} of {}", met, result.checks.size()),
         time_text(result.processor_seconds)});
    table.kinds.emplace_back(result.outcome == Outcome::kPassed   ? "apart"
                             : result.outcome == Outcome::kFailed ? "relative"
                                                                  : "stranger");
  }
  return page::table_html(table);
}

page::HtmlTable html_of(const Table& table) {
  page::HtmlTable html{.caption = table.caption, .head = table.head, .left = table.left};
  for (const auto& row : table.rows) {
    html.rows.emplace_back();
    for (const std::string& cell : row) html.rows.back().push_back(page::escaped(cell));
  }
  return html;
}

page::HtmlTable checks_table(const Result& result) {
  page::HtmlTable table{.caption = "Criteria of " + result.title,
                        .head = {"Criterion", "Wanted", "Found", "Met"},
                        .left = {true, true, true, true}};
  for (const Check& check : result.checks) {
    table.rows.push_back({page::escaped(check.what), page::escaped(check.wanted), page::escaped(check.found),
                          check.met ? "yes" : "NO"});
    table.kinds.emplace_back(check.met ? "met" : "relative");
  }
  return table;
}

std::string section(const Result& result) {
  std::string html = fmt::format("<section id=\"{}\">\n<h2>{}: {}</h2>\n", result.id,
                                 page::escaped(result.title), name_of(result.outcome));
  if (!result.requirement.empty())
    html += page::facts_html({{"Requirement", page::escaped(result.requirement)},
                              {"What was done", page::escaped(result.method)}});
  if (!result.note.empty())
    html += fmt::format("<p{}>{}</p>\n", result.outcome == Outcome::kFailed ? " class=\"warn\"" : "",
                        page::escaped(page::capitalized(result.note)));
  if (!result.checks.empty()) html += page::table_html(checks_table(result));
  for (const Table& table : result.tables)
    html += fmt::format("<h3>{}</h3>\n{}", page::escaped(table.caption), page::table_html(html_of(table)));
  return html + "</section>\n";
}

std::string recommendations_html(const Validation& validation) {
  page::HtmlTable table{.caption = "Recommendations and what answers them",
                        .head = {"Source", "Item", "Tests here", "Besides"},
                        .left = {true, true, true, true}};
  for (const Recommendation& one : validation.recommendations) {
    std::string tests;
    for (const std::string_view id : split_blanks(one.tests)) {
      const auto result = std::ranges::find(validation.results, id, &Result::id);
      const bool there = result != validation.results.end();
      tests += fmt::format("{}{} ({})", tests.empty() ? "" : ", ",
                           there ? fmt::format("<a href=\"#{0}\">{0}</a>", id) : std::string(id),
                           there ? name_of(result->outcome) : name_of(Outcome::kNotRun));
    }
    table.rows.push_back(
        {page::escaped(one.source), page::escaped(one.item), tests, page::escaped(one.besides)});
  }
  return "<h2>Recommendations</h2>\n<p>SWGDAM: Guidelines for the Validation of Probabilistic Genotyping "
         "Systems (2015). "
         "ISFG: Coble et al., Forensic Science International: Genetics 25 (2016), 191&ndash;197. ISO/IEC "
         "17025:2017, "
         "7.11. The items are in our words.</p>\n" +
         page::table_html(table);
}

std::string material_html(const Validation& validation) {
  page::HtmlTable table{
      .caption = "What was used", .head = {"Material", "Content", "SHA-256"}, .left = {true, true, true}};
  for (const Material& material : validation.materials)
    table.rows.push_back({page::name_html(material.name), page::escaped(material.content),
                          "<span class=\"digest\">" + page::escaped(material.checksum) + "</span>"});
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] : validation.program)
    facts.push_back({page::capitalized(name), page::escaped(value)});
  facts.push_back({"Command", "<code>" + page::escaped(validation.command) + "</code>"});
  facts.push_back({"Seed", std::to_string(validation.seed)});
  facts.push_back(
      {"Time", fmt::format("{} to {}; {}, of processors {}", page::escaped(validation.started_utc),
                           page::escaped(validation.ended_utc), time_text(validation.seconds),
                           time_text(validation.processor_seconds))});
  return "<h2>Program and material</h2>\n" + page::facts_html(facts) + page::table_html(table);
}

constexpr std::string_view kLimits =
    "<h2>What this does not show</h2>\n<ul>\n"
    "<li>Simulated people are unrelated but for those who are planted, of one population, and their sites "
    "are "
    "unlinked. Real people are related, mixed and linked; docs/calibration shows how far real data "
    "differ.</li>\n"
    "<li>Nothing here tests the laboratory: sampling, contamination, mix-ups, the kit and its "
    "software.</li>\n"
    "<li>Whether a population's frequencies suit a case is for the laboratory to say.</li>\n"
    "<li>Criteria are met or not by this program on this machine with this seed. After an upgrade, on "
    "another machine, "
    "or with another panel, validate again.</li>\n</ul>\n";

constexpr std::string_view kSign =
    "<section class=\"sign-here\">\n<h2>Acceptance</h2>\n<div class=\"sign\">\n<div><span>Validated "
    "by</span></div>"
    "<div><span>Date</span></div><div><span>Approved "
    "by</span></div><div><span>Date</span></div>\n</div>\n</section>\n";

}  // namespace

std::string html(const Validation& validation) {
  const std::string title = "Validation of fastid " + fact_of(validation, "version");
  std::string body = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"asked\">{}, {} run, revision {}</p>\n</header>\n<main "
      "id=\"main\">\n",
      page::escaped(title), page::escaped(validation.started_utc), validation.quick ? "quick" : "full",
      page::escaped(fact_of(validation, "revision")));
  body += finding(validation) + overview(validation);
  for (const Result& result : validation.results) body += section(result);
  body += recommendations_html(validation) + material_html(validation) + std::string(kLimits) +
          std::string(kSign) + "</main>\n";
  return page::page(title, body);
}

}  // namespace fastid::report
