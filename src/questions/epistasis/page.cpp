// The page of combinations of sites: the ranked table, and of the best ones the share of cases of each joint
// genotype.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "page/page.hpp"
#include "questions/epistasis/penetrance.hpp"
#include "questions/epistasis/print.hpp"

namespace fastid::epistasis {
namespace {

constexpr std::size_t kPictured = 3;  ///< combinations with a picture

std::string names_of(const EpistasisRow& row) {
  std::string names;
  for (std::size_t i = 0; i < row.sites.size(); ++i)
    names += (i == 0 ? "" : i + 1 == row.sites.size() ? " and " : ", ") + printable(row.sites[i].id);
  return names;
}

std::string score_name(const EpistasisTable& found) {
  return found.score == engine::EpistasisScore::kK2 ? "K2 less that of the classes alone"
                                                    : "Mutual information (nats)";
}

std::string opening(const EpistasisTable& found) {
  constexpr std::string_view kNumbers[] = {"two", "three", "four"};
  std::string people =
      fmt::format("{}, {}", counted(found.people[1], "case"), counted(found.people[0], "control"));
  if (found.without_phenotype > 0)
    people += fmt::format("; {} without a phenotype left out", with_commas(found.without_phenotype));
  return fmt::format(
      "<header>\n<p class=\"asked\">Which {} sites together go with the trait?</p>\n<h1>{} score best</h1>\n"
      "{}<p>Of {} combinations the best is good by chance alone: a score is evidence of nothing by itself. "
      "Confirm it in other people.</p>\n</header>\n",
      kNumbers[found.way - 2], page::escaped(found.rows.empty() ? "No sites" : names_of(found.rows[0])),
      page::facts_html(
          {{"Genotypes", page::name_html(found.file)},
           {"People", page::escaped(people)},
           {"Listed",
            page::escaped(fmt::format("combinations of at least {} people who are called at all sites",
                                      with_commas(found.min_people)))},
           {"Compared", fmt::format("{} of {}", counted(found.n_combinations, combination_name(found.way)),
                                    counted(found.n_sites, "site"))},
           {"Score", found.score == engine::EpistasisScore::kK2
                         ? "K2, less that of the classes alone in the same people, the lowest first"
                         : "mutual information, the highest first"}}),
      with_commas(found.n_combinations));
}

std::string ranking(const EpistasisTable& found) {
  page::HtmlTable table{.caption = "The best combinations", .head = {"Rank"}, .left = {false}};
  for (std::size_t i = 0; i < found.way; ++i) {
    table.head.push_back(fmt::format("SNP {}", static_cast<char>('A' + i)));
    table.left.push_back(true);
  }
  table.head.insert(table.head.end(), {"People", score_name(found)});
  table.left.insert(table.left.end(), {false, false});
  if (found.permutations > 0) {
    table.head.emplace_back("p by permutations");
    table.left.push_back(false);
  }
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    std::vector<std::string> cells = {std::to_string(i + 1)};
    for (const Site& site : found.rows[i].sites)
      cells.push_back(fmt::format("{}<small>{}:{} {}&gt;{}</small>", page::name_html(printable(site.id)),
                                  page::escaped(site.chrom), with_commas(site.pos),
                                  page::escaped({&site.major, 1}), page::escaped({&site.minor, 1})));
    cells.push_back(with_commas(found.rows[i].people));
    cells.push_back(score_text(found, found.rows[i].score));
    if (found.permutations > 0) cells.push_back(p_text(found.rows[i]));
    table.rows.push_back(std::move(cells));
  }
  std::string html =
      "<section id=\"ranking\">\n<h2>The best combinations</h2>\n<p>Below each site its position, and its "
      "major "
      "and minor allele.</p>\n" +
      page::table_html(table);
  if (found.permutations > 0)
    html += fmt::format(
        "<p>p: the share of {} permutations of the trait (seed {}), and of the trait itself, whose best "
        "combination "
        "of all is as good.</p>\n",
        with_commas(found.permutations), found.seed);
  if (found.ties > 0) html += fmt::format("<p>{} more score as the last one.</p>\n", with_commas(found.ties));
  return html + "</section>\n";
}

/// The numbers of a picture, for readers who cannot see it.
std::string numbers(const EpistasisTable& found, std::size_t i) {
  page::HtmlTable table{.caption = fmt::format("Joint genotypes of the combination of rank {}", i + 1),
                        .head = {"Minor copies", "Cases", "Controls", "Share of cases"},
                        .left = {true, false, false, false}};
  for (std::size_t cell = 0; cell < engine::n_cells(found.way); ++cell) {
    const auto [controls, cases] = found.rows[i].table.cells[cell];
    table.rows.push_back({genotypes_text(found, cell), with_commas(cases), with_commas(controls),
                          controls + cases == 0 ? "" : share_text({controls, cases})});
  }
  return "<details class=\"numbers\">\n<summary>The same numbers as a table</summary>\n" +
         page::table_html(table) + "</details>\n";
}

std::string pictures(const EpistasisTable& found) {
  std::string html = "<section id=\"penetrance\">\n<h2>Who is a case</h2>\n";
  if (found.carriers)
    html += "<p>The genotypes say only who carries a minor allele: carriers count as people with two.</p>\n";
  for (std::size_t i = 0; i < std::min(kPictured, found.rows.size()); ++i)
    html +=
        fmt::format("<h3>{}. {}</h3>\n{}{}", i + 1, page::escaped(names_of(found.rows[i])),
                    penetrance_figure(found.rows[i], fmt::format("penetrance-{}", i + 1)), numbers(found, i));
  return html + "</section>\n";
}

std::string provenance(const EpistasisTable& found) {
  return "<section id=\"provenance\">\n<h2>Provenance</h2>\n" +
         page::facts_html(
             {{"Program", page::escaped(fmt::format("fastid {}, revision {}", version(), revision()))},
              {"Genotypes", page::name_html(found.file)},
              {"Phenotypes", page::name_html(found.phenotypes) + "<br>SHA-256 <span class=\"digest\">" +
                                 page::escaped(found.phenotypes_sha256) + "</span>"}}) +
         "<p>docs/commands/epistasis.md of fastid defines the scores.</p>\n</section>\n";
}

}  // namespace

std::string epistasis_html(const EpistasisTable& found) {
  std::string body = opening(found) + "<main id=\"main\">\n" + ranking(found);
  if (!found.rows.empty()) body += pictures(found);
  return page::page("Combinations of sites in " + found.file, body + provenance(found) + "</main>\n");
}

}  // namespace fastid::epistasis
