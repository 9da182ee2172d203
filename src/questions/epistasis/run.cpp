#include "questions/epistasis/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>

#include "asking/counted_sites.hpp"
#include "asking/engines.hpp"
#include "asking/people_file.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "bits/selected.hpp"
#include "bits/turned.hpp"
#include "import/sibling.hpp"
#include "import/text_output.hpp"
#include "questions/epistasis/part.hpp"
#include "questions/epistasis/permutations.hpp"
#include "questions/epistasis/phenotype.hpp"

namespace fastid::epistasis {
namespace {

/// Sites of combinations of three and of four.
constexpr std::size_t kMostSitesOfTriples = 100'000, kMostSitesOfQuadruples = 10'000;

/// The .fam beside the genotypes. \throws UsageError where there is none
std::string fam_beside(const std::string& file) {
  if (!db::is_database(file))
    for (const std::string& beside : imports::files_beside(file))
      if (imports::name_of_text(beside).ends_with(".fam")) return beside;
  throw UsageError(fmt::format("{} does not say who is a case; give --phenotype FILE", file));
}

Phenotypes phenotypes_of(const EpistasisOptions& options, const std::vector<std::string>& ids) {
  const bool given = !options.phenotypes.empty();
  Phenotypes made = read_phenotypes(given ? options.phenotypes : fam_beside(options.file),
                                    given ? PhenotypeCoding::kByContent : PhenotypeCoding::kOneTwo, ids);
  log::note(
      "{}: {}, {}{}{}", made.path, counted(made.people[1].size(), "case"),
      counted(made.people[0].size(), "control"),
      made.missing > 0 ? fmt::format(", {} without a phenotype left out", with_commas(made.missing)) : "",
      made.strangers > 0 ? fmt::format(", {} of others", counted(made.strangers, "line")) : "");
  return made;
}

void check(const EpistasisOptions& options, std::size_t n_sites, const Phenotypes& phenotypes) {
  const std::string& of = options.sites.empty() ? options.file : options.sites;
  const char* const holds = options.sites.empty() ? "holds" : "lists";
  if (n_sites < options.way)
    throw InputError(of, "", fmt::format("{} {}", holds, counted(n_sites, "site")),
                     fmt::format("give {} or more", options.way));
  const std::size_t most = options.way == 3 ? kMostSitesOfTriples : kMostSitesOfQuadruples;
  if (options.way > 2 && n_sites > most)
    throw InputError(of, "",
                     fmt::format("{} {} sites, of whose {}s no machine sees the end", holds,
                                 with_commas(n_sites), combination_name(options.way)),
                     fmt::format("give at most {} (fastid ld --prune finds unlinked ones), or --way {}",
                                 with_commas(most), options.way - 1));
  if (const std::uint64_t n = phenotypes.people[0].size() + phenotypes.people[1].size();
      n > engine::kMostTraitPeople)
    throw InputError(options.file, "",
                     fmt::format("holds {} cases and controls, more than can be counted", with_commas(n)),
                     fmt::format("give at most {}", with_commas(engine::kMostTraitPeople)));
}

/// How many people must be called at all sites of a combination. \throws UsageError
std::uint64_t min_people_of(const EpistasisOptions& options, const Phenotypes& phenotypes) {
  const std::uint64_t all = phenotypes.people[0].size() + phenotypes.people[1].size();
  const std::uint64_t min = options.min_people.value_or((all * 9 + 9) / 10);
  if (min > all)
    throw UsageError(fmt::format("--min-people {}: there are {} cases and controls; give fewer",
                                 with_commas(min), with_commas(all)));
  return min;
}

/// Names the sites that are called in too few people to be in any combination.
void warn_of_missing_calls(const engine::EpistasisProblem& problem, const std::vector<Site>& sites,
                           const std::string& file) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> named;
  std::uint64_t n = 0;
  for (std::uint32_t site = 0; site < problem.n_sites(); ++site) {
    std::uint64_t called = 0;
    for (const BlocksView& people : problem.classes)
      for (std::size_t word = 0; word < people.shape.n_words(); ++word)
        called += static_cast<std::uint64_t>(bits_set(people.called_word(site, word)));
    if (called >= problem.min_people) continue;
    if (++n <= kNamed)
      named.push_back(fmt::format("{} ({} of {} people)", printable(sites[site].id), with_commas(called),
                                  with_commas(problem.n_people())));
  }
  if (n > 0)
    log::warn(
        "{}: {} called in fewer than {} people, and in no combination that is listed: {}{}; --min-people "
        "lowers the limit",
        file, n == 1 ? "1 site is" : with_commas(n) + " sites are", with_commas(problem.min_people),
        fmt::join(named, ", "), n > kNamed ? " and others" : "");
}

/// A class turned on its side: sites are profiles, and the people of these rows are bits.
TurnedBlocks turned(const BlockSource& people, const std::vector<std::uint64_t>& rows, ThreadPool& pool) {
  return {SelectedRows(people, rows), pool};
}

/// Counts a combination again. \throws DeviceError where the engine did not score it so
EpistasisRow row_of(const engine::EpistasisProblem& problem, const engine::TableScorer& scorer,
                    const engine::ScoredCombination& combination, const std::vector<Site>& sites) {
  EpistasisRow row{.sites = {}, .table = engine::count_table(problem, combination.sites)};
  row.people = engine::n_people(row.table);
  const double cost = scorer.cost(row.table);
  if (cost != combination.cost)
    throw DeviceError("a combination scores otherwise when it is counted again; run it with --device cpu");
  row.score = problem.score == engine::EpistasisScore::kK2 ? cost : -cost;
  for (std::size_t i = 0; i < problem.way; ++i) row.sites.push_back(sites[combination.sites[i]]);
  return row;
}

}  // namespace

struct EpistasisSearch::Impl {
  explicit Impl(const EpistasisOptions& asked)
      : options(asked), pool(threads_or_all(asked.device.engine.threads)), device_taken(asked.device) {
    imports::ImportOptions import = options.import;
    import.pool = &pool;
    const asking::PeopleFile file(options.file, import);
    const Phenotypes phenotypes = phenotypes_of(options, file.ids());
    const asking::AutosomalSites autosomal(file.panel(), options.file, options.sites);
    check(options, autosomal.count(), phenotypes);
    sites = autosomal.sites();
    for (std::size_t of = 0; of < engine::kClasses; ++of)
      classes[of].emplace(autosomal.keep(turned(file.people(), phenotypes.people[of], pool)));
    problem = {{classes[0]->view(), classes[1]->view()},
               options.way,
               options.score,
               min_people_of(options, phenotypes),
               options.permutations > 0};
    warn_of_missing_calls(problem, sites, options.file);
    describe(file, phenotypes);
  }

  void describe(const asking::PeopleFile& file, const Phenotypes& phenotypes) {
    facts = {.file = options.file,
             .phenotypes = phenotypes.path,
             .phenotypes_sha256 = phenotypes.sha256,
             .way = options.way,
             .score = options.score,
             .people = {problem.n_people(0), problem.n_people(1)},
             .without_phenotype = phenotypes.missing,
             .min_people = problem.min_people,
             .n_sites = problem.n_sites(),
             .n_combinations = engine::n_combinations(problem),
             .carriers = file.people().shape().encoding == Encoding::kMinor,
             .rows = {},
             .permutations = options.permutations,
             .seed = options.seed};
    if (facts.carriers)
      log::note("{} says only whether a minor allele was seen: who carries one counts as with two",
                options.file);
  }

  /// Made when it is first asked for: a merge of parts takes none. Thread-safe.
  const engine::EpistasisEngine& engine() const {
    std::call_once(engine_once,
                   [&] { engine_made = asking::make_epistasis_engine_on(device_taken, problem); });
    return *engine_made;
  }

  /// The device of engine().
  const std::string& device() const {
    engine();
    return device_taken.device;
  }

  /// What parts rest on besides their options.
  std::vector<part::Basis> basis() const {
    Sha256 digest;
    for (const Site& site : sites)
      digest.update(fmt::format("{}\t{}\t{}\t{}{}\n", site.chrom, site.pos, site.id, site.major, site.minor));
    for (const BlocksView& people : problem.classes) {
      digest.update(fmt::format("{}\n", people.shape.n_sites));
      for (std::size_t block = 0; block < people.shape.n_blocks(); ++block) {
        const std::uint64_t checksum = people.checksum(block);
        digest.update(&checksum, sizeof(checksum));
      }
    }
    return {{"phenotypes", facts.phenotypes_sha256}, {"genotypes", digest.hex()}};
  }

  /// Searches a shard's combinations on all threads. \return how many they are
  std::uint64_t find(const Shard& shard, engine::BestCombinations& best) const {
    const std::vector<engine::Rectangle> tiles = engine::tiles_for(problem, engine(), pool.threads(), shard);
    std::uint64_t n = 0;
    for (const engine::Rectangle& tile : tiles) n += engine::n_combinations(problem, tile);
    Progress progress(options.progress, "comparing", fmt::format("{}s", combination_name(problem.way)), n);
    pool.for_each(tiles.size(), [&](std::size_t i, const ThreadPool::Stop&) {
      check_interrupt();
      engine().find(tiles[i], best);
      progress.add(engine::n_combinations(problem, tiles[i]));
    });
    return n;
  }

  /// A permutation of the trait, and what is searched for its best combination.
  struct Permuted {
    Permuted(const Impl& of, std::uint64_t index, double limit)
        : trait(of.problem, of.options.seed, index),
          engine(of.engine().dealt_again(trait.problem())),
          best(1, limit) {}

    double lowest() const {
      const std::vector<engine::ScoredCombination> kept = best.kept();
      return kept.empty() ? std::numeric_limits<double>::infinity() : kept[0].cost;
    }

    PermutedTrait trait;
    std::unique_ptr<engine::EpistasisEngine> engine;
    engine::BestCombinations best;
  };

  /// How many are searched at a time: one thread makes each, while a device waits, and an engine may take
  /// some together. All are in memory, each with the most copies that an engine makes, and so are the people
  /// of the search itself.
  std::size_t permutations_at_once() const {
    constexpr double kMostBytes = 1U << 30;
    constexpr double kPlanes = 2 + 6;  // of bits
    const auto most = static_cast<double>(std::max(pool.threads(), engine().dealt_at_once()));
    const double bytes = kPlanes / CHAR_BIT * static_cast<double>(problem.n_people()) * problem.n_sites();
    double allowed = kMostBytes;
    if (const auto& memory = options.device.engine.memory)
      allowed = std::min(allowed, static_cast<double>(*memory) - bytes);
    return static_cast<std::size_t>(std::clamp(allowed / bytes, 1.0, most));
  }

  /// Of each permutation of the trait the lowest cost of a shard's combinations, so far as it may be as good
  /// as one of those that were found by engine(). \param enough  what is as good as this need not be known
  /// better
  std::vector<double> permuted(const Shard& shard, const engine::BestCombinations& found,
                               double enough) const {
    const double limit = as_good_as(found.worst());
    Progress progress(options.progress, "permuting", "permutations", options.permutations);
    std::vector<double> lowest;
    const std::vector<engine::Rectangle> tiles = engine::tiles_for(problem, engine(), pool.threads(), shard);
    for_permutations(options.permutations, permutations_at_once(), [&](std::size_t first, std::size_t n) {
      std::vector<std::optional<Permuted>> some(n);
      pool.for_each(
          n, [&](std::size_t i, const ThreadPool::Stop&) { some[i].emplace(*this, first + i, limit); });
      const std::size_t groups = ceil_div(n, engine().dealt_at_once()), together = ceil_div(n, groups);
      pool.for_each(groups * tiles.size(), [&](std::size_t i, const ThreadPool::Stop&) {
        check_interrupt();
        const std::size_t begin = i / tiles.size() * together;
        std::vector<engine::DealtSearch> open;
        for (std::size_t one = begin; one < std::min(begin + together, n); ++one)
          if (some[one]->best.worst() > enough) open.push_back({&*some[one]->engine, &some[one]->best});
        engine().find_dealt(tiles[i % tiles.size()], open);
      });
      for (const auto& one : some) lowest.push_back(one->lowest());
      progress.add(n);
    });
    return lowest;
  }

  EpistasisTable find_all() const {
    engine::BestCombinations best(options.top);
    find({}, best);
    const std::vector<engine::ScoredCombination> kept = best.kept();
    const double enough = kept.empty() ? -std::numeric_limits<double>::infinity() : kept.front().cost;
    return table_of(best, 0, permuted({}, best, enough));
  }

  /// Whether these are a combination's places.
  bool ascends(const engine::SiteCombination& places) const {
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(problem.way);
    return std::ranges::adjacent_find(places.begin(), end, std::greater_equal<>()) == end &&
           *std::prev(end) < problem.n_sites() &&
           std::ranges::all_of(end, places.end(), [](auto place) { return place == 0; });
  }

  EpistasisTable merge(const part::PartSet& parts) const {
    const auto n = static_cast<std::uint32_t>(parts.size());
    std::vector<std::vector<engine::Rectangle>> tiles;
    for (std::uint32_t i = 1; i <= n; ++i) tiles.push_back(engine::tiles_of_shard(problem, {i, n}));
    const auto is_own = [&](std::size_t i, const engine::SiteCombination& places) {
      return ascends(places) && engine::hold(tiles[i], problem.way, places);
    };
    engine::BestCombinations best(options.top);
    const std::uint64_t further_ties = fastid::epistasis::offer_all(parts, options.top, is_own, best);
    return table_of(best, further_ties, fastid::epistasis::permutations_of(parts, options.permutations));
  }

  /// \param permuted  of each permutation the lowest cost
  EpistasisTable table_of(const engine::BestCombinations& best, std::uint64_t further_ties,
                          const std::vector<double>& permuted) const {
    EpistasisTable table = facts;
    const engine::TableScorer scorer(problem);
    for (const engine::ScoredCombination& combination : best.kept()) {
      table.rows.push_back(row_of(problem, scorer, combination, sites));
      table.rows.back().p_permutations = p_of_permutations(combination.cost, permuted);
    }
    table.ties = best.ties() + further_ties;
    return table;
  }

  EpistasisOptions options;
  mutable ThreadPool pool;
  mutable asking::DeviceOptions device_taken;  ///< as asked for; auto becomes what engine() took
  mutable std::once_flag engine_once;          ///< of engine()
  std::vector<Site> sites;
  std::array<std::optional<TurnedBlocks>, engine::kClasses> classes;
  engine::EpistasisProblem problem;
  EpistasisTable facts;  ///< without rows
  mutable std::unique_ptr<engine::EpistasisEngine> engine_made;
};

EpistasisSearch::EpistasisSearch(const EpistasisOptions& options) : impl_(std::make_unique<Impl>(options)) {}
EpistasisSearch::~EpistasisSearch() = default;

std::optional<EpistasisTable> EpistasisSearch::find_share(asking::Work& work) const {
  const Impl& of = *impl_;
  EpistasisTable table;
  const asking::Task task{.basis = [&] { return of.basis(); },
                          .run = [&] { table = of.find_all(); },
                          .run_shard =
                              [&](part::Head& head, part::Writer& to) {
                                head.run.engine = head.run.description = of.device();
                                head.run.workers = of.pool.threads();
                                engine::BestCombinations best(of.options.top);
                                const std::uint64_t n = of.find(head.shard, best);
                                fastid::epistasis::add_combinations(best, to);
                                constexpr double kNever = -std::numeric_limits<double>::infinity();
                                fastid::epistasis::add_permutations(of.permuted(head.shard, best, kNever),
                                                                    to);
                                return counted(n, combination_name(of.options.way));
                              },
                          .merge = [&](const part::PartSet& parts) { table = of.merge(parts); },
                          .threads = of.pool.threads()};
  return work.finish(task) ? std::optional(std::move(table)) : std::nullopt;
}

}  // namespace fastid::epistasis
