// The laboratory's own database and samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <vector>

#include "asking/survey.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "ingest/ingest.hpp"
#include "panel/site_class.hpp"
#include "stats/evidence.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

/// Beyond this distance from its frequencies a population is another one: F_ST between continents is .1.
constexpr double kMostDistance = .03;

/// How far the stored people are from a population's frequencies, as F_ST: by how much more the shares of
/// carriers differ from the expected shares than they would by chance.
struct Distance {
  double fst = 0;
  std::uint32_t sites = 0;
};

Distance distance(const asking::CallSurvey& survey, const SiteClasses& classes,
                  const std::vector<double>& freq) {
  constexpr double kRare = .01;  // of rarer alleles a sample says little
  double excess = 0, weight = 0;
  Distance found;
  for (const std::uint32_t s : classes.sites(SiteClass::kAutosomal)) {
    const double q = freq[s], p = 1 - q, n = static_cast<double>(survey.called[s]);
    if (q < kRare || q > 1 - kRare || n < 2) continue;
    const double carriers = 1 - p * p, variance = n * carriers * (1 - carriers);
    const double apart = static_cast<double>(survey.carriers[s]) - n * carriers;
    excess += apart * apart / variance - 1;
    weight += 4 * n * p / (1 + p);  // what F_ST adds: n^2 (2p)^2 F p q / variance
    ++found.sites;
  }
  found.fst = weight > 0 ? excess / weight : 0;
  return found;
}

void check_frequencies(const Setting& setting, const db::Reader& reader, report::Result& result) {
  const SiteClasses classes(reader.panel());
  const asking::CallSurvey survey =
      asking::survey_calls(reader, setting.pool.threads(), ProgressMode::kNever);
  report::Table table{"The stored people beside the frequencies",
                      {"population", "sites", "distance (F_ST)"},
                      {true, false, false},
                      {}};
  double nearest = std::numeric_limits<double>::infinity();
  std::string name = "none";
  for (const Population& population : reader.panel().populations()) {
    const Distance found = distance(survey, classes, population.minor_freq);
    table.rows.push_back({population.name, with_commas(found.sites), fmt::format("{:.4f}", found.fst)});
    if (found.fst < nearest) {
      nearest = found.fst;
      name = population.name;
    }
  }
  result.check(
      "distance of the stored people from the nearest population's frequencies",
      fmt::format("F_ST of at most {:g}", kMostDistance),
      std::isfinite(nearest) ? fmt::format("{:.4f} ({})", nearest, name) : "the panel has no frequencies",
      nearest <= kMostDistance);
  result.tables.push_back(std::move(table));
}

/// Some profiles, exported and searched for: each must find itself without a difference.
void check_found(const Setting& setting, const db::Reader& reader, report::Result& result) {
  const std::uint64_t n = reader.shape().n_profiles,
                      asked = std::min(n, setting.size<std::uint64_t>(50, 500));
  ingest::ExportOptions exported{
      .database = reader.path(), .output = setting.folder.file("own.vcf"), .profiles = {}};
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < asked; ++i) rows.push_back(i * n / asked);
  exported.profiles = reader.profile_ids(rows);
  ingest::export_database(exported);
  asking::SearchOptions options = setting.search(exported.output, reader.path());
  options.evidence.population = std::string(stats::kAllPopulations);
  options.evidence.by_rate = true;
  const auto engine = setting.engine();
  const match::MatchTable table = search::search(options, *engine);
  std::size_t found = 0;
  for (const match::QueryMatches& query : table.queries)
    found += std::ranges::any_of(query.rows,
                                 [&](const match::MatchRow& row) {
                                   return row.profile == query.name && row.counts.count == 0;
                                 }) ||
             (!query.rows.empty() && query.rows.back().counts.count == 0);  // more equal ones than are listed
  result.check("stored profiles that are exported, read again and searched for",
               "each finds itself without a difference", fmt::format("{} of {}", found, table.queries.size()),
               found == table.queries.size());
}

/// A line of the table of known samples.
struct Known {
  std::string file, kind;
  std::vector<std::string> contributors;
};

constexpr std::string_view kColumns = "file, kind and contributors";

std::vector<Known> read_known(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
  const std::string text = without_encoding_mark(read_whole_file(path, kMostBytes), path);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::map<std::string_view, std::size_t> at;
  const std::vector<std::string_view> head = split(trim(lines.front()), '\t');
  for (std::size_t i = 0; i < head.size(); ++i) at[head[i]] = i;
  if (!at.contains("file") || !at.contains("kind") || !at.contains("contributors")) {
    refuse_semicolons(lines.front(), path, "line 1");
    throw InputError(path, "line 1", fmt::format("the columns {} are not all there", kColumns),
                     "begin the table as truth.tsv of `fastid db simulate --cases` does, tab-separated");
  }
  std::vector<Known> all;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    const std::vector<std::string_view> cells = split(trim(lines[i]), '\t');
    const std::string place = fmt::format("line {}", i + 1);
    if (cells.size() < head.size())
      throw InputError(path, place,
                       fmt::format("it has {}, not {}", counted(cells.size(), "column"), head.size()),
                       "complete the line");
    Known known{(std::filesystem::path(path).parent_path() / cells[at["file"]]).string(),
                std::string(cells[at["kind"]]),
                {}};
    if (known.kind != "identity" && known.kind != "absent" && known.kind != "mixture")
      throw InputError(
          path, place,
          fmt::format("the kind '{}' is none of identity, absent, mixture", printable(known.kind)),
          "say what the sample is");
    for (const std::string_view id : split(cells[at["contributors"]], ','))
      if (id != "-") known.contributors.emplace_back(id);
    if (known.contributors.empty() != (known.kind == "absent"))
      throw InputError(path, place, "the kind and the contributors do not agree",
                       "name the profiles that an identity or a mixture is of, and write - for absent");
    all.push_back(std::move(known));
  }
  if (all.empty()) throw InputError(path, "", "names no sample", "add a line for each");
  return all;
}

/// What is wrong with the answer about a known sample; "": nothing.
std::string fault_of(const Known& known, const match::QueryMatches& query) {
  const double rare = std::log10(stats::kExplainedByChance);
  if (known.kind == "absent") {
    for (const match::MatchRow& row : query.rows)
      if (row.suggests == "same" && row.log10_chance_matches.value_or(0) < rare)
        return printable(row.profile) + " is taken for the same person";
    return "";
  }
  for (const std::string& id : known.contributors) {
    const auto row = std::ranges::find(query.rows, id, &match::MatchRow::profile);
    if (row == query.rows.end()) return printable(id) + " is not listed";
    if (row->rank > known.contributors.size())
      return fmt::format("{} is listed at place {}", printable(id), row->rank);
    if (row->log10_lr && *row->log10_lr <= 0)
      return fmt::format("{} has a log10 LR of {:.2f}", printable(id), *row->log10_lr);
  }
  return "";
}

}  // namespace

void test_own_database(const Setting& setting, report::Result& result) {
  result.title = "The laboratory's database";
  result.requirement =
      "The database is whole, its people are found in it, and the frequencies that evidence is computed from "
      "are "
      "those of a population like theirs.";
  result.method =
      "The whole file is verified. Some profiles are exported as VCF, read again and searched for. The "
      "shares of the "
      "stored people who carry each minor allele are held against each population of the panel.";
  const db::Reader reader(setting.options.database);
  const std::vector<db::Damage> damage = db::verify(
      reader.path(), setting.pool.threads(), [](std::uint64_t) {}, db::VerifyDepth::kAll);
  result.check(
      "fastid db verify", "no damage",
      damage.empty() ? "no damage" : fmt::format("{}: {}", damage.front().place, damage.front().problem),
      damage.empty());
  if (reader.header().kind == db::Kind::kMixtures) {
    result.note = "The database holds mixtures: only its file was verified.";
    return;
  }
  check_found(setting, reader, result);
  check_frequencies(setting, reader, result);
}

void test_own_samples(const Setting& setting, report::Result& result) {
  result.title = "The laboratory's known samples";
  result.requirement = "Samples whose answers are known have these answers.";
  result.method =
      "Each sample of the table is searched for in the laboratory's database, with fastid's defaults. An "
      "identity "
      "must stand first, and the people of a mixture in the first places, with likelihood ratios above 1. Of "
      "an "
      "absent person nobody may be taken for the same, unless chance explains it.";
  report::Table table{"Known samples",
                      {"sample", "kind", "contributors", "least log10 LR of them", "fault"},
                      {true, true, true, false, true},
                      {}};
  for (const Known& known : read_known(setting.options.truth)) {
    check_interrupt();
    asking::SearchOptions options = setting.search(known.file, setting.options.database);
    options.evidence.population = std::string(stats::kAllPopulations);
    if (known.kind == "mixture") options.comparison = engine::Comparison::kMixture;
    const auto engine = setting.engine();
    const match::MatchTable answer = search::search(options, *engine);
    setting.materials.push_back({known.file, known.kind, sha256_of_file(known.file)});
    std::optional<double> least;
    for (const match::MatchRow& row : answer.queries.at(0).rows)
      if (row.log10_lr && std::ranges::count(known.contributors, row.profile) > 0)
        least = std::min(least.value_or(*row.log10_lr), *row.log10_lr);
    std::string fault =
        answer.queries.size() == 1 ? fault_of(known, answer.queries[0]) : "the file holds several samples";
    result.check(printable(std::filesystem::path(known.file).filename().string()), "as the table says",
                 fault.empty() ? "as the table says" : fault, fault.empty());
    table.rows.push_back({std::filesystem::path(known.file).filename().string(), known.kind,
                          fmt::format("{}", fmt::join(known.contributors, ", ")),
                          least ? fmt::format("{:.2f}", *least) : "-", fault.empty() ? "none" : fault});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace fastid::validate
