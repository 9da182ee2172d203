// For screen and paper: one page with all that a reader needs to judge the matches, and to repeat the search.
#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "report/page.hpp"
#include "report/parameters.hpp"
#include "report/query_chart.hpp"
#include "report/report.hpp"
#include "report/statements.hpp"

namespace fastid::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< term, html

const char* question(Comparison comparison) {
  switch (comparison) {
    case Comparison::kIdentity:
      return "Search by identity";
    case Comparison::kMixture:
      return "Search for contributors to mixtures";
    case Comparison::kReverseMixture:
      break;
  }
  return "Search for mixtures that a person contributed to";
}

std::string digest(const std::string& text) {
  return "<span class=\"digest\">" + escaped(text) + "</span>";
}

std::string cell_html(const Column& column, const QueryMatches& query, const MatchRow& row) {
  const Cell cell = column.cell(query, row);
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return with_commas(*number);
  const std::string text = text_of(cell);
  return is_name(column) ? name_html(text) : escaped(text);
}

/// One line a query: the table of contents.
std::string contents(const MatchTable& matches) {
  HtmlTable table{
      .caption = "Queries and their first matches",
      .head = {capitalized(asked(matches.comparison)), "Called sites", "First match",
               capitalized(differences(matches.comparison)), "log10 LR", "Expected false matches"},
      .left = {true, false, true, false, false, false}};
  for (std::size_t q = 0; q < matches.queries.size(); ++q) {
    const QueryMatches& query = matches.queries[q];
    std::vector<std::string> cells = {
        fmt::format("<a href=\"#query-{}\">{}</a>", q + 1, name_html(query.name)),
        with_commas(query.called_sites)};
    if (query.rows.empty()) {
      cells.insert(cells.end(), {"none", "", "", ""});
    } else {
      const MatchRow& first = query.rows.front();
      cells.insert(cells.end(),
                   {name_html(first.profile), with_commas(first.counts.count),
                    first.log10_lr ? ratio_text(*first.log10_lr, 4) : "NA",
                    first.log10_expected_false ? chance_text(*first.log10_expected_false, 4) : "NA"});
    }
    table.rows.push_back(std::move(cells));
  }
  return "<nav aria-label=\"Queries\">\n<h2>Contents</h2>\n" + table_html(table) +
         "<p><a href=\"#reading\">How to read the figures</a>; <a href=\"#provenance\">Provenance</a></p>\n"
         "</nav>\n";
}

std::string population_table(const MatchTable& matches, const QueryMatches& query) {
  if (query.evidence.populations.size() < 2) return "";
  const bool mixture = matches.comparison == Comparison::kMixture;
  HtmlTable table{.caption = "Populations",
                  .head = {"Population", mixture ? "P(RMNE given 0)" : "Match probability"},
                  .left = {true, false}};
  for (const PopulationEvidence& population : query.evidence.populations) {
    const auto& chance = mixture ? population.log10_p_rmne_0 : population.log10_match_probability;
    table.rows.push_back({escaped(population.name), chance ? chance_text(*chance, 4) : "NA"});
  }
  return "<details><summary>In each population</summary>\n" + table_html(table) + "</details>\n";
}

std::string query_facts_html(const MatchTable& matches, const QueryMatches& query) {
  Facts facts = {{"File", name_html(query.file)},
                 {"Sites called", fmt::format("{} of {}", with_commas(query.called_sites),
                                              with_commas(matches.provenance.n_sites))},
                 {"With a minor allele", with_commas(query.minor_alleles)}};
  std::string evidence;
  for (const std::string& fact : query_facts(matches, query))
    evidence += (evidence.empty() ? "" : "<br>") + escaped(capitalized(fact));
  if (!evidence.empty()) facts.push_back({"Evidence", evidence});
  return facts_html(facts);
}

std::string ranking(const MatchTable& matches, const QueryMatches& query) {
  if (query.rows.empty()) return fmt::format("<p>No {} passes.</p>\n", stored(matches.comparison));
  HtmlTable table{.caption = "Matches, best first"};
  const std::vector<Column> shown = columns_of_section(matches.comparison);
  for (const Column& column : shown) {
    table.head.push_back(column.title);
    table.left.push_back(is_name(column));
  }
  for (const MatchRow& row : query.rows) {
    std::vector<std::string> cells;
    for (const Column& column : shown) cells.push_back(cell_html(column, query, row));
    table.rows.push_back(std::move(cells));
  }
  std::string html = table_html(table);
  if (query.ties_cut > 0)
    html += fmt::format("<p>{} more tie with the last one listed.</p>\n", with_commas(query.ties_cut));
  return html;
}

/// What a bit says of one person: "T" carried, or only the major allele.
std::string carried(const DifferingLocus& locus, bool minor) {
  return minor ? fmt::format("{} present", locus.minor) : fmt::format("{} only", locus.major);
}

std::string loci_table(Comparison comparison, const MatchRow& row) {
  HtmlTable table{.caption = fmt::format("Differing sites of the match ranked {}", row.rank),
                  .head = {"Site", "Chromosome", "Position", capitalized(asked(comparison)),
                           capitalized(stored(comparison)), "Minor allele", "Its frequency", "log10 LR"},
                  .left = {true, true, false, true, true, true, false, false}};
  for (const DifferingLocus& locus : *row.loci)
    table.rows.push_back({name_html(locus.id), escaped(locus.chrom), with_commas(locus.pos),
                          carried(locus, locus.query_has_minor), carried(locus, !locus.query_has_minor),
                          std::string(1, locus.minor),
                          locus.minor_frequency ? fmt::format("{:.4f}", *locus.minor_frequency) : "NA",
                          locus.log10_lr ? ratio_text(*locus.log10_lr, 4) : "NA"});
  return table_html(table);
}

/// The sites that speak against each listed match, folded away.
std::string differing_sites(const MatchTable& matches, const QueryMatches& query) {
  std::string html;
  std::size_t not_listed = 0;
  for (const MatchRow& row : query.rows) {
    if (!row.loci) {
      ++not_listed;
      continue;
    }
    const std::string summary = fmt::format("Rank {}: {}: {} in {}", row.rank, name_html(row.profile),
                                            counted_differences(matches.comparison, row.counts.count),
                                            counted(row.counts.compared, "compared site"));
    html += row.loci->empty()
                ? fmt::format("<p>{}</p>\n", summary)
                : fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                              row.rank == 1 ? " open" : "", summary, loci_table(matches.comparison, row));
  }
  if (not_listed > 0)
    html += fmt::format("<p>Not listed for {} with more than {} such sites{}.</p>\n",
                        counted(not_listed, stored(matches.comparison)),
                        matches.provenance.populations.empty() ? 50 : 10,
                        matches.provenance.populations.empty() ? "" : " and no evidence for the match");
  return html.empty() ? html : "<h3>Sites that speak against each match</h3>\n" + html;
}

std::string section(const MatchTable& matches, const QueryMatches& query, std::size_t number) {
  std::string html = fmt::format("<section class=\"query\" id=\"query-{}\">\n<h2>{} {}</h2>\n", number,
                                 capitalized(asked(matches.comparison)), name_html(query.name));
  html += query_facts_html(matches, query) + population_table(matches, query);
  if (const std::string warning = saturation_warning(query); !warning.empty())
    html += "<p class=\"warn\">" + escaped(warning) + "</p>\n";
  html += "<h3>Matches</h3>\n" + ranking(matches, query);
  if (query.histogram)
    html += fmt::format("<h3>Among all {}s</h3>\n", stored(matches.comparison)) +
            histogram_figure(matches, query, fmt::format("histogram-{}", number));
  return html + differing_sites(matches, query) + "</section>\n";
}

std::string reading(const MatchTable& matches) {
  std::string html = "<section id=\"reading\">\n<h2>How to read the figures</h2>\n";
  for (const Statement& statement : statements(matches))
    html += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", escaped(statement.title), escaped(statement.text));
  return html +
         "<p>docs/statistics.md of fastid defines each figure, with its assumptions, limits and "
         "sources.</p>\n</section>\n";
}

void add_populations(const Provenance& from, Facts& facts) {
  for (const PopulationFacts& population : from.populations)
    facts.push_back({"Frequencies of " + population.name,
                     fmt::format("lowest reckoned with {:.4g}, in place of lower ones at {}",
                                 population.frequency_floor, counted(population.floored_sites, "site"))});
}

void add_queries(const MatchTable& matches, Facts& facts) {
  std::string last;
  for (const QueryMatches& query : matches.queries) {
    if (query.file == last) continue;  // samples of one file stand together
    facts.push_back({"Query file", name_html(query.file) + "<br>SHA-256 " + digest(query.sha256)});
    last = query.file;
  }
}

std::string provenance(const MatchTable& matches) {
  const Provenance& from = matches.provenance;
  const RunInfo& run = matches.run;
  Facts facts = {{"Program", escaped(fmt::format("fastid {}, revision {}", version(), revision()))},
                 {"Command line", "<code>" + escaped(run.command_line) + "</code>"},
                 {"Database", name_html(from.database)},
                 {"Its content", fmt::format("{} of {}, {}, format version {}, {} bytes",
                                             counted(from.n_profiles, stored(matches.comparison)),
                                             counted(from.n_sites, "site"), escaped(from.database_kind),
                                             from.format_version, with_commas(from.database_bytes))},
                 {"Genome build", escaped(from.genome_build)},
                 {"Panel SHA-256", digest(from.panel_sha256)},
                 {"Content SHA-256", digest(from.content_sha256)}};
  add_queries(matches, facts);
  for (const Parameter& parameter : parameters(matches))
    if (!parameter.text.empty()) facts.push_back({parameter.title, escaped(parameter.text)});
  add_populations(from, facts);
  facts.push_back({"Device", escaped(fmt::format("{} ({})", run.description, run.engine))});
  facts.push_back(
      {"Work", fmt::format("{} of up to {}", counted(run.lanes, "lane"), counted(run.tile_blocks, "block"))});
  facts.push_back({"Started", escaped(run.started_utc)});
  facts.push_back(
      {"Seconds", fmt::format("{:.3f} in all: open {:.3f}, queries {:.3f}, search {:.3f}, evidence {:.3f}",
                              run.total_seconds, run.open_seconds, run.query_seconds, run.search_seconds,
                              run.evidence_seconds)});
  return "<section id=\"provenance\">\n<h2>Provenance</h2>\n" + facts_html(facts) + "</section>\n";
}

}  // namespace

std::string html(const MatchTable& matches) {
  const Provenance& from = matches.provenance;
  std::string body =
      fmt::format("<header>\n<h1>{}</h1>\n<p>{} against {} in {}. {}</p>\n</header>\n",
                  question(matches.comparison), counted_asked(matches.comparison, matches.queries.size()),
                  counted(from.n_profiles, stored(matches.comparison)), name_html(from.database),
                  escaped(statements(matches).front().text));
  body += contents(matches) + "<main id=\"main\">\n";
  for (std::size_t q = 0; q < matches.queries.size(); ++q)
    body += section(matches, matches.queries[q], q + 1);
  body += reading(matches) + provenance(matches) + "</main>\n";
  const std::string title = matches.queries.size() == 1
                                ? fmt::format("{}: {}", question(matches.comparison), matches.queries[0].name)
                                : question(matches.comparison);
  return page(title + " in " + from.database, body);
}

}  // namespace fastid::report
