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
#include "asking/counted_sites.hpp"
#include "asking/likelihoods.hpp"
#include "asking/matches.hpp"
#include "asking/notes.hpp"
#include "asking/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/selected.hpp"
#include "db/database.hpp"
#include "pipeline/search.hpp"
#include "questions/search/evidence.hpp"
#include "questions/search/reads.hpp"
#include "questions/search/stain_ranking.hpp"
#include "questions/search/strangers.hpp"

namespace fastid::search {
namespace {

/// Refuses a search for people among mixtures, or the other way round, since its numbers would be
/// meaningless.
void check_kind(const asking::SearchOptions& options, db::Kind kind) {
  const bool wants_mixtures = options.comparison == engine::Comparison::kReverseMixture;
  if (options.comparison == engine::Comparison::kMixture || wants_mixtures == (kind == db::Kind::kMixtures))
    return;
  if (wants_mixtures)
    throw InputError(options.database, "",
                     "holds individuals, and --reverse looks for mixtures that a person is part of",
                     "build it with --kind mixtures, or leave --reverse out");
  throw InputError(options.database, "", "holds mixtures, not individuals",
                   "use `fastid mixture --reverse` to find the mixtures that a person may be part of");
}

match::QueryHistogram histogram_of(const match::CountHistograms& histograms, std::size_t query,
                                   const pipeline::Spread& sample, std::uint32_t most) {
  match::QueryHistogram histogram{
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

void check_known(const match::Queries& known) {
  for (std::size_t i = 0; i < known.sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_profile(known.rows.row(i), known.rows.row(j)))
        throw InputError(display_name(known.sources[i].file), "",
                         fmt::format("its {} has the same profile as {}", printable(known.sources[i].name),
                                     printable(known.sources[j].name)),
                         "name each known contributor once");
}

/// The people who are assumed to have contributed to each mixture.
match::Queries known_of(const asking::SearchOptions& options, const db::Reader& reader,
                        asking::PairFinder& finder) {
  if (options.evidence.known.empty()) return {{}, ProfileRows(0, reader.shape().n_sites)};
  if (options.comparison == engine::Comparison::kReverseMixture)
    throw UsageError("--known is of one mixture's contributors; leave it or --reverse out");
  imports::ImportOptions import = options.import;
  import.individuals = true;
  const auto read = [&] { return asking::read_queries(options.evidence.known, reader.panel(), import); };
  match::Queries known = finder.read("known contributors", reader.shape().n_sites, read, nullptr);
  check_known(known);
  return known;
}

/// Why queries cannot go by their likelihoods; "" where they can.
std::string calls_alone(const asking::SearchOptions& options, const db::Reader& reader,
                        const asking::CountedSites& sites) {
  if (options.evidence.by_rate) return "--sort rate lists by mismatches of calls";
  if (options.rule.max_count != UINT32_MAX) return "--max-mismatches counts mismatches of calls";
  if (sites.counted() != SiteClass::kAutosomal) return "--class Y and M compare calls";
  if (reader.panel().populations().empty()) return reader.path() + ": its panel has no allele frequencies";
  return "";
}

/// One search: its data and its steps.
class Search {
 public:
  Search(const asking::SearchOptions& options, asking::PairFinder& finder, const db::Reader& reader,
         const db::ChosenRows& chosen, const asking::CountedSites& sites, const match::Queries& queries,
         match::Queries known, const MeasuredQueries& measured, Encoding by)
      : options_(options),
        finder_(finder),
        reader_(reader),
        chosen_(chosen),
        sites_(sites),
        queries_(queries),
        evidence_(options.evidence, options.comparison, by, reader, sites, chosen.n, std::move(known),
                  measured, options.rule.top, asking::threads_of(options)),
        problem_{options.comparison, &queries.rows, reader.shape(), reader.has_second(), by} {}

  /// Fills in the table's queries and how the search was divided into tiles and workers. Returns false where
  /// another process does so.
  bool find(match::MatchTable& table) {
    explain();
    by_explanations_ = evidence_.explains() && options_.rule.max_count == UINT32_MAX;
    limits_ = by_explanations_ ? Limits() : choose_limits();
    asking::say_limits(options_, problem_.by, queries_, limits_);
    const std::vector<match::QueryRule> rules = rules_of_queries();
    const std::vector<match::QueryHistogram> histograms = count_histograms();
    asking::HaplotypeCount haplotypes(queries_, sites_.classes(), options_.comparison,
                                      options_.evidence.parameters.error_rate);
    if (!rank_until_enough(rules, haplotypes, histograms, table)) return false;
    finish(haplotypes.tallies(), table);
    return true;
  }

  const Evidence& evidence() const { return evidence_; }

  void deconvolve() const {
    const asking::EvidenceOptions& options = options_.evidence;
    if (options.deconvolve.empty()) return;
    std::vector<DeconvolvedMixture> mixtures(queries_.sources.size());
    in_parallel(mixtures.size(), threads(), [&](std::size_t q) {
      mixtures[q] = evidence_.deconvolve(queries_.rows, q, queries_.sources[q].name);
    });
    write_deconvolved(options.deconvolve, reader_.panel(), mixtures, options.min_posterior);
  }

 private:
  static constexpr std::uint64_t kWider = 16;  ///< factor by which the next attempt ranks more rows

  using Limits = std::vector<std::optional<match::ChosenLimit>>;

  std::vector<match::QueryRule> rules_of_queries() const {
    std::vector<match::QueryRule> rules(queries_.rows.n_rows());
    for (std::size_t q = 0; q < limits_.size(); ++q)
      if (limits_[q]) rules[q].max_count = limits_[q]->max_count.value_or(0);
    if (by_explanations_) return rules;
    const std::vector<match::PairWeights> weights = evidence_.pair_weights(queries_, threads());
    for (std::size_t q = 0; q < weights.size(); ++q) rules[q].weights = weights[q];
    return rules;
  }

  /// Ranks, and weighs the shortlists: longer ones while too few rows of them are listed. False where another
  /// process does so.
  bool rank_until_enough(const std::vector<match::QueryRule>& rules, asking::HaplotypeCount& haplotypes,
                         const std::vector<match::QueryHistogram>& histograms, match::MatchTable& table) {
    const std::array held_against{stats::RelationPair{stats::Relation::kSame, options_.evidence.alternative}};
    const std::unique_ptr<engine::WeightedCount> weighted =
        asking::weighted_count(evidence_.models(), held_against, queries_, problem_, threads());
    engine::Problem problem = problem_;
    problem.custom_count = weighted.get();
    std::optional<StainRanking> stains;
    if (by_explanations_)
      problem.custom_count = &stains.emplace(evidence_.stain_ranking(queries_, problem_, threads())).count();
    match::KeepRule rule = options_.rule;
    if (evidence_.orders()) rule.top = asking::shortlisted(rule.top);
    for (;;
         rule.top = rule.top > match::KeepRule::kAll / kWider ? match::KeepRule::kAll : rule.top * kWider) {
      const auto ranked =
          finder_.rank({options_, reader_, chosen_, problem, {rule, rules}, &haplotypes}, table.run);
      if (!ranked) return false;
      table.queries = asking::matches_of(queries_, rules, *ranked, threads());
      if (stains) count_again(reader_, problem_, threads(), table.queries);
      for (std::size_t q = 0; q < histograms.size(); ++q)
        if (!table.queries[q].by_likelihoods) table.queries[q].histogram = histograms[q];
      if (weigh_enough(rule.top, table)) return true;
      log::detail("profiles with few sites were left out; searching for others");
    }
  }

  /// Weighs a shortlist and leaves the rows that are listed. False where a longer one could list more. By
  /// explanations there is no limit of counts: where the lower half of a shortlist is left out, so is what
  /// was not ranked.
  bool weigh_enough(std::uint64_t shortlist, match::MatchTable& table) {
    std::vector<bool> may_have_more = queries_with_more(shortlist, table.queries);
    const std::vector<Rows> lower_halves =
        by_explanations_ ? lower_halves_of(table.queries) : std::vector<Rows>();
    const Stopwatch weighing;
    weigh(table.queries);
    table.run.evidence_seconds += weighing.seconds();
    for (std::size_t q = 0; q < lower_halves.size(); ++q)
      may_have_more[q] = may_have_more[q] && lists_any(table.queries[q], lower_halves[q]);
    return enough(may_have_more, table.queries);
  }

  void finish(const asking::HaplotypeTallies& tallies, match::MatchTable& table) const {
    if (options_.comparison == engine::Comparison::kIdentity) measure(table.queries);
    report_beside(tallies, table);
    asking::name_rows(reader_, table.queries);
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
  void measure(std::vector<match::QueryMatches>& queries) const {
    std::optional<SelectedRows> some;
    measure_strangers(searched(some), queries_.rows, evidence_.question(), threads(), queries);
    for (match::QueryMatches& query : queries)
      if (query.by_likelihoods) query.strangers.reset();
  }

  /// One histogram for each query, where details are asked for.
  std::vector<match::QueryHistogram> count_histograms() const {
    std::vector<match::QueryHistogram> made;
    if (!options_.details || !options_.histograms) return made;
    std::optional<SelectedRows> some;
    const pipeline::Spread sample = pipeline::histogram_sample(searched(some));
    const auto most = [&](std::uint32_t sites) {
      return stats::most_differences(problem_.comparison, problem_.by, sites);
    };
    match::CountHistograms histograms(queries_.rows.n_rows(), most(reader_.shape().n_sites));
    finder_.count(sample, problem_, threads(), histograms);
    for (std::size_t q = 0; q < queries_.rows.n_rows(); ++q)
      made.push_back(histogram_of(histograms, q, sample, most(queries_.rows.called_sites(q))));
    return made;
  }

  std::size_t threads() const { return asking::threads_of(options_); }

  /// Not of mixtures against stored mixtures: a haplotype is a person's.
  void report_beside(const asking::HaplotypeTallies& tallies, match::MatchTable& table) const {
    if (options_.comparison == engine::Comparison::kMixture && reader_.header().kind == db::Kind::kMixtures)
      return;
    const asking::Beside beside(reader_.panel(), sites_.classes(), evidence_.models(),
                                options_.evidence.parameters);
    beside.report(reader_, queries_, options_.comparison, tallies, threads(), table.queries);
  }

  void weigh(std::vector<match::QueryMatches>& queries) {
    std::uint64_t units = queries.size();
    for (const match::QueryMatches& query : queries) units += query.rows.size();
    Progress progress(options_.progress, "weighing", "queries and matches", units);
    evidence_.weigh(queries_, options_.details, threads(), progress, queries);
  }

  /// Which queries have a full shortlist, so that a longer one could add rows with fewer chance matches.
  std::vector<bool> queries_with_more(std::uint64_t shortlist,
                                      const std::vector<match::QueryMatches>& queries) const {
    std::vector<bool> more(queries.size(), false);
    for (std::size_t q = 0; q < queries.size() && options_.evidence.max_chance_matches; ++q) {
      const bool hopeless = !limits_.empty() && limits_[q] && !limits_[q]->max_count;
      more[q] = !hopeless && queries[q].rows.size() >= shortlist;
    }
    return more;
  }

  using Rows = std::set<std::uint64_t>;

  /// Of each query the rows of the lower half of its shortlist.
  static std::vector<Rows> lower_halves_of(const std::vector<match::QueryMatches>& queries) {
    std::vector<Rows> halves;
    for (const match::QueryMatches& query : queries) {
      Rows& half = halves.emplace_back();
      for (const match::MatchRow& match : std::span(query.rows).subspan(query.rows.size() / 2))
        half.insert(match.row);
    }
    return halves;
  }

  static bool lists_any(const match::QueryMatches& query, const Rows& rows) {
    return std::ranges::any_of(query.rows,
                               [&](const match::MatchRow& match) { return rows.contains(match.row); });
  }

  /// False where --max-chance-matches leaves a query fewer rows than asked for although a longer shortlist
  /// could add more.
  bool enough(const std::vector<bool>& more, const std::vector<match::QueryMatches>& queries) const {
    for (std::size_t q = 0; q < queries.size(); ++q)
      if (more[q] && queries[q].rows.size() < options_.rule.top) return false;
    return true;
  }

  const asking::SearchOptions& options_;
  asking::PairFinder& finder_;
  const db::Reader& reader_;
  const db::ChosenRows& chosen_;
  const asking::CountedSites& sites_;
  const match::Queries& queries_;
  Evidence evidence_;
  engine::Problem problem_;
  bool by_explanations_ = false;  ///< mixtures are ranked by StainRanking, without PairWeights
  Limits limits_;                 ///< of each query; empty: none has one
};

}  // namespace

match::MatchTable search(const asking::SearchOptions& options, engine::Engine& engine) {
  asking::Work work;
  asking::PairFinder finder(engine, work);
  return *search(options, finder);
}

std::optional<match::MatchTable> search(const asking::SearchOptions& given, asking::PairFinder& finder) {
  const Stopwatch total;
  match::MatchTable table{.comparison = given.comparison};
  table.run = {.command_line = given.command_line, .started_utc = utc_now()};

  const db::Reader reader(given.database, asking::checks_of(given));
  check_kind(given, reader.header().kind);
  table.run.open_seconds = total.seconds();
  asking::say_database(reader);
  asking::warn_of_linkage(given, reader);
  const db::ChosenRows chosen = db::choose_rows(reader, given.rows);
  db::say_chosen(reader, chosen);
  finder.rests_on("database", asking::digest_of(reader));
  finder.rests_on("chosen profiles", asking::digest_of(chosen));

  const Stopwatch reading;
  const asking::CountedSites sites(reader, given.counted);
  asking::SearchOptions options = given;
  asking::settle_likelihoods(options.import, calls_alone(given, reader, sites));
  match::Queries queries = asking::queries_of(options, reader, finder, table);
  sites.keep("query", queries);
  const MeasuredQueries measured = take_reads(options, sites, queries);
  match::Queries known = known_of(options, reader, finder);
  if (!known.sources.empty()) sites.keep("known contributor", known);
  table.by = asking::compared_by(options, reader, queries, known);
  table.run.query_seconds = reading.seconds();

  Search search(options, finder, reader, chosen, sites, queries, std::move(known), measured, table.by);
  const match::EvidenceParameters rests_on = search.evidence().parameters();
  if (rests_on.map && !rests_on.map->sha256.empty()) finder.rests_on("map", rests_on.map->sha256);
  if (rests_on.blocks) finder.rests_on("blocks of linked sites", rests_on.blocks->sha256);
  if (!search.find(table)) return std::nullopt;
  search.deconvolve();
  table.provenance = asking::provenance_of(options, reader, sites, chosen, search.evidence().parameters(),
                                           search.evidence().populations());
  if (queries.any_by_likelihoods()) asking::note_likelihoods(options.import, table.provenance.reading);
  if (sites.counted() == SiteClass::kAutosomal) asking::say_sites_beside(sites.classes());
  asking::say_findings(table);
  asking::end_run(total, table.run);
  return table;
}

}  // namespace fastid::search
