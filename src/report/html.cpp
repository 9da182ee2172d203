// The html report: one page for screen and paper with all that a reader needs to judge the matches and to
// repeat the search.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "report/page/finding.hpp"
#include "report/page/query_section.hpp"
#include "report/page/statements.hpp"
#include "report/parameters.hpp"
#include "report/report.hpp"

namespace fastid::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< term, html

const char* question(const match::MatchTable& matches) {
  if (matches.family)
    return matches.queries.size() == 1 ? "Search for a missing member of a family"
                                       : "Search for missing members of a family";
  switch (matches.comparison) {
    case engine::Comparison::kIdentity:
      return "Search by identity";
    case engine::Comparison::kMixture:
      return match::between_mixtures(matches) ? "Search for mixtures with a contributor in common"
                                              : "Search for contributors to mixtures";
    case engine::Comparison::kKinship:
      return "Search for relatives";
    default:
      break;
  }
  return "Search for mixtures that a person contributed to";
}

std::string digest(const std::string& text) {
  return "<span class=\"digest\">" + page::escaped(text) + "</span>";
}

/// "12 queries", "2 missing members".
std::string counted_queries(const match::MatchTable& matches) {
  const std::size_t n = matches.queries.size();
  return matches.family ? counted(n, "missing member") : match::counted_asked(matches.comparison, n);
}

std::string overview(const match::MatchTable& matches, const std::vector<FindingKind>& kinds) {
  const std::string all = counted_queries(matches);
  if (matches.provenance.populations.empty())
    return page::capitalized(all) + ", whose matches are not weighed: the panel has no allele frequencies";
  const auto n = static_cast<std::uint64_t>(std::ranges::count_if(kinds, [](FindingKind kind) {
    return kind == FindingKind::kOneApart || kind == FindingKind::kSeveralApart;
  }));
  return fmt::format("Of {}, {} a {} that stands apart", all,
                     n == 0   ? "none has"
                     : n == 1 ? "1 has"
                              : with_commas(n) + " have",
                     match::stored(matches));
}

std::vector<std::string> contents_row(const match::MatchTable& matches, const Options& options,
                                      std::size_t q) {
  const match::QueryMatches& query = matches.queries[q];
  std::vector<std::string> cells = {
      fmt::format("<a href=\"#query-{}\">{}</a>", q + 1, page::name_html(query.name)),
      with_commas(query.called_sites)};
  if (query.rows.empty()) {
    cells.insert(cells.end(), {"none", "", "", "", ""});
    return cells;
  }
  const match::MatchRow& first = query.rows.front();
  const auto figure = [](const match::MatchRow& row) {
    if (row.sample || (row.kin && std::isnan(row.kin->kinship))) return std::string("NA");
    return row.kin ? page::signed_html(page::ratio_text(row.kin->kinship, 4)) : with_commas(row.counts.count);
  };
  cells.insert(
      cells.end(),
      {page::name_html(first.profile), figure(first), query.rows.size() > 1 ? figure(query.rows[1]) : "",
       first.log10_lr ? page::power_html(*first.log10_lr, options.cap) : "NA",
       first.log10_chance_matches ? page::chance_html(*first.log10_chance_matches) : "NA"});
  return cells;
}

/// The table of contents: one line for each query, grouped by finding.
std::string contents(const match::MatchTable& matches, const Options& options,
                     const std::vector<FindingKind>& kinds) {
  std::string html = "<nav aria-label=\"Queries\">\n<h2>Contents</h2>\n";
  for (const FindingKind kind : kFindings) {
    const std::string title = heading(matches, kind);
    page::HtmlTable table{
        .caption = title,
        .head = {matches.family ? "Missing" : page::capitalized(match::asked(matches.comparison)),
                 matches.family ? "Sites called in a relative" : "Called sites", "First match",
                 matches.comparison == engine::Comparison::kKinship
                     ? std::string("Kinship")
                     : page::capitalized(match::differences(matches.comparison, matches.by)),
                 "Of the second", "Likelihood ratio",
                 match::asks_for_mixtures(matches.comparison) ? "Chance matches" : "Chance matches, at most"},
        .left = {true, false, true, false, false, false, false}};
    for (std::size_t q = 0; q < kinds.size(); ++q)
      if (kinds[q] == kind) table.rows.push_back(contents_row(matches, options, q));
    if (!table.rows.empty())
      html += fmt::format("<h3>{}: {}</h3>\n", title,
                          match::counted_asked(matches.comparison, table.rows.size())) +
              page::table_html(table);
  }
  return html + "</nav>\n";
}

/// The given date, else the day of the search.
std::string date_of(const match::MatchTable& matches, const Options& options) {
  constexpr std::size_t kDay = 10;  ///< characters of an ISO date
  return options.date.empty() ? matches.run.started_utc.substr(0, kDay) : options.date;
}

/// The opening of the page: what was found, for which query and in which database.
std::string opening(const match::MatchTable& matches, const Options& options,
                    const std::vector<FindingKind>& kinds) {
  const match::Provenance& from = matches.provenance;
  const bool one = matches.queries.size() == 1;
  const FindingText finding =
      one ? finding_text(matches, matches.queries[0], options) : FindingText{overview(matches, kinds), ""};
  Facts facts;
  for (const auto& [term, text] : {std::pair{"Case", options.case_name},
                                   {"Laboratory", options.laboratory},
                                   {"Examiner", options.examiner},
                                   {"Date", date_of(matches, options)}})
    if (!text.empty()) facts.push_back({term, page::name_html(text)});
  facts.push_back({matches.family ? "Missing" : page::capitalized(match::asked(matches.comparison)),
                   one ? page::name_html(matches.queries[0].name) : counted_queries(matches)});
  facts.push_back(
      {"Searched", fmt::format("{} in {}", searched_text(matches), page::name_html(from.database))});
  const std::string linked = linkage_warning(from), strangers = match::strangers_text(matches);
  return fmt::format(
      "<header>\n<p class=\"asked\">{}</p>\n<h1>{}</h1>\n{}{}{}{}<p>{}</p>\n</header>\n", question(matches),
      finding.headline, finding.detail.empty() ? "" : "<p>" + finding.detail + "</p>\n",
      strangers.empty() ? "" : "<p class=\"warn\">" + page::escaped(page::capitalized(strangers)) + ".</p>\n",
      linked.empty() ? "" : "<p class=\"warn\">" + page::escaped(linked) + "</p>\n", page::facts_html(facts),
      page::escaped(statements(matches).front().text));
}

/// Lines to sign on.
std::string signatures(const Options& options) {
  const auto line = [](const char* what, const std::string& name) {
    return fmt::format(
        "<div><span>{}</span>{}</div><div><span>Signature</span></div><div><span>Date</span></div>\n", what,
        name);
  };
  return "<section class=\"sign-here\">\n<h2>Signatures</h2>\n<div class=\"sign\">\n" +
         line("Examiner", options.examiner.empty() ? "" : page::name_html(options.examiner)) +
         line("Reviewer", "") + "</div>\n</section>\n";
}

/// The last part of the page, on sheets of its own: it may be longer than all the rest.
std::string annex(const match::MatchTable& matches, const Options& options) {
  if (options.sites == SitesOnPage::kNone) return "";
  const bool one = matches.queries.size() == 1;
  std::string html;
  for (const match::QueryMatches& query : matches.queries) {
    const std::string sites = differing_sites(matches, query);
    if (sites.empty()) continue;
    if (!one)
      html += fmt::format("<h3>{} {}</h3>\n", page::capitalized(match::asked(matches.comparison)),
                          page::name_html(query.name));
    html += sites;
  }
  if (html.empty()) return "";
  return "<section id=\"annex\" class=\"annex\">\n<h2>Annex: sites that speak against each match</h2>\n" +
         html + "</section>\n";
}

/// The text at the top of each printed sheet.
std::string sheet_head(const match::MatchTable& matches, const Options& options) {
  std::string head;
  for (const auto& [term, text] :
       {std::pair{"Case ", options.case_name}, {"", options.laboratory}, {"", date_of(matches, options)}})
    if (!text.empty()) head += (head.empty() ? "" : ", ") + (term + text);
  return head;
}

std::string reading(const match::MatchTable& matches) {
  std::string html = "<section id=\"reading\">\n<h2>How to read the figures</h2>\n";
  for (const Statement& statement : statements(matches))
    html += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", page::escaped(statement.title),
                        page::escaped(statement.text));
  return html +
         "<p>docs/statistics.md of fastid says where each figure is defined, with its assumptions, limits "
         "and sources.</p>\n</section>\n";
}

void add_populations(const match::Provenance& from, Facts& facts) {
  for (const match::PopulationFacts& population : from.populations)
    facts.push_back(
        {"Frequencies of " + population.name,
         (population.people ? "counted in " + with_commas(*population.people) + " people; " : "") +
             fmt::format("lowest reckoned with {:.4g}, in place of lower ones at {}",
                         population.frequency_floor, counted(population.floored_sites, "site"))});
}

void add_queries(const match::MatchTable& matches, Facts& facts) {
  std::string last;
  const auto add = [&](const char* what, const std::string& file, const std::string& sha256) {
    if (file == last) return;  // samples of one file are adjacent
    facts.push_back({what, page::name_html(file) + "<br>SHA-256 " + digest(sha256)});
    last = file;
  };
  for (const match::QueryMatches& query : matches.queries)
    add(matches.family ? "Family" : "Query file", query.file, query.sha256);
  if (matches.family)
    for (const match::KnownPerson& relative : matches.family->relatives)
      add("Relative's file", relative.file, relative.sha256);
}

std::string provenance(const match::MatchTable& matches) {
  const match::Provenance& from = matches.provenance;
  const match::RunInfo& run = matches.run;
  Facts facts = {{"Program", page::escaped(fmt::format("fastid {}, revision {}", version(), revision()))},
                 {"Command line", "<code>" + page::escaped(run.command_line) + "</code>"},
                 {"Database", page::name_html(from.database)},
                 {"Its content", fmt::format("{} of {}, {}, format version {}, {} bytes",
                                             counted(from.n_profiles, match::stored(matches)),
                                             counted(from.n_sites, "site"), page::escaped(from.database_kind),
                                             from.format_version, with_commas(from.database_bytes))},
                 {"Genome build", page::escaped(from.genome_build)},
                 {"Panel SHA-256", digest(from.panel_sha256)},
                 {"Content SHA-256", digest(from.content_sha256)}};
  add_queries(matches, facts);
  for (const Parameter& parameter : parameters(matches))
    if (!parameter.text.empty()) facts.push_back({parameter.title, page::escaped(parameter.text)});
  add_populations(from, facts);
  facts.push_back({"Device", page::escaped(fmt::format("{} ({})", run.description, run.engine))});
  facts.push_back({"Work", fmt::format("{} of up to {}", counted(run.workers, "worker"),
                                       counted(run.tile_blocks, "block"))});
  facts.push_back({"Started", page::escaped(run.started_utc)});
  facts.push_back(
      {"Seconds", fmt::format("{:.3f} in all: open {:.3f}, queries {:.3f}, search {:.3f}, evidence {:.3f}",
                              run.total_seconds, run.open_seconds, run.query_seconds, run.search_seconds,
                              run.evidence_seconds)});
  return "<section id=\"provenance\">\n<h2>Provenance</h2>\n" + page::facts_html(facts) + "</section>\n";
}

}  // namespace

std::string html(const match::MatchTable& matches, const Options& options) {
  std::vector<FindingKind> kinds;
  for (const match::QueryMatches& query : matches.queries) kinds.push_back(finding_of(matches, query).kind);
  std::string body = opening(matches, options, kinds) + signatures(options);
  if (kinds.size() > 1) body += contents(matches, options, kinds);
  body += "<main id=\"main\">\n";
  for (std::size_t q = 0; q < matches.queries.size(); ++q)
    body += query_section(matches, matches.queries[q], options, q + 1);
  body += reading(matches) + provenance(matches) + annex(matches, options) + "</main>\n";
  const std::string title = matches.queries.size() == 1
                                ? fmt::format("{}: {}", question(matches), matches.queries[0].name)
                                : question(matches);
  return page::page(title + " in " + matches.provenance.database, body, sheet_head(matches, options));
}

}  // namespace fastid::report
