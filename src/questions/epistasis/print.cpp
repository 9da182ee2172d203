#include "questions/epistasis/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/build_info.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace fastid::epistasis {
namespace {

std::string_view name_of(engine::EpistasisScore score) {
  return score == engine::EpistasisScore::kK2 ? "k2" : "mi";
}

std::vector<std::string> head(const EpistasisTable& found) {
  std::vector<std::string> cells = {"rank", "snp_a", "snp_b"};
  if (found.way > 2) cells.emplace_back("snp_c");
  if (found.way > 3) cells.emplace_back("snp_d");
  cells.emplace_back("people");
  cells.emplace_back(name_of(found.score));
  if (found.permutations > 0) cells.emplace_back("p_permutations");
  return cells;
}

/// \param name  what is printed of a site
template <class Name>
std::vector<std::string> cells_of(const EpistasisTable& found, std::size_t i, const Name& name) {
  std::vector<std::string> cells = {std::to_string(i + 1)};
  for (const Site& site : found.rows[i].sites) cells.push_back(name(site));
  cells.push_back(std::to_string(found.rows[i].people));
  cells.push_back(score_text(found, found.rows[i].score));
  if (found.permutations > 0) cells.push_back(p_text(found.rows[i]));
  return cells;
}

Json json_of(const Site& site) {
  return {{"id", site.id},
          {"chrom", site.chrom},
          {"pos", site.pos},
          {"major", std::string(1, site.major)},
          {"minor", std::string(1, site.minor)}};
}

/// A cell of a table: its genotypes, as numbers of minor copies, and its people.
Json cell_json(const EpistasisTable& found, const engine::GenotypeTable& table, std::size_t cell) {
  return {{"genotypes", genotypes_text(found, cell)},
          {"controls", table.cells[cell][0]},
          {"cases", table.cells[cell][1]}};
}

Json json_of(const EpistasisTable& found, std::size_t i) {
  const EpistasisRow& row = found.rows[i];
  Json sites = Json::array(), cells = Json::array();
  for (const Site& site : row.sites) sites.push_back(json_of(site));
  for (std::size_t cell = 0; cell < engine::n_cells(found.way); ++cell)
    cells.push_back(cell_json(found, row.table, cell));
  Json json = {{"rank", i + 1},
               {"sites", sites},
               {"people", row.people},
               {name_of(found.score), row.score},
               {"table", cells}};
  if (found.permutations > 0) json["p_permutations"] = row.p_permutations;
  return json;
}

}  // namespace

std::string score_text(const EpistasisTable& found, double score) {
  return found.score == engine::EpistasisScore::kK2 ? fmt::format("{:.4f}", score)
                                                    : fmt::format("{:.9f}", score);
}

std::string p_text(const EpistasisRow& row) {
  return fmt::format("{:.4g}", row.p_permutations);
}

std::string genotypes_text(const EpistasisTable& found, std::size_t cell) {
  std::string genotypes(found.way, '0');
  for (std::size_t i = found.way; i-- > 0; cell /= engine::kSiteGenotypes)
    genotypes[i] = static_cast<char>('0' + cell % engine::kSiteGenotypes);
  return genotypes;
}

std::string epistasis_table(const EpistasisTable& found) {
  std::vector<std::vector<std::string>> lines = {head(found)};
  for (std::size_t i = 0; i < found.rows.size(); ++i)
    lines.push_back(cells_of(
        found, i, [](const Site& site) { return fmt::format("{} ({}:{})", site.id, site.chrom, site.pos); }));
  std::vector<bool> words(lines[0].size(), false);
  std::fill_n(words.begin() + 1, found.way, true);
  return aligned(lines, words, "  ");
}

std::string epistasis_tsv(const EpistasisTable& found) {
  std::string text = fmt::format("{}\n", fmt::join(head(found), "\t"));
  for (std::size_t i = 0; i < found.rows.size(); ++i)
    text +=
        fmt::format("{}\n", fmt::join(cells_of(found, i, [](const Site& site) { return site.id; }), "\t"));
  return text;
}

std::string epistasis_json(const EpistasisTable& found) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < found.rows.size(); ++i) rows.push_back(json_of(found, i));
  Json document{{"format", "fastid-epistasis"},
                {"format_version", 1},
                {"way", found.way},
                {"score", name_of(found.score)},
                {"controls", found.people[0]},
                {"cases", found.people[1]},
                {"without_phenotype", found.without_phenotype},
                {"min_people", found.min_people},
                {"sites", found.n_sites},
                {"combinations", found.n_combinations},
                {"genotypes", found.carriers ? "carriers" : "copies of the minor allele"},
                {"results", rows},
                {"ties_not_listed", found.ties},
                {"provenance",
                 {{"program", "fastid"},
                  {"version", version()},
                  {"revision", revision()},
                  {"file", found.file},
                  {"phenotypes", found.phenotypes},
                  {"phenotypes_sha256", found.phenotypes_sha256}}}};
  if (found.permutations > 0)
    document["permutations"] = {{"number", found.permutations}, {"seed", found.seed}};
  return document.dump(2) + '\n';
}

}  // namespace fastid::epistasis
