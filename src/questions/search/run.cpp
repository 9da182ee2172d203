#include "questions/search/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "asking/beside.hpp"
#include "asking/compared_by.hpp"
#include "asking/counted_sites.hpp"
#include "asking/likelihoods.hpp"
#include "asking/listing.hpp"
#include "asking/matches.hpp"
#include "asking/notes.hpp"
#include "asking/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/selected.hpp"
#include "db/database.hpp"
#include "pipeline/sample.hpp"
#include "questions/search/evidence.hpp"
#include "questions/search/reads.hpp"
#include "questions/search/stain_ranking.hpp"
#include "questions/search/strangers.hpp"

namespace fastid {
namespace {

/// Refuses a search for people among mixtures, or the other way round, since its numbers would be
/// meaningless.
void check_kind(const SearchOptions& options, db::Kind kind) {
  const bool wants_mixtures = options.comparison == Comparison::kReverseMixture;
  if (options.comparison == Comparison::kMixture || wants_mixtures == (kind == db::Kind::kMixtures)) return;
  if (wants_mixtures)
    throw InputError(options.database, "",
                     "holds individuals, and --reverse looks for mixtures that a person is part of",
                     "build it with --kind mixtures, or leave --reverse out");
  throw InputError(options.database, "", "holds mixtures, not individuals",
                   "use `fastid mixture --reverse` to find the mixtures that a person may be part of");
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
Queries known_of(const SearchOptions& options, const db::Reader& reader, PairFinder& finder) {
  if (options.evidence.known.empty()) return {{}, ProfileRows(0, reader.shape().n_sites)};
  if (options.comparison == Comparison::kReverseMixture)
    throw UsageError("--known is of one mixture's contributors; leave it or --reverse out");
  ImportOptions import = options.import;
  import.individuals = true;
  const auto read = [&] { return read_queries(options.evidence.known, reader.panel(), import); };
  Queries known = finder.read("known contributors", reader.shape().n_sites, read, nullptr);
  check_known(known);
  return known;
}

/// Why queries cannot go by their likelihoods; "" where they can.
std::string calls_alone(const SearchOptions& options, const db::Reader& reader, const CountedSites& sites) {
  if (options.evidence.by_rate) return "--sort rate lists by mismatches of calls";
  if (options.rule.max_count != UINT32_MAX) return "--max-mismatches counts mismatches of calls";
  if (sites.counted() != SiteClass::kAutosomal) return "--class Y and M compare calls";
  if (reader.panel().populations().empty()) return reader.path() + ": its panel has no allele frequencies";
  return "";
}

/// One search: its data and its steps.
class Search {
 public:
  Search(const SearchOptions& options, PairFinder& finder, const db::Reader& reader,
         const db::ChosenRows& chosen, const CountedSites& sites, const Queries& queries, Queries known,
         const MeasuredQueries& measured, Encoding by)
      : options_(options),
        finder_(finder),
        reader_(reader),
        chosen_(chosen),
        sites_(sites),
        queries_(queries),
        evidence_(options.evidence, options.comparison, by, reader, sites, chosen.n, std::move(known),
                  measured, options.rule.top, threads_of(options)),
        problem_{options.comparison, &queries.rows, reader.shape(), reader.has_second(), by} {}

  /// Fills in the table's queries and how the search was divided into tiles and workers. Returns false where
  /// another process does so.
  bool run(MatchTable& table) {
    explain();
    by_weights_ = evidence_.explains() && options_.rule.max_count == UINT32_MAX;
    limits_ = by_weights_ ? Limits() : choose_limits();
    say_limits(options_, problem_.by, queries_, limits_);
    const std::vector<QueryRule> rules = rules_of_queries();
    const std::vector<QueryHistogram> histograms = count_histograms();
    HaplotypeCount haplotypes(queries_, sites_.classes(), options_.comparison,
                              options_.evidence.parameters.error_rate);
    if (!rank_until_enough(rules, haplotypes, histograms, table)) return false;
    finish(haplotypes.tallies(), table);
    return true;
  }

  const Evidence& evidence() const { return evidence_; }

  void deconvolve() const {
    const EvidenceOptions& options = options_.evidence;
    if (options.deconvolve.empty()) return;
    std::vector<DeconvolvedMixture> mixtures(queries_.sources.size());
    in_parallel(mixtures.size(), threads(), [&](std::size_t q) {
      mixtures[q] = evidence_.deconvolve(queries_.rows, q, queries_.sources[q].name);
    });
    write_deconvolved(options.deconvolve, reader_.panel(), mixtures, options.min_posterior);
  }

 private:
  static constexpr std::uint64_t kWider = 16;  ///< factor by which the next attempt ranks more rows

  using Limits = std::vector<std::optional<ChosenLimit>>;

  std::vector<QueryRule> rules_of_queries() const {
    std::vector<QueryRule> rules(queries_.rows.n_rows());
    for (std::size_t q = 0; q < limits_.size(); ++q)
      if (limits_[q]) rules[q].max_count = limits_[q]->max_count.value_or(0);
    if (by_weights_) return rules;
    const std::vector<PairWeights> weights = evidence_.pair_weights(queries_, threads());
    for (std::size_t q = 0; q < weights.size(); ++q) rules[q].weights = weights[q];
    return rules;
  }

  /// Ranks, and weighs the shortlists: longer ones while too few rows of them are listed. False where another
  /// process does so.
  bool rank_until_enough(const std::vector<QueryRule>& rules, HaplotypeCount& haplotypes,
                         const std::vector<QueryHistogram>& histograms, MatchTable& table) {
    const std::array held_against{stats::RelationPair{stats::Relation::kSame, options_.evidence.alternative}};
    const std::unique_ptr<WeightedCount> weighted =
        weighted_count(evidence_.models(), held_against, queries_, problem_, threads());
    Problem problem = problem_;
    problem.custom_count = weighted.get();
    std::optional<StainRanking> stains;
    if (by_weights_)
      problem.custom_count = &stains.emplace(evidence_.stain_ranking(queries_, problem_, threads())).count();
    KeepRule rule = options_.rule;
    if (evidence_.orders()) rule.top = shortlisted(rule.top);
    for (;; rule.top = rule.top > KeepRule::kAll / kWider ? KeepRule::kAll : rule.top * kWider) {
      const auto ranked =
          finder_.rank({options_, reader_, chosen_, problem, {rule, rules}, &haplotypes}, table.run);
      if (!ranked) return false;
      table.queries = matches_of(queries_, rules, *ranked, threads());
      if (stains) count_again(reader_, problem_, threads(), table.queries);
      for (std::size_t q = 0; q < histograms.size(); ++q)
        if (!table.queries[q].by_likelihoods) table.queries[q].histogram = histograms[q];
      if (weigh_enough(rule.top, table)) return true;
      log::detail("profiles with few sites were left out; searching for others");
    }
  }

  /// Weighs a shortlist and leaves the rows that are listed. False where a longer one could list more. By
  /// weights there is no limit of counts: where the lower half of a shortlist is left out, so is what was not
  /// ranked.
  bool weigh_enough(std::uint64_t shortlist, MatchTable& table) {
    std::vector<bool> may_have_more = queries_with_more(shortlist, table.queries);
    const std::vector<Rows> lower_halves = by_weights_ ? lower_halves_of(table.queries) : std::vector<Rows>();
    const Stopwatch weighing;
    weigh(table.queries);
    table.run.evidence_seconds += weighing.seconds();
    for (std::size_t q = 0; q < lower_halves.size(); ++q)
      may_have_more[q] = may_have_more[q] && lists_any(table.queries[q], lower_halves[q]);
    return enough(may_have_more, table.queries);
  }

  void finish(const HaplotypeTallies& tallies, MatchTable& table) const {
    if (options_.comparison == Comparison::kIdentity) measure(table.queries);
    report_beside(tallies, table);
    name_rows(reader_, table.queries);
    for (std::size_t q = 0; q < limits_.size(); ++q) table.queries[q].evidence.limit = limits_[q];
  }

  void explain() {
    Progress progress(options_.progress, "explaining", "mixtures", queries_.rows.n_rows());
    evidence_.explain(queries_, threads(), progress);
  }

  Limits choose_limits() const {
    Progress progress(options_.progress, "choosing limits", "queries", queries_.rows.n_rows());
    return evidence_.limits(queries_, threads(), progress);
  }

  /// The profiles that are searched. \param some  holds them where they are not all
  const BlockSource& searched(std::optional<SelectedRows>& some) const {
    if (!chosen_.rows) return reader_;
    return some.emplace(reader_, chosen_.rows->list());
  }

  /// Where the database lies beside what is expected of strangers, of queries that go by their calls.
  void measure(std::vector<QueryMatches>& queries) const {
    std::optional<SelectedRows> some;
    measure_strangers(searched(some), queries_.rows, evidence_.question(), threads(), queries);
    for (QueryMatches& query : queries)
      if (query.by_likelihoods) query.strangers.reset();
  }

  /// One histogram for each query, where details are asked for.
  std::vector<QueryHistogram> count_histograms() const {
    std::vector<QueryHistogram> made;
    if (!options_.details || !options_.histograms) return made;
    std::optional<SelectedRows> some;
    const Spread sample = histogram_sample(searched(some));
    const auto most = [&](std::uint32_t sites) {
      return stats::most_differences(problem_.comparison, problem_.by, sites);
    };
    CountHistograms histograms(queries_.rows.n_rows(), most(reader_.shape().n_sites));
    finder_.count(sample, problem_, threads(), histograms);
    for (std::size_t q = 0; q < queries_.rows.n_rows(); ++q)
      made.push_back(histogram_of(histograms, q, sample, most(queries_.rows.called_sites(q))));
    return made;
  }

  std::size_t threads() const { return threads_of(options_); }

  /// Not of mixtures against stored mixtures: a haplotype is a person's.
  void report_beside(const HaplotypeTallies& tallies, MatchTable& table) const {
    if (options_.comparison == Comparison::kMixture && reader_.header().kind == db::Kind::kMixtures) return;
    const Beside beside(reader_.panel(), sites_.classes(), evidence_.models(), options_.evidence.parameters);
    beside.report(reader_, queries_, options_.comparison, tallies, threads(), table.queries);
  }

  void weigh(std::vector<QueryMatches>& queries) {
    std::uint64_t units = queries.size();
    for (const QueryMatches& query : queries) units += query.rows.size();
    Progress progress(options_.progress, "weighing", "queries and matches", units);
    evidence_.weigh(queries_, options_.details, threads(), progress, queries);
  }

  /// Which queries have a full shortlist, so that a longer one could add rows with fewer chance matches.
  std::vector<bool> queries_with_more(std::uint64_t shortlist,
                                      const std::vector<QueryMatches>& queries) const {
    std::vector<bool> more(queries.size(), false);
    for (std::size_t q = 0; q < queries.size() && options_.evidence.max_chance_matches; ++q) {
      const bool hopeless = !limits_.empty() && limits_[q] && !limits_[q]->max_count;
      more[q] = !hopeless && queries[q].rows.size() >= shortlist;
    }
    return more;
  }

  using Rows = std::set<std::uint64_t>;

  /// Of each query the rows of the lower half of its shortlist.
  static std::vector<Rows> lower_halves_of(const std::vector<QueryMatches>& queries) {
    std::vector<Rows> halves;
    for (const QueryMatches& query : queries) {
      Rows& half = halves.emplace_back();
      for (const MatchRow& match : std::span(query.rows).subspan(query.rows.size() / 2))
        half.insert(match.row);
    }
    return halves;
  }

  static bool lists_any(const QueryMatches& query, const Rows& rows) {
    return std::ranges::any_of(query.rows, [&](const MatchRow& match) { return rows.contains(match.row); });
  }

  /// False where --max-chance-matches leaves a query fewer rows than asked for although a longer shortlist
  /// could add more.
  bool enough(const std::vector<bool>& more, const std::vector<QueryMatches>& queries) const {
    for (std::size_t q = 0; q < queries.size(); ++q)
      if (more[q] && queries[q].rows.size() < options_.rule.top) return false;
    return true;
  }

  const SearchOptions& options_;
  PairFinder& finder_;
  const db::Reader& reader_;
  const db::ChosenRows& chosen_;
  const CountedSites& sites_;
  const Queries& queries_;
  Evidence evidence_;
  Problem problem_;
  bool by_weights_ = false;  ///< mixtures are ranked by what their explanations weigh
  Limits limits_;            ///< of each query; empty: none has one
};

}  // namespace

MatchTable search(const SearchOptions& options, Engine& engine) {
  Work work;
  PairFinder finder(engine, work);
  return *search(options, finder);
}

std::optional<MatchTable> search(const SearchOptions& given, PairFinder& finder) {
  const Stopwatch total;
  MatchTable table{.comparison = given.comparison};
  table.run = {.command_line = given.command_line, .started_utc = utc_now()};

  const db::Reader reader(given.database, checks_of(given));
  check_kind(given, reader.header().kind);
  table.run.open_seconds = total.seconds();
  say_database(reader);
  warn_of_linkage(given, reader);
  const db::ChosenRows chosen = db::choose_rows(reader, given.rows);
  db::say_chosen(reader, chosen);
  finder.rests_on("database", digest_of(reader));
  finder.rests_on("chosen profiles", digest_of(chosen));

  const Stopwatch reading;
  const CountedSites sites(reader, given.counted);
  SearchOptions options = given;
  settle_likelihoods(options.import, calls_alone(given, reader, sites));
  Queries queries = queries_of(options, reader, finder, table);
  sites.keep("query", queries);
  const MeasuredQueries measured = take_reads(options, sites, queries);
  Queries known = known_of(options, reader, finder);
  if (!known.sources.empty()) sites.keep("known contributor", known);
  table.by = compared_by(options, reader, queries, known);
  table.run.query_seconds = reading.seconds();

  Search search(options, finder, reader, chosen, sites, queries, std::move(known), measured, table.by);
  const EvidenceParameters rests_on = search.evidence().parameters();
  if (rests_on.map && !rests_on.map->sha256.empty()) finder.rests_on("map", rests_on.map->sha256);
  if (rests_on.blocks) finder.rests_on("blocks of linked sites", rests_on.blocks->sha256);
  if (!search.run(table)) return std::nullopt;
  search.deconvolve();
  table.provenance = provenance_of(options, reader, sites, chosen, search.evidence().parameters(),
                                   search.evidence().populations());
  if (queries.any_by_likelihoods()) note_likelihoods(options.import, table.provenance.reading);
  if (sites.counted() == SiteClass::kAutosomal) say_sites_beside(sites.classes());
  say_findings(table);
  end_run(total, table.run);
  return table;
}

}  // namespace fastid
