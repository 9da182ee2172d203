#include "analysis/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/internal/compared_by.hpp"
#include "analysis/internal/notes.hpp"
#include "analysis/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/sample.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/verify.hpp"
#include "stats/site_walk.hpp"

namespace fastid {
namespace {

/// Refuses a search for people among mixtures, or the other way round, since its numbers would be
/// meaningless.
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

ReadingParameters reading_of(const ImportOptions& options) {
  ReadingParameters reading{.ignore_build = options.ignore_build,
                            .absent_as_reference = options.absent_as_reference,
                            .palindromic = std::string(name_of(options.palindromic)),
                            .reference = options.reference};
  if (options.depths) {
    reading.min_depth = options.depths->min_depth;
    reading.min_allele_fraction = options.depths->min_fraction;
  }
  return reading;
}

Provenance provenance_of(const SearchOptions& options, const db::Reader& reader, const Evidence& evidence) {
  const db::Header& header = reader.header();
  return {.database = options.database,
          .database_kind = std::string(db::name_of(header.kind)),
          .database_bytes = reader.file_bytes(),
          .n_profiles = header.shape.n_profiles,
          .n_sites = header.shape.n_sites,
          .genome_build = std::string(name_of(header.build)),
          .panel_sha256 = header.panel_sha256,
          .content_sha256 = header.content_sha256,
          .format_version = header.format_version,
          .rule = options.rule,
          .evidence = evidence.parameters(),
          .populations = evidence.populations(),
          .reading = reading_of(options.import),
          .skip_checksums = options.skip_checksums};
}

/// Each query with its shortlist, whose rows have no names yet.
std::vector<QueryMatches> matches_of(const Queries& queries, std::span<const QueryRule> own,
                                     const std::vector<RankedPairs>& ranked) {
  std::vector<QueryMatches> all;
  for (std::size_t q = 0; q < ranked.size(); ++q) {
    const QuerySource& source = queries.sources[q];
    QueryMatches matches{.name = source.name,
                         .file = source.file,
                         .sha256 = source.sha256,
                         .called_sites = queries.rows.called_sites(q),
                         .minor_alleles = stats::count_set(queries.rows.row(q).bits),
                         .balance = own[q].balance,
                         .rows = {},
                         .ties_cut = ranked[q].ties_cut,
                         .evidence = {},
                         .histogram = {}};
    for (const Pair& pair : ranked[q].pairs) matches.rows.push_back({.row = pair.row, .counts = pair.counts});
    all.push_back(std::move(matches));
  }
  return all;
}

/// Names the listed rows; each stored profile's id is read once.
void name_rows(const db::Reader& reader, std::vector<QueryMatches>& queries) {
  std::vector<std::uint64_t> rows;
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows) rows.push_back(row.row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::vector<std::string> ids = reader.profile_ids(rows);
  for (QueryMatches& query : queries)
    for (MatchRow& row : query.rows) {
      const auto at = std::lower_bound(rows.begin(), rows.end(), row.row) - rows.begin();
      row.profile = ids[static_cast<std::size_t>(at)];
    }
}

QueryHistogram histogram_of(const CountHistograms& histograms, std::size_t query, const Spread& sample,
                            std::uint32_t most) {
  QueryHistogram histogram{
      .profiles = histograms.of_query(query), .n_profiles = sample.shape().n_profiles, .step = sample.step()};
  histogram.profiles.resize(std::size_t{most} + 1);  // no count is higher
  histogram.not_comparable =
      histogram.n_profiles - std::reduce(histogram.profiles.begin(), histogram.profiles.end());
  return histogram;
}

bool same_profile(const RowView& a, const RowView& b) {
  return std::ranges::equal(a.bits, b.bits) && std::ranges::equal(a.called, b.called) &&
         std::ranges::equal(a.major, b.major);
}

void check_known(const Queries& known) {
  for (std::size_t i = 0; i < known.sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_profile(known.rows.row(i), known.rows.row(j)))
        throw InputError(display_name(known.sources[i].file), "",
                         fmt::format("its {} has the same profile as {}", printable(known.sources[i].name),
                                     printable(known.sources[j].name)),
                         "name each known contributor once");
}

/// The people who are assumed to have contributed to each mixture.
Queries read_known(const SearchOptions& options, const db::Reader& reader) {
  if (options.evidence.known.empty()) return {{}, ProfileRows(0, reader.shape().n_sites)};
  if (options.comparison == Comparison::kReverseMixture)
    throw UsageError("--known is of one mixture's contributors; leave it or --reverse out");
  ImportOptions import = options.import;
  import.individuals = true;
  Queries known = read_queries(options.evidence.known, reader.panel(), import);
  check_known(known);
  return known;
}

/// One search: its data and its steps.
class Search {
 public:
  Search(const SearchOptions& options, Engine& engine, const db::Reader& reader, const Queries& queries,
         Queries known, Encoding by)
      : options_(options),
        engine_(engine),
        reader_(reader),
        queries_(queries),
        evidence_(options.evidence, options.comparison, by, reader, std::move(known), options.rule.top),
        problem_{options.comparison, &queries.rows, reader.shape(), reader.has_second(), by} {}

  /// Fills in the table's queries and how the search was divided into tiles and workers.
  void run(MatchTable& table) {
    const std::vector<ChosenLimit> limits = choose_limits();
    say_limits(options_, problem_.by, queries_, limits);
    std::vector<QueryRule> own(queries_.rows.n_rows());
    for (std::size_t q = 0; q < limits.size(); ++q) own[q].max_count = limits[q].max_count.value_or(0);
    const std::vector<Balance> balances = evidence_.balances(queries_.rows, threads());
    for (std::size_t q = 0; q < balances.size(); ++q) own[q].balance = balances[q];
    const std::vector<QueryHistogram> histograms = count_histograms();
    KeepRule rule = options_.rule;
    if (evidence_.orders()) rule.top = shortlisted(rule.top);
    for (;; rule.top = rule.top > KeepRule::kAll / kWider ? KeepRule::kAll : rule.top * kWider) {
      table.queries = matches_of(queries_, own, rank(rule, own, table.run));
      for (std::size_t q = 0; q < histograms.size(); ++q) table.queries[q].histogram = histograms[q];
      const std::vector<bool> open = queries_with_more(rule.top, limits, table.queries);
      const Stopwatch weighing;
      weigh(table.queries);
      table.run.evidence_seconds += weighing.seconds();
      if (enough(open, table.queries)) break;
      log::detail("profiles with few sites were left out; searching for others");
    }
    name_rows(reader_, table.queries);
    for (std::size_t q = 0; q < limits.size(); ++q) table.queries[q].evidence.limit = limits[q];
  }

  const Evidence& evidence() const { return evidence_; }

 private:
  static constexpr std::uint64_t kWider = 16;  ///< factor by which the next attempt ranks more rows

  std::vector<ChosenLimit> choose_limits() const {
    Progress progress(options_.progress, "choosing limits", "queries", queries_.rows.n_rows());
    return evidence_.limits(queries_.rows, threads(), progress);
  }

  /// One histogram for each query, where details are asked for.
  std::vector<QueryHistogram> count_histograms() const {
    std::vector<QueryHistogram> made;
    if (!options_.details) return made;
    const Spread sample = histogram_sample(reader_);
    const auto most = [&](std::uint32_t sites) {
      return stats::most_differences(problem_.comparison, problem_.by, sites);
    };
    CountHistograms histograms(queries_.rows.n_rows(), most(reader_.shape().n_sites));
    count_sample(sample, problem_, threads(), histograms);
    for (std::size_t q = 0; q < queries_.rows.n_rows(); ++q)
      made.push_back(histogram_of(histograms, q, sample, most(queries_.rows.called_sites(q))));
    return made;
  }

  /// The best pairs of the database, which are verified before they are used.
  std::vector<RankedPairs> rank(const KeepRule& rule, std::span<const QueryRule> own, RunInfo& run) {
    const Stopwatch searching;
    Progress progress(options_.progress, "searching", "profiles", reader_.shape().n_profiles);
    SearchResult found = search_database(reader_, problem_, engine_, rule, own, threads(), progress);
    verify(reader_, problem_, engine_, found.ranked, threads());
    run.search_seconds += searching.seconds();
    run.workers = found.stats.workers;
    run.tile_blocks = found.stats.tile_blocks;
    run.engine = engine_.name();
    run.description = engine_.description();
    log::detail("engine: {}", run.description);
    for (const std::string& line : describe_stages(found.stats, engine_, problem_, searching.seconds()))
      log::detail("{}", line);
    return std::move(found.ranked);
  }

  std::size_t threads() const { return options_.threads > 0 ? options_.threads : available_cpus(); }

  void weigh(std::vector<QueryMatches>& queries) const {
    std::uint64_t units = queries.size();
    for (const QueryMatches& query : queries) units += query.rows.size();
    Progress progress(options_.progress, "weighing", "queries and matches", units);
    evidence_.weigh(queries_.rows, options_.details, threads(), progress, queries);
  }

  /// Which queries have a full shortlist, so that a longer one could add rows with fewer chance matches.
  std::vector<bool> queries_with_more(std::uint64_t shortlist, const std::vector<ChosenLimit>& limits,
                                      const std::vector<QueryMatches>& queries) const {
    std::vector<bool> more(queries.size(), false);
    for (std::size_t q = 0; q < queries.size() && options_.evidence.max_chance_matches; ++q) {
      const bool hopeless = !limits.empty() && !limits[q].max_count;
      more[q] = !hopeless && queries[q].rows.size() >= shortlist;
    }
    return more;
  }

  /// False where --max-chance-matches leaves a query fewer rows than asked for although a longer shortlist
  /// could add more.
  bool enough(const std::vector<bool>& more, const std::vector<QueryMatches>& queries) const {
    for (std::size_t q = 0; q < queries.size(); ++q)
      if (more[q] && queries[q].rows.size() < options_.rule.top) return false;
    return true;
  }

  const SearchOptions& options_;
  Engine& engine_;
  const db::Reader& reader_;
  const Queries& queries_;
  Evidence evidence_;
  Problem problem_;
};

}  // namespace

MatchTable search(const SearchOptions& options, Engine& engine) {
  const Stopwatch total;
  MatchTable table{.comparison = options.comparison};
  table.run = {.command_line = options.command_line, .started_utc = utc_now()};

  const db::Reader reader(options.database,
                          options.skip_checksums ? db::BlockChecks::kNone : db::BlockChecks::kAll);
  check_kind(options, reader.header().kind);
  table.run.open_seconds = total.seconds();
  log::detail("{}: {} of {}, build {}", options.database, counted(reader.shape().n_profiles, "profile"),
              counted(reader.shape().n_sites, "site"), name_of(reader.header().build));

  if (const std::string dense = density_warning(reader.panel()); !dense.empty()) log::warn_text(dense);

  const Stopwatch reading;
  const Queries queries = read_queries(options.queries, reader.panel(), options.import);
  Queries known = read_known(options, reader);
  table.by = compared_by(options, reader, queries, known);
  table.run.query_seconds = reading.seconds();

  Search search(options, engine, reader, queries, std::move(known), table.by);
  search.run(table);
  table.provenance = provenance_of(options, reader, search.evidence());
  say_findings(table);
  table.run.peak_memory_bytes = peak_memory_bytes();
  table.run.total_seconds = total.seconds();
  log::detail("evidence {:.3f} s; {:.3f} s in all, at most {} MiB of memory", table.run.evidence_seconds,
              table.run.total_seconds, table.run.peak_memory_bytes >> 20);
  return table;
}

}  // namespace fastid
