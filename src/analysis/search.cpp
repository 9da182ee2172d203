#include "analysis/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "analysis/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "db/database.hpp"
#include "match/wording.hpp"
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

/// Each query with its shortlist, which has no names yet.
std::vector<QueryMatches> matches_of(const Queries& queries, const std::vector<RankedHits>& ranked) {
  std::vector<QueryMatches> all;
  for (std::size_t q = 0; q < ranked.size(); ++q) {
    const QuerySource& source = queries.sources[q];
    QueryMatches matches{.name = source.name,
                         .file = source.file,
                         .sha256 = source.sha256,
                         .called_sites = queries.rows.called_sites(q),
                         .minor_alleles = bits_of(queries.rows.row(q)),
                         .rows = {},
                         .ties_cut = ranked[q].ties_cut,
                         .evidence = {},
                         .histogram = {}};
    for (const Hit& hit : ranked[q].hits) matches.rows.push_back({.row = hit.row, .counts = hit.counts});
    all.push_back(std::move(matches));
  }
  return all;
}

/// Names what is listed: each stored profile's id is read once.
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

QueryHistogram histogram_of(const CountHistograms& histograms, std::size_t query, std::uint32_t called) {
  QueryHistogram histogram{.profiles = histograms.of_query(query),
                           .n_profiles = histograms.n_profiles(),
                           .step = histograms.step()};
  histogram.profiles.resize(std::size_t{called} + 1);  // no count is higher
  histogram.not_comparable =
      histogram.n_profiles - std::reduce(histogram.profiles.begin(), histogram.profiles.end());
  return histogram;
}

/// Says the first few of these lines, each of a query, then how many more there are: a run of thousands of
/// queries is not to bury what else was said. \param rest  what holds for those: "have such ties"
void say_few(void (*say)(std::string_view), const std::vector<std::string>& lines,
             const std::string& all_queries, std::string_view rest) {
  constexpr std::size_t kMostLines = 10;
  for (const std::string& line : std::span(lines).first(std::min(lines.size(), kMostLines))) say(line);
  if (lines.size() > kMostLines)
    say(fmt::format("{} more of {} {}", with_commas(lines.size() - kMostLines), all_queries, rest));
}

void say_ties(Comparison comparison, const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    if (query.ties_cut > 0)
      lines.push_back(fmt::format(
          "{} {}: {} more {}{} tie{} with the last one listed; --top {} would list all", asked(comparison),
          query.name, with_commas(query.ties_cut), stored(comparison), query.ties_cut == 1 ? "" : "s",
          query.ties_cut == 1 ? "s" : "", query.rows.size() + query.ties_cut));
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "have such ties; --format json counts them all");
}

/// What is listed for one query, before the search.
std::string limit_line(Comparison comparison, const ChosenLimit& limit, double most,
                       std::uint32_t most_count) {
  const char* const option = comparison == Comparison::kIdentity ? "--max-mismatches" : "--max-not-seen";
  if (!limit.max_count)
    return fmt::format("not even {} are rare enough for --max-chance-matches {:.4g}: none can be listed",
                       counted_differences(comparison, 0), most);
  if (most_count < *limit.max_count)
    return fmt::format("lists profiles with at most {}, as {} says; --max-chance-matches {:.4g} allows {}",
                       counted_differences(comparison, most_count), option, most,
                       with_commas(*limit.max_count));
  return fmt::format(
      "lists profiles with at most {}: so few are expected by chance in at most {:.4g} profiles of this "
      "database",
      counted_differences(comparison, *limit.max_count), most);
}

void say_limits(const SearchOptions& options, const Queries& queries,
                const std::vector<ChosenLimit>& limits) {
  std::vector<std::string> lines;
  for (std::size_t q = 0; q < limits.size(); ++q)
    lines.push_back(fmt::format("{} {}: {}", asked(options.comparison), queries.sources[q].name,
                                limit_line(options.comparison, limits[q],
                                           *options.evidence.max_chance_matches, options.rule.max_count)));
  say_few(log::note_text, lines, counted_asked(options.comparison, limits.size()),
          "have limits of their own; --format json has them all");
}

void say_stages(const StreamStats& stats, const Engine& engine, double seconds, const Problem& problem) {
  for (const std::string& line : describe_stages(stats, engine, problem, seconds)) log::detail("{}", line);
}

void say_saturation(Comparison comparison, const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  std::set<std::uint64_t> stored_mixtures;  // several queries may list the same one
  for (const QueryMatches& query : queries) {
    if (query.evidence.mixture && query.evidence.mixture->saturated)
      lines.push_back(fmt::format(
          "{} {}: saturated: it shows the minor allele at {:.1f} % of its sites, and chance alone brings "
          "profiles of which it lacks none; its ranking cannot tell contributors from others",
          asked(comparison), query.name, 100 * query.evidence.mixture->saturation));
    for (const MatchRow& row : query.rows)
      if (row.saturated) stored_mixtures.insert(row.row);
  }
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "are saturated; --format json says which");
  if (comparison == Comparison::kReverseMixture && !stored_mixtures.empty())
    log::warn("{} listed {} saturated: so inclusive that chance alone brings such a match",
              with_commas(stored_mixtures.size()),
              stored_mixtures.size() == 1 ? "mixture is" : "mixtures are");
}

/// A mixture's likelihood ratio rests on how many people made it.
void say_contributors(const std::vector<QueryMatches>& queries) {
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows) {
      std::string ratios;
      for (const auto& [n, log10_lr, drop_out, alternative] : row.by_contributors)
        ratios += fmt::format("{}{} of {} (drop-out {:.3g}, {:.3g})", ratios.empty() ? "" : "; ",
                              fmt::format("{:.4f}", log10_lr), n, drop_out, alternative);
      if (!ratios.empty())
        log::detail("{}: {}: log10 LR by contributors: {}", printable(query.name), printable(row.profile),
                    ratios);
    }
}

void say_more_may_match(Comparison comparison, const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    if (query.more_may_match && query.ties_cut == 0)  // else say_ties() has said it
      lines.push_back(fmt::format(
          "{} {}: the whole shortlist speaks for a match, and others that were not weighed may too; ask "
          "for more (--top), or leave out what chance explains (--max-chance-matches)",
          asked(comparison), query.name));
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "have such shortlists; --format json says which");
}

void say_better_populations(const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    if (query.evidence.mixture && !query.evidence.mixture->better_population.empty())
      lines.push_back(fmt::format(
          "mixture {}: its alleles are 10^{:.0f} times more probable in {} than in any population of "
          "--population, by which strangers may look like contributors; leave --population out",
          query.name, query.evidence.mixture->log10_better, query.evidence.mixture->better_population));
  say_few(log::warn_text, lines, counted_asked(Comparison::kMixture, queries.size()),
          "are of another population too");
}

void say_known(const std::vector<QueryMatches>& queries) {
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows)
      if (!row.known.empty())
        log::warn(
            "mixture {}: {} has the profile of {}, who is known to have contributed; its figures are those "
            "of "
            "one more person with this profile",
            query.name, row.profile, row.known);
}

bool same_profile(const RowView& a, const RowView& b) {
  return std::ranges::equal(a.bits, b.bits) && std::ranges::equal(a.called, b.called);
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

/// The people who are taken to have contributed to each mixture.
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

/// One search: what it works on, and the steps that it takes.
class Search {
 public:
  Search(const SearchOptions& options, Engine& engine, const db::Reader& reader, const Queries& queries)
      : options_(options),
        engine_(engine),
        reader_(reader),
        queries_(queries),
        evidence_(options.evidence, options.comparison, reader, read_known(options, reader),
                  options.rule.top),
        problem_{options.comparison, &queries.rows, reader.shape(), reader.has_called()},
        stream_(reader, 0, reader.shape().n_blocks(), problem_, engine,
                options.evidence.max_chance_matches.has_value()) {
    if (options.details) histograms_.emplace(queries.rows.n_rows(), reader.shape());
  }

  /// Fills in the table's queries and how the search was cut.
  void run(MatchTable& table) {
    const std::vector<ChosenLimit> limits = choose_limits();
    say_limits(options_, queries_, limits);
    std::vector<std::uint32_t> max_counts;
    for (const ChosenLimit& limit : limits) max_counts.push_back(limit.max_count.value_or(0));
    KeepRule rule = options_.rule;
    if (evidence_.orders()) rule.top = shortlisted(rule.top);
    for (;; rule.top = rule.top > KeepRule::kAll / kWider ? KeepRule::kAll : rule.top * kWider) {
      const Stopwatch searching;
      Ranking ranking(options_.comparison, queries_.rows.n_rows(), rule, max_counts);
      const StreamStats stats = compare(ranking);
      table.run.search_seconds += searching.seconds();
      table.run.lanes = stats.lanes;
      table.run.tile_blocks = stats.tile_blocks;
      say_stages(stats, engine_, searching.seconds(), problem_);

      table.queries = matches_of(queries_, ranking.result());
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
  const Problem& problem() const { return problem_; }

 private:
  static constexpr std::uint64_t kWider = 16;  ///< times as many are ranked in the next attempt

  std::vector<ChosenLimit> choose_limits() const {
    Progress progress(options_.progress, "choosing limits", "queries", queries_.rows.n_rows());
    return evidence_.limits(queries_.rows, threads(), progress);
  }

  /// Streams the database; the first time, histograms are counted.
  StreamStats compare(Ranking& ranking) {
    Progress progress(options_.progress, "searching", "profiles", reader_.shape().n_profiles);
    CountHistograms* const count = histograms_ && histograms_->n_profiles() == 0 ? &*histograms_ : nullptr;
    return stream_.run(ranking, progress, count);
  }

  std::size_t threads() const { return options_.threads > 0 ? options_.threads : available_cpus(); }

  void weigh(std::vector<QueryMatches>& queries) const {
    for (std::size_t q = 0; q < queries.size() && histograms_; ++q)
      queries[q].histogram = histogram_of(*histograms_, q, queries[q].called_sites);
    std::uint64_t units = queries.size();
    for (const QueryMatches& query : queries) units += query.rows.size();
    Progress progress(options_.progress, "weighing", "queries and matches", units);
    evidence_.weigh(queries_.rows, options_.details, threads(), progress, queries);
  }

  /// The queries whose shortlist is full, so that a longer one could bring rows that chance explains less.
  std::vector<bool> queries_with_more(std::uint64_t shortlist, const std::vector<ChosenLimit>& limits,
                                      const std::vector<QueryMatches>& queries) const {
    std::vector<bool> more(queries.size(), false);
    for (std::size_t q = 0; q < queries.size() && options_.evidence.max_chance_matches; ++q) {
      const bool hopeless = !limits.empty() && !limits[q].max_count;
      more[q] = !hopeless && queries[q].rows.size() >= shortlist;
    }
    return more;
  }

  /// False where --max-chance-matches has left fewer than asked for of a query that could have more.
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
  Stream stream_;
  std::optional<CountHistograms> histograms_;
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
  table.run.query_seconds = reading.seconds();

  Search search(options, engine, reader, queries);
  engine.meet(search.problem());
  table.run.engine = engine.name();
  table.run.description = engine.description();
  log::detail("engine: {}", engine.description());
  search.run(table);
  table.provenance = provenance_of(options, reader, search.evidence());
  say_ties(options.comparison, table.queries);
  say_contributors(table.queries);
  say_known(table.queries);
  say_better_populations(table.queries);
  say_more_may_match(options.comparison, table.queries);
  say_saturation(options.comparison, table.queries);
  table.run.peak_memory_bytes = peak_memory_bytes();
  table.run.total_seconds = total.seconds();
  log::detail("evidence {:.3f} s; {:.3f} s in all, at most {} MiB of memory", table.run.evidence_seconds,
              table.run.total_seconds, table.run.peak_memory_bytes >> 20);
  return table;
}

}  // namespace fastid
