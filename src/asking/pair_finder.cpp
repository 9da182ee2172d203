#include "asking/pair_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "asking/options.hpp"
#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bits/block_range.hpp"
#include "match/shared_thresholds.hpp"
#include "part/candidates.hpp"
#include "part/stored_queries.hpp"
#include "pipeline/search.hpp"
#include "pipeline/stages.hpp"

namespace fastid::asking {
namespace {

// With --max-chance-matches rows are left out after the search, so that a part holds more than are asked for
// at first.
constexpr std::uint64_t kAhead = 16;

constexpr std::string_view kHaplotypesOfY = "haplotypes of Y", kHaplotypesOfM = "haplotypes of M";
constexpr const char* kQueries = "the queries of the leading process";

Range rows_of(const BlockShape& database, const Shard& shard) {
  const Range blocks = share_of(database.n_blocks(), shard);
  return {blocks.first * kLanes, std::min(database.n_profiles, blocks.end * kLanes)};
}

/// The part that has a row of the database.
const part::File& part_of(const part::PartSet& parts, std::uint64_t row, const BlockShape& database) {
  std::size_t i = 0;
  while (i + 1 < parts.size() && row >= rows_of(database, parts.part(i).head().shard).end) ++i;
  return parts.part(i);
}

/// The best pairs of the rows of a shard that are asked for, verified. \param given  the engine that computes
/// them, if it supports the problem
std::vector<match::RankedPairs> ranked_pairs(engine::Engine& given, const PreparedQuestion& asked,
                                             const Shard& shard, match::RunInfo& run) {
  const Stopwatch searching;
  const std::size_t threads = threads_of(asked.options);
  const BlockRange blocks(asked.reader, share_of(asked.reader.shape().n_blocks(), shard));
  engine::Problem problem = asked.problem;
  problem.database = blocks.shape();
  const std::unique_ptr<engine::Engine> own =
      given.supports(problem) ? nullptr : problem.custom_count->make_engine(threads);
  engine::Engine& engine = own ? *own : given;
  if (engine.name() != given.name())
    log::note("the {} engine computes this in place of {}", engine.name(), given.name());
  std::optional<RowMask> rows;
  if (asked.chosen.rows) rows = blocks.of(*asked.chosen.rows);
  std::optional<CountedBlocks> counted;
  if (asked.haplotypes != nullptr && !asked.haplotypes->done())
    counted.emplace(blocks, rows ? &*rows : nullptr, *asked.haplotypes);
  const BlockSource& source = counted ? static_cast<const BlockSource&>(*counted) : blocks;
  pipeline::SearchResult found{std::vector<match::RankedPairs>(problem.queries->n_rows()), {}};
  if (rows ? rows->count() > 0 : problem.database.n_profiles > 0) {
    Progress progress(asked.options.progress, "searching", "profiles", problem.database.n_profiles);
    found = pipeline::search_database(source, problem, engine, asked.keeping, threads, progress,
                                      rows ? &*rows : nullptr);
    for (match::RankedPairs& query : found.ranked)
      for (engine::Pair& pair : query.pairs) pair.row += blocks.first_row();
    if (counted) counted->finish(threads);
  }
  pipeline::verify(asked.reader, asked.problem, pipeline::blame_on(engine), found.ranked, threads);
  run.search_seconds += searching.seconds();
  run.workers = found.stats.workers;
  run.tile_blocks = found.stats.tile_blocks;
  run.engine = engine.name();
  run.description = engine.description();
  log::detail("engine: {}", run.description);
  const double bits = static_cast<double>(problem.queries->n_rows()) *
                      static_cast<double>(problem.database.n_profiles) * problem.database.n_sites;
  for (const std::string& line : pipeline::describe_stages(
           found.stats, engine.peaks(), engine.expected(problem), bits, searching.seconds()))
    log::detail("{}", line);
  return std::move(found.ranked);
}

}  // namespace

std::string digest_of(const db::Reader& reader) {
  const db::Header& header = reader.header();
  return fmt::format("{} {} {}", header.content_sha256, header.panel_sha256, header.shape.n_profiles);
}

std::string digest_of(const db::ChosenRows& chosen) {
  if (!chosen.rows) return "all";
  Sha256 hash;
  const std::vector<std::uint64_t> rows = chosen.rows->list();
  hash.update(rows.data(), rows.size() * sizeof rows.front());
  return hash.hex();
}

void PairFinder::rests_on(std::string_view what, const std::string& digest) {
  if (work_.parts() != nullptr) work_.parts()->check(what, digest);
  basis_.push_back({std::string(what), digest});
}

// A part of the first shard has them, and the leading process sends them to the others.
match::Queries PairFinder::read(std::string_view what, std::uint32_t n_sites,
                                const std::function<match::Queries()>& read,
                                std::vector<match::FailedInput>* failed) {
  if (Team* const team = work_.team()) {
    if (!team->leads())
      return part::read_queries(what, part::File(kQueries, team->told({})), n_sites, failed);
    match::Queries queries = read();
    part::Writer to;
    part::add_queries(what, queries, failed, to);
    to.finish({});
    team->told(to.take());
    return queries;
  }
  if (work_.parts() == nullptr && work_.head() == nullptr) return read();
  match::Queries queries =
      work_.parts() != nullptr ? part::read_queries(what, work_.parts()->part(0), n_sites, failed) : read();
  rests_on(what, part::digest_of(queries));
  if (work_.head() != nullptr && work_.head()->shard.index == 1)
    part::add_queries(what, queries, failed, *work_.to());
  return queries;
}

// Of a team only the leader needs them, and others have shards to do.
void PairFinder::count(const BlockSource& sample, const engine::Problem& problem, std::size_t threads,
                       match::CountHistograms& histograms) {
  if (work_.team() != nullptr && !work_.team()->leads()) return;
  if (work_.parts() != nullptr)
    return part::read_histograms(*work_.parts(), problem.queries->n_rows(), histograms);
  if (work_.head() == nullptr) return pipeline::count_sample(sample, problem, threads, histograms);
  const BlockRange own(sample, share_of(sample.shape().n_blocks(), work_.head()->shard));
  if (own.shape().n_profiles > 0) pipeline::count_sample(own, problem, threads, histograms);
  part::add_histograms(histograms, problem.queries->n_rows(), *work_.to());
}

std::optional<std::vector<match::RankedPairs>> PairFinder::rank(const PreparedQuestion& asked,
                                                                match::RunInfo& run) {
  PreparedQuestion of_shard = asked;
  std::optional<match::SharedThresholds> thresholds;
  if (work_.team() != nullptr)
    of_shard.keeping.thresholds =
        &thresholds.emplace(asked.problem.queries->n_rows(), asked.keeping.rule, asked.keeping.rules);
  std::vector<match::RankedPairs> ranked;
  const Task task{.basis = [&] { return basis_; },
                  .run = [&] { ranked = ranked_pairs(engine_, asked, {}, run); },
                  .run_shard =
                      [&](part::Head& head, part::Writer& to) {
                        rank_shard(of_shard, head, to);
                        return std::string();
                      },
                  .merge = [&](const part::PartSet& parts) { ranked = merge(asked, parts, run); },
                  .threads = threads_of(asked.options),
                  .thresholds = of_shard.keeping.thresholds};
  return work_.finish(task) ? std::optional(std::move(ranked)) : std::nullopt;
}

void PairFinder::rank_shard(const PreparedQuestion& asked, part::Head& head, part::Writer& to) const {
  match::RunInfo run;
  PreparedQuestion wider = asked;
  std::uint64_t& top = wider.keeping.rule.top;
  if (asked.options.evidence.max_chance_matches)
    top = top > match::KeepRule::kAll / kAhead ? match::KeepRule::kAll : top * kAhead;
  std::unique_ptr<HaplotypeCount> haplotypes;  // of this shard; a process may do several
  if (asked.haplotypes != nullptr) haplotypes = asked.haplotypes->again();
  wider.haplotypes = haplotypes.get();
  part::add_candidates(ranked_pairs(engine_, wider, head.shard, run), to);
  if (haplotypes) {
    part::add_histograms(haplotypes->tallies().y, haplotypes->n_queries(), to, kHaplotypesOfY);
    part::add_histograms(haplotypes->tallies().m, haplotypes->n_queries(), to, kHaplotypesOfM);
  }
  head.held = top;
  head.run.engine = run.engine;
  head.run.description = run.description;
  head.run.workers = run.workers;
}

std::vector<match::RankedPairs> PairFinder::merge(const PreparedQuestion& asked, const part::PartSet& parts,
                                                  match::RunInfo& run) const {
  if (asked.haplotypes != nullptr && !asked.haplotypes->done()) {
    HaplotypeTallies& tallies = asked.haplotypes->tallies();
    part::read_histograms(parts, asked.haplotypes->n_queries(), tallies.y, kHaplotypesOfY);
    part::read_histograms(parts, asked.haplotypes->n_queries(), tallies.m, kHaplotypesOfM);
    asked.haplotypes->done(true);
  }
  if (asked.keeping.rule.top > parts.head().held) {
    log::note("the parts hold {} candidates of a query, and {} are needed: searching here",
              with_commas(parts.head().held), with_commas(asked.keeping.rule.top));
    return ranked_pairs(engine_, asked, {}, run);
  }
  const Stopwatch merging;
  const std::size_t threads = threads_of(asked.options);
  const auto rows = [&](const Shard& shard) { return rows_of(asked.reader.shape(), shard); };
  std::vector<match::RankedPairs> ranked = part::merged(
      parts, asked.problem.queries->n_rows(), asked.keeping.rule, asked.keeping.rules, rows, threads);
  log::detail("{} merged in {:.3f} s", counted(parts.size(), "part"), merging.seconds());
  const match::Blame blame = [&](std::uint64_t row, const std::string& problem) {
    part_of(parts, row, asked.reader.shape()).refuse(part::kCandidates, problem);
  };
  pipeline::verify(asked.reader, asked.problem, blame, ranked, threads);
  const bool again = !run.engine.empty();  // more rows of the same parts
  const part::RunFacts facts = facts_of(parts);
  run.engine = facts.engine;
  run.description = facts.description;
  if (!again) {
    run.workers += facts.workers;
    run.search_seconds += facts.search_seconds;
  }
  return ranked;
}

}  // namespace fastid::asking
