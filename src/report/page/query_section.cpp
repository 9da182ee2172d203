#include "report/page/query_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "report/columns.hpp"
#include "report/page/finding.hpp"
#include "report/page/mixture_section.hpp"
#include "report/page/query_chart.hpp"
#include "report/page/statements.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< term, html

std::string population_table(const match::MatchTable& matches, const match::QueryMatches& query) {
  if (query.evidence.populations.size() < 2 || query.by_likelihoods) return "";
  const bool mixture = matches.comparison == engine::Comparison::kMixture;
  page::HtmlTable table{
      .caption = "Populations",
      .head = {"Population", mixture                            ? "P(RMNE given 0)"
                             : matches.by == Encoding::kAlleles ? "Probability of the genotypes"
                                                                : "Probability of the bits"},
      .left = {true, false}};
  for (const match::PopulationEvidence& population : query.evidence.populations) {
    const auto& chance = mixture ? population.log10_p_rmne_0 : population.log10_match_probability;
    table.rows.push_back({page::escaped(population.name), chance ? page::chance_html(*chance) : "NA"});
  }
  return "<details><summary>In each population</summary>\n" + page::table_html(table) + "</details>\n";
}

std::string about_query(const match::MatchTable& matches, const match::QueryMatches& query) {
  const char* const sites = matches.family         ? "Sites called in a relative"
                            : query.by_likelihoods ? "Sites whose genotype likelihoods say something"
                                                   : "Sites called";
  Facts facts = {{"File", page::name_html(query.file)},
                 {sites, fmt::format("{} of {}", with_commas(query.called_sites),
                                     with_commas(matches.provenance.counted_sites()))}};
  if (!matches.family && !query.by_likelihoods)
    facts.push_back({"With a minor allele", with_commas(query.minor_alleles)});
  std::string evidence;
  for (const std::string& fact : query_facts_html(matches, query))
    evidence += (evidence.empty() ? "" : "<br>") + page::capitalized(fact);
  if (!evidence.empty()) facts.push_back({matches.family ? "Family" : "Evidence", evidence});
  return page::facts_html(facts);
}

const char* class_of(Standing standing) {
  switch (standing) {
    case Standing::kApart:
      return "apart";
    case Standing::kRelative:
      return "relative";
    case Standing::kStranger:
      return "stranger";
    case Standing::kNotWeighed:
      break;
  }
  return "not-weighed";
}

std::string badge(Standing standing) {
  if (standing == Standing::kApart) return " <span class=\"badge\">stands apart</span>";
  return standing == Standing::kRelative ? " <span class=\"badge\">relative?</span>" : "";
}

/// The population of a figure, shown below it where there are several populations.
std::string population_of(const match::MatchTable& matches, const Column& column,
                          const match::MatchRow& row) {
  const auto& populations = matches.provenance.populations;
  if (populations.size() < 2 || !row.log10_lr) return "";
  const bool ratio = column.name == "log10_lr", chance = column.name == "chance_matches";
  if (!ratio && !chance) return "";
  return fmt::format("<small>{}</small>",
                     page::escaped(populations.at(ratio ? row.lr_population : row.chance_population).name));
}

std::string row_cell(const match::MatchTable& matches, const Options& options,
                     const match::QueryMatches& query, const Column& column, const match::MatchRow& row) {
  const Cell cell = column.of(query, row);
  if (column.name == match::stored(matches.comparison))
    return page::name_html(text_of(cell)) + badge(standing_of(row));
  if (column.name == "relative") return page::name_html(text_of(cell));
  return html_of(cell, options.cap) + population_of(matches, column, row);
}

/// The line below which the results speak against the first proposition; no value where rows are in another
/// order.
std::optional<page::HtmlTable::Rule> line_at_one(const match::MatchTable& matches,
                                                 const match::QueryMatches& query) {
  const auto against = [](const match::MatchRow& row) {
    return row.log10_lr && stats::as_printed(*row.log10_lr) < 0;
  };
  const auto first = std::ranges::find_if(query.rows, against);
  if (first == query.rows.end() || !std::all_of(first, query.rows.end(), against)) return {};
  const std::string who = matches.family ? "missing member " + query.name : match::asked(matches.comparison);
  const auto [one, other] = propositions(matches, "the " + who, std::string("the ") + match::stored(matches));
  return page::HtmlTable::Rule{
      static_cast<std::size_t>(first - query.rows.begin()),
      page::escaped(
          fmt::format("Below this line the results are less probable if {} than if {}.", one, other))};
}

page::HtmlTable table_of(const match::MatchTable& matches, const match::QueryMatches& query,
                         std::span<const match::MatchRow> rows, const Options& options,
                         const std::vector<Column>& shown) {
  page::HtmlTable table;
  for (const Column& column : shown) {
    table.head.push_back(column.title);
    table.left.push_back(column.text);
  }
  for (const match::MatchRow& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : shown) cells.push_back(row_cell(matches, options, query, column, row));
    table.rows.push_back(std::move(cells));
    table.kinds.push_back(class_of(standing_of(row)));
  }
  return table;
}

constexpr std::size_t kRelationsShown = 3;

/// Along the map: the likeliest relation of a pair with its ratio, and how much lower the next ones are.
std::vector<std::string> likeliest_relations(const match::MapFacts& map, const match::LinkedFigures& linked,
                                             const Options& options) {
  std::vector<std::pair<double, std::string>> relations;
  for (std::size_t i = 0; i < linked.log10_lr.size(); ++i)
    if (linked.log10_lr[i]) relations.emplace_back(*linked.log10_lr[i], map.relations.at(i));
  std::ranges::stable_sort(relations, std::ranges::greater{},
                           [](const auto& relation) { return relation.first; });
  std::vector<std::string> cells(kRelationsShown);
  for (std::size_t i = 0; i < std::min(kRelationsShown, relations.size()); ++i) {
    const auto& [log10_lr, name] = relations[i];
    const double figure = i == 0 ? log10_lr : relations[0].first - log10_lr;
    cells[i] = fmt::format("{}<br>{}{}", page::escaped(name), page::power_html(figure, options.cap),
                           i == 0 ? "" : " times less");
  }
  return cells;
}

std::string relations_table(const match::MatchTable& matches, const match::QueryMatches& query,
                            const Options& options) {
  page::HtmlTable table{.caption = "The likeliest relations and their likelihood ratios",
                        .head = {"#", "Profile", "Likeliest", "Second", "Third"},
                        .left = {false, true, true, true, true}};
  for (const match::MatchRow& row : query.rows) {
    table.rows.push_back({fmt::format("{}", row.rank), page::name_html(row.profile)});
    for (std::string& cell : likeliest_relations(*matches.provenance.evidence.map, *row.kin->linked, options))
      table.rows.back().push_back(std::move(cell));
    table.kinds.push_back(class_of(standing_of(row)));
  }
  return "<h3>The likeliest relations</h3>\n" + page::table_html(table);
}

/// What the columns of a mixture's table mean.
std::string mixture_columns_note(const match::MatchTable& matches) {
  const bool alleles = matches.by == Encoding::kAlleles;
  if (match::between_mixtures(matches))
    return fmt::format(
        "<p>{} counts the different {} that the stored mixture shows at the sites compared.</p>\n",
        alleles ? "Alleles" : "Minor alleles", alleles ? "alleles" : "minor alleles");
  return fmt::format(
      "<p>{} counts the different {} that the person has at the sites compared{}. P(RMNE) is the "
      "probability that a person unrelated to all contributors has as few of them that the mixture does not "
      "show, or fewer.</p>\n",
      alleles ? "Alleles" : "Minor alleles", alleles ? "alleles" : "minor alleles",
      alleles ? ": one where both copies are alike, else two" : "");
}

constexpr const char* kCouldBeRelative =
    "<h3>Which contributor, and could it be a relative?</h3>\n<p>Each row names the contributor whom the "
    "person "
    "would be, and the relative of whom the results are the most probable: how many times more probable they "
    "are if "
    "that relative of the person, in place of somebody unrelated, is a contributor. A ratio near the "
    "person&#39;s "
    "own, or above it, means that a brother, a parent or a child of the person may have left what seems to "
    "be "
    "the person&#39;s.</p>\n";

/// The matches, and in tables of their own how kin's ratios come about and what X, Y and M say: together they
/// are wider than a sheet.
std::string ranking(const match::MatchTable& matches, const match::QueryMatches& query,
                    const Options& options) {
  if (query.rows.empty()) return "";  // the finding says so
  std::vector<Column> counted, detail, beside;
  for (const Column& column : columns_of_section(matches, &Column::title)) {
    const bool names = column.name == "rank" || column.name == match::stored(matches.comparison);
    if (column.beside == nullptr && !column.detail) counted.push_back(column);
    if (column.detail || names) detail.push_back(column);
    if (column.beside != nullptr || names) beside.push_back(column);
  }
  page::HtmlTable table = table_of(matches, query, query.rows, options, counted);
  table.caption = "Matches, best first";
  table.rule = line_at_one(matches, query);
  const bool people = matches.comparison == engine::Comparison::kMixture && !match::between_mixtures(matches);
  std::string html =
      (people ? "<h3>Who may be one of them</h3>\n" : "<h3>Matches</h3>\n") + page::table_html(table);
  if (query.ties_cut > 0)
    html += fmt::format("<p>{} more tie with the last one listed.</p>\n", with_commas(query.ties_cut));
  if (std::ranges::any_of(detail, &Column::detail)) {
    table = table_of(matches, query, query.rows, options, detail);
    const bool along_map = matches.comparison == engine::Comparison::kKinship &&
                           matches.provenance.evidence.map && !matches.family;
    if (along_map) html += relations_table(matches, query, options);
    const bool counts = along_map || matches.family, mixtures = match::asks_for_mixtures(matches.comparison);
    table.caption = counts     ? "Counts"
                    : mixtures ? "Which contributor, and which relative of one"
                               : "The ratio of each relation, and counts";
    html += (counts     ? "<h3>Counts</h3>\n"
             : people   ? kCouldBeRelative
             : mixtures ? "<h3>Which contributor</h3>\n"
                        : "<h3>Each relation</h3>\n") +
            page::table_html(table);
    if (mixtures) html += mixture_columns_note(matches);
  }
  if (std::ranges::any_of(beside, [](const Column& column) { return column.beside != nullptr; })) {
    table = table_of(matches, query, query.rows, options, beside);
    table.caption = "The matches at X, Y and M";
    html += "<h3>At X, Y and M, beside the evidence</h3>\n" + page::table_html(table);
  }
  return html;
}

/// A family's typed members who are in the database themselves.
std::string typed_members(const match::MatchTable& matches, const match::QueryMatches& query,
                          const Options& options) {
  if (query.typed_members.empty()) return "";
  std::vector<Column> shown = columns_of_section(matches, &Column::title);
  std::erase_if(shown, [](const Column& column) {
    return column.beside != nullptr || column.detail || column.name == "rank" ||
           column.name == "chance_matches";
  });
  page::HtmlTable table = table_of(matches, query, query.typed_members, options, shown);
  table.caption = "Typed members' own profiles, or those of identical twins: not ranked";
  return "<h3>Typed members in the database</h3>\n" + page::table_html(table);
}

/// What was seen, in words. By bits: "T" is carried, or only the major allele. By alleles: a person's
/// genotype, or the alleles of a mixture.
std::string seen_text(const match::MatchTable& matches, const match::DifferingLocus& locus, Seen seen,
                      bool mixture) {
  if (matches.by == Encoding::kAlleles) return match::alleles_text(locus, seen, mixture);
  return seen == kMinorSeen ? fmt::format("{} present", locus.minor) : fmt::format("{} only", locus.major);
}

std::string loci_table(const match::MatchTable& matches, const match::MatchRow& row) {
  const engine::Comparison comparison = matches.comparison;
  const auto seen = [&](const match::DifferingLocus& locus, Seen of, engine::Comparison mixture_in) {
    return seen_text(matches, locus, of, comparison == mixture_in);
  };
  page::HtmlTable table{
      .caption = fmt::format("Differing sites of the match ranked {}", row.rank),
      .head = {"Site", "Chromosome", "Position", page::capitalized(match::asked(comparison)),
               page::capitalized(match::stored(comparison)), "Minor allele", "Its frequency", "log10 LR"},
      .left = {true, true, false, true, true, true, false, false}};
  for (const match::DifferingLocus& locus : *row.loci)
    table.rows.push_back({page::name_html(locus.id), page::escaped(locus.chrom), with_commas(locus.pos),
                          seen(locus, locus.query, engine::Comparison::kMixture),
                          seen(locus, locus.profile, engine::Comparison::kReverseMixture),
                          std::string(1, locus.minor),
                          locus.minor_frequency ? fmt::format("{:.4f}", *locus.minor_frequency) : "NA",
                          locus.log10_lr ? page::signed_html(page::ratio_text(*locus.log10_lr, 4)) : "NA"});
  return page::table_html(table);
}

}  // namespace

std::string differing_sites(const match::MatchTable& matches, const match::QueryMatches& query) {
  if (matches.comparison == engine::Comparison::kKinship || query.by_likelihoods) return "";
  std::string html;
  std::size_t not_listed = 0;
  for (const match::MatchRow& row : query.rows) {
    if (!row.loci) {
      ++not_listed;
      continue;
    }
    const std::string summary =
        fmt::format("Rank {}: {}: {} in {}", row.rank, page::name_html(row.profile),
                    match::counted_differences(matches.comparison, matches.by, row.counts.count),
                    counted(row.counts.compared, "compared site"));
    html += row.loci->empty() ? fmt::format("<p>{}</p>\n", summary)
                              : fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                                            row.rank == 1 ? " open" : "", summary, loci_table(matches, row));
  }
  if (not_listed > 0)
    html += fmt::format("<p>Not listed for {} with more than {} such sites{}.</p>\n",
                        counted(not_listed, match::stored(matches)),
                        matches.provenance.populations.empty() ? 50 : 10,
                        matches.provenance.populations.empty() ? "" : " and no evidence for the match");
  return html;
}

namespace {

/// What speaks against a conclusion, as sentences.
std::vector<std::string> warnings(const match::MatchTable& matches, const match::QueryMatches& query) {
  std::vector<std::string> all;
  for (const std::string& warning : match::query_warnings(matches, query))
    all.push_back(
        fmt::format("{} {}: {}.", page::capitalized(match::asked(matches.comparison)), query.name, warning));
  for (const match::MatchRow& row : query.rows)
    if (const std::string warning = match::profile_warning(row); !warning.empty())
      all.push_back(fmt::format("Profile {}: {}.", row.profile, warning));
  return all;
}

/// A finding in a box: its headline and its detail.
std::string finding_html(const match::MatchTable& matches, const match::QueryMatches& query,
                         const Options& options) {
  const auto [headline, detail] = finding_text(matches, query, options);
  const bool apart = !finding_of(matches, query).apart.empty();
  return fmt::format("<div class=\"finding{}\"><p class=\"headline\">{}</p>{}</div>\n", apart ? " apart" : "",
                     headline, detail.empty() ? "" : "<p>" + detail + "</p>");
}

}  // namespace

std::string query_section(const match::MatchTable& matches, const match::QueryMatches& query,
                          const Options& options, std::size_t number) {
  std::string html =
      fmt::format("<section class=\"query\" id=\"query-{}\">\n<h2>{} {}</h2>\n", number,
                  page::capitalized(matches.family ? "missing" : match::asked(matches.comparison)),
                  page::name_html(query.name));
  // With a single query, the finding is already at the top of the page.
  if (matches.queries.size() > 1) html += finding_html(matches, query, options);
  if (const std::string warning = saturation_warning(query); !warning.empty())
    html += "<p class=\"warn\">" + page::escaped(warning) + "</p>\n";
  for (const std::string& warning : warnings(matches, query))
    html += "<p class=\"warn\">" + page::escaped(warning) + "</p>\n";
  html += how_many_people(matches, query, number);
  html += ranking(matches, query, options) + typed_members(matches, query, options) + what_of_each(query);
  html += about_query(matches, query) + population_table(matches, query);
  if (query.histogram)
    html += fmt::format("<h3>Among all {}s</h3>\n", match::stored(matches)) +
            histogram_figure(matches, query, fmt::format("histogram-{}", number));
  return html + "</section>\n";
}

}  // namespace fastid::report
