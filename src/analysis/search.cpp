#include "analysis/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "analysis/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "db/database.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stages.hpp"

namespace fastid {
namespace {

/// A search of people in mixtures, or the other way round, gives numbers that mean nothing.
void check_kind(const SearchOptions& options, db::Kind kind) {
  const bool wants_mixtures = options.comparison == Comparison::kReverseMixture;
  if (wants_mixtures == (kind == db::Kind::kMixtures)) return;
  if (wants_mixtures)
    throw InputError(options.database, "",
                     "holds individuals, and --reverse looks for mixtures that a person is part of",
                     "build it with --kind mixtures, or leave --reverse out");
  throw InputError(options.database, "", "holds mixtures, not individuals",
                   "use `fastid mixture --reverse` to find the mixtures that a person may be part of");
}

std::uint32_t bits_of(const RowView& row) {
  std::uint32_t set = 0;
  for (const Word word : row.bits) set += static_cast<std::uint32_t>(std::popcount(word));
  return set;
}

Provenance provenance_of(const SearchOptions& options, const db::Reader& reader) {
  const db::Header& header = reader.header();
  return {.database = options.database,
          .database_kind = std::string(db::name_of(header.kind)),
          .n_profiles = header.shape.n_profiles,
          .n_sites = header.shape.n_sites,
          .genome_build = std::string(name_of(header.build)),
          .panel_sha256 = header.panel_sha256,
          .content_xxh3 = reader.content_checksum(),
          .format_version = header.format_version,
          .rule = options.rule,
          .ignore_build = options.import.ignore_build,
          .absent_as_reference = options.import.absent_as_reference};
}

/// What was kept, with names: each row's id is read from the database once.
std::vector<QueryMatches> name_matches(const Queries& queries, const std::vector<RankedHits>& ranked,
                                       const db::Reader& reader) {
  std::vector<std::uint64_t> rows;
  for (const RankedHits& query : ranked)
    for (const Hit& hit : query.hits) rows.push_back(hit.row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::vector<std::string> ids = reader.profile_ids(rows);

  std::vector<QueryMatches> named;
  for (std::size_t q = 0; q < ranked.size(); ++q) {
    const QuerySource& source = queries.sources[q];
    QueryMatches matches{source.name,
                         source.file,
                         source.sha256,
                         queries.rows.called_sites(q),
                         bits_of(queries.rows.row(q)),
                         {},
                         ranked[q].ties_cut};
    for (const Hit& hit : ranked[q].hits) {
      const auto at = std::lower_bound(rows.begin(), rows.end(), hit.row) - rows.begin();
      matches.rows.push_back(
          {matches.rows.size() + 1, hit.row, ids[static_cast<std::size_t>(at)], hit.counts, {}, {}, {}});
    }
    named.push_back(std::move(matches));
  }
  return named;
}

void say_ties(const std::vector<QueryMatches>& queries) {
  for (const QueryMatches& query : queries)
    if (query.ties_cut > 0)
      log::warn("query {}: {} more profile{} tie{} with the last one listed; --top {} would list all",
                query.name, with_commas(query.ties_cut), query.ties_cut == 1 ? "" : "s",
                query.ties_cut == 1 ? "s" : "", query.rows.size() + query.ties_cut);
}

void say_stages(const StreamStats& stats, const Engine& engine, double seconds, const Problem& problem) {
  const double bits = static_cast<double>(problem.queries->n_rows()) *
                      static_cast<double>(problem.database.n_profiles) * problem.database.n_sites;
  for (const std::string& line : describe_stages(stats, engine.peaks(), seconds, bits))
    log::detail("{}", line);
}

}  // namespace

MatchTable search(const SearchOptions& options, Engine& engine) {
  const Stopwatch total;
  MatchTable table{.comparison = options.comparison};
  table.run = {.command_line = options.command_line,
               .engine = engine.name(),
               .description = engine.description(),
               .started_utc = utc_now()};

  const db::Reader reader(options.database);
  check_kind(options, reader.header().kind);
  table.run.open_seconds = total.seconds();
  log::detail("{}: {} of {}, build {}", options.database, counted(reader.shape().n_profiles, "profile"),
              counted(reader.shape().n_sites, "site"), name_of(reader.header().build));

  const Stopwatch reading;
  const Queries queries = read_queries(options.queries, reader.panel(), options.import);
  table.run.query_seconds = reading.seconds();

  const Stopwatch searching;
  const Problem problem{options.comparison, &queries.rows, reader.shape(), reader.has_called()};
  Ranking ranking(options.comparison, queries.rows.n_rows(), options.rule);
  Progress progress(options.progress, "searching", "profiles", reader.shape().n_profiles);
  log::detail("engine: {}", engine.description());
  const StreamStats stats = stream(reader, 0, reader.shape().n_blocks(), problem, engine, ranking, progress);
  table.run.search_seconds = searching.seconds();
  table.run.lanes = stats.lanes;
  table.run.tile_blocks = stats.tile_blocks;
  say_stages(stats, engine, table.run.search_seconds, problem);

  table.queries = name_matches(queries, ranking.result(), reader);
  table.provenance = provenance_of(options, reader);
  say_ties(table.queries);
  table.run.peak_memory_bytes = peak_memory_bytes();
  table.run.total_seconds = total.seconds();
  log::detail("{:.3f} s in all, at most {} MiB of memory", table.run.total_seconds,
              table.run.peak_memory_bytes >> 20);
  return table;
}

}  // namespace fastid
