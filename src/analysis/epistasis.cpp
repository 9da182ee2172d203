#include "analysis/epistasis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/engines.hpp"
#include "analysis/internal/people_file.hpp"
#include "analysis/internal/phenotype.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/selected.hpp"
#include "bits/turned.hpp"
#include "import/sibling.hpp"
#include "import/text_output.hpp"

namespace fastid {
namespace {

constexpr std::size_t kMostSitesOfTriples = 100'000;

/// The .fam beside the genotypes. \throws UsageError where there is none
std::string fam_beside(const std::string& file) {
  if (!db::is_database(file))
    for (const std::string& beside : files_beside(file))
      if (name_of_text(beside).ends_with(".fam")) return beside;
  throw UsageError(fmt::format("{} does not say who is a case; give --phenotype FILE", file));
}

Phenotypes phenotypes_of(const EpistasisOptions& options, const std::vector<std::string>& ids) {
  const bool given = !options.phenotypes.empty();
  Phenotypes made = read_phenotypes(given ? options.phenotypes : fam_beside(options.file),
                                    given ? PhenotypeCoding::kByContent : PhenotypeCoding::kOneTwo, ids);
  log::note(
      "{}: {}, {}{}{}", made.path, counted(made.rows[1].size(), "case"),
      counted(made.rows[0].size(), "control"),
      made.missing > 0 ? fmt::format(", {} without a phenotype left out", with_commas(made.missing)) : "",
      made.strangers > 0 ? fmt::format(", {} of others", counted(made.strangers, "line")) : "");
  return made;
}

void check(const EpistasisOptions& options, const PeopleFile& file, const Phenotypes& phenotypes) {
  if (file.sites().size() < options.way)
    throw InputError(options.file, "", fmt::format("holds {}", counted(file.sites().size(), "site")),
                     fmt::format("give {} or more", options.way));
  if (options.way == 3 && file.sites().size() > kMostSitesOfTriples)
    throw InputError(options.file, "",
                     fmt::format("holds {} sites, of whose triples no machine sees the end",
                                 with_commas(file.sites().size())),
                     fmt::format("give at most {} (fastid ld --prune finds unlinked ones), or --way 2",
                                 with_commas(kMostSitesOfTriples)));
  if (const std::uint64_t n = phenotypes.rows[0].size() + phenotypes.rows[1].size(); n > kMostTraitPeople)
    throw InputError(options.file, "",
                     fmt::format("holds {} cases and controls, more than can be counted", with_commas(n)),
                     fmt::format("give at most {}", with_commas(kMostTraitPeople)));
}

/// The class of rows of a source on its side.
TurnedBlocks turned(const BlockSource& people, const std::vector<std::uint64_t>& rows, ThreadPool& pool) {
  return {SelectedRows(people, rows), pool};
}

/// Counts a combination again. \throws DeviceError where the engine did not score it so
EpistasisRow row_of(const EpistasisProblem& problem, const TableScorer& scorer,
                    const ScoredCombination& combination, const std::vector<Site>& sites) {
  EpistasisRow row{.sites = {}, .table = count_table(problem, combination.sites)};
  const double cost = scorer.cost(row.table);
  if (cost != combination.cost)
    throw DeviceError("a combination scores otherwise when it is counted again; run it with --device cpu");
  row.score = problem.score == EpistasisScore::kK2 ? cost : -cost;
  for (std::size_t i = 0; i < problem.way; ++i) row.sites.push_back(sites[combination.sites[i]]);
  return row;
}

/// Searches all combinations on all threads.
std::vector<ScoredCombination> best_combinations(const EpistasisProblem& problem,
                                                 const EpistasisEngine& engine, BestCombinations& best,
                                                 ThreadPool& pool, ProgressMode mode) {
  const std::vector<CombinationTile> tiles = tiles_for(problem, engine, pool.threads());
  Progress progress(mode, "comparing", problem.way == 2 ? "pairs" : "triples", n_combinations(problem));
  pool.for_each(tiles.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    engine.find(tiles[i], best);
    progress.add(n_combinations(problem, tiles[i]));
  });
  return best.kept();
}

}  // namespace

EpistasisTable run_epistasis(const EpistasisOptions& options) {
  ThreadPool pool(options.threads > 0 ? options.threads : available_cpus());
  ImportOptions import = options.import;
  import.pool = &pool;
  const PeopleFile file(options.file, import);
  const Phenotypes phenotypes = phenotypes_of(options, file.ids());
  check(options, file, phenotypes);
  EpistasisTable table{.file = options.file,
                       .phenotypes = phenotypes.path,
                       .phenotypes_sha256 = phenotypes.sha256,
                       .way = options.way,
                       .score = options.score,
                       .without_phenotype = phenotypes.missing,
                       .carriers = file.people().shape().encoding == Encoding::kMinor,
                       .rows = {}};
  if (table.carriers)
    log::note("{} says only whether a minor allele was seen: who carries one counts as with two",
              options.file);
  const std::array<TurnedBlocks, kClasses> sites = {turned(file.people(), phenotypes.rows[0], pool),
                                                    turned(file.people(), phenotypes.rows[1], pool)};
  const EpistasisProblem problem{{sites[0].view(), sites[1].view()}, options.way, options.score};
  table.people = {problem.n_people(0), problem.n_people(1)};
  table.n_sites = problem.n_sites();
  table.n_combinations = n_combinations(problem);
  BestCombinations best(options.top);
  const auto engine = make_epistasis_engine_on(options.device, problem);
  const TableScorer scorer(problem);
  for (const ScoredCombination& combination :
       best_combinations(problem, *engine, best, pool, options.progress))
    table.rows.push_back(row_of(problem, scorer, combination, file.sites()));
  table.ties = best.ties();
  return table;
}

}  // namespace fastid
