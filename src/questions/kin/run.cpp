#include "questions/kin/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "asking/beside.hpp"
#include "asking/counted_sites.hpp"
#include "asking/family.hpp"
#include "asking/likelihoods.hpp"
#include "asking/matches.hpp"
#include "asking/notes.hpp"
#include "asking/queries.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bits/rows.hpp"
#include "linked/screen.hpp"
#include "questions/kin/evidence.hpp"
#include "questions/kin/family_lines.hpp"
#include "questions/kin/missing_ratios.hpp"
#include "questions/kin/relatives.hpp"
#include "stats/site_walk.hpp"

namespace fastid::kin {
namespace {

/// The hypotheses by which profiles are ranked for a query that goes by its likelihoods.
constexpr std::array kRelatives{stats::RelationPair{stats::Relation::kParentChild},
                                stats::RelationPair{stats::Relation::kSibling},
                                stats::RelationPair{stats::Relation::kHalfSibling}};

constexpr double kLowestKinship = -10;  ///< of strangers a kinship may be far below 0
constexpr std::string_view kTwoAlleles = "kinship is counted by both alleles of each site";

void check_database(const std::string& path, const db::Header& header) {
  if (header.kind == db::Kind::kMixtures)
    throw InputError(path, "", "holds mixtures, which have no relatives", "name a database of individuals");
  if (header.shape.encoding != Encoding::kAlleles)
    throw InputError(path, "", fmt::format("says only where a minor allele was seen, and {}", kTwoAlleles),
                     "build it again from its inputs with --encoding alleles");
}

void check_queries(const match::Queries& queries) {
  if (const match::QuerySource* const lacking = asking::without_alleles(queries))
    throw InputError(display_name(lacking->file), "",
                     fmt::format("says only where a minor allele was seen, and {}", kTwoAlleles),
                     "give the file that it was made from");
}

void check_options(const KinOptions& options) {
  stats::check_parameters(options.search.evidence.parameters);
  if (const auto& least = options.min_kinship; least && !(*least >= kLowestKinship && *least <= 0.5))
    throw UsageError(
        fmt::format("--min-kinship is {}; give a number from {} to 0.5", *least, kLowestKinship));
  if (!(options.margin >= 0))
    throw UsageError(fmt::format("--margin is {}; give a number from 0", options.margin));
  if (options.family.empty() && !options.missing.empty())
    throw UsageError("--missing is a member of a family; give its --family FILE too");
  const asking::LinkedOptions& linked = options.linked;
  if (linked.asks_for_map() && linked.unlinked)
    throw UsageError(
        "--map, --thin, --relations, --min-lr and --segments are for relatives along the genetic map, and "
        "--unlinked takes sites as unlinked; leave them out");
  if (!options.family.empty() && (!linked.relations.empty() || linked.min_lr || linked.stretches))
    throw UsageError(
        "--relations, --min-lr and --segments are of pairs of relatives, and --family weighs a member of a "
        "family; leave them out");
}

/// A kinship of at least phi is a count of at most (2 - 4 phi) times the denominator: in millionths.
match::PairWeights weights_of(double min_kinship) {
  constexpr std::uint32_t kCount = 250'000;
  return {.cost = kCount,
          .credit = 2 * kCount - static_cast<std::uint32_t>(std::lround(4 * kCount * min_kinship))};
}

/// The number of sites that a relative at least has called.
std::uint32_t called_in_any(const ProfileRows& rows) {
  std::vector<Word> called(rows.n_words());
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    std::ranges::transform(called, rows.row(i).called, called.begin(), std::bit_or());
  return stats::count_set(called);
}

/// All candidates for a missing member from the shortlists of all relatives, each once, in the database's
/// order.
match::QueryMatches candidates(const Relatives& relatives, const std::string& missing,
                               const ProfileRows& rows, const std::vector<match::RankedPairs>& ranked) {
  match::QueryMatches matches{.name = missing,
                              .file = relatives.facts.file,
                              .sha256 = relatives.facts.sha256,
                              .called_sites = called_in_any(rows),
                              .weights = {},
                              .rows = {},
                              .evidence = {},
                              .histogram = {}};
  std::map<std::uint64_t, engine::PairCounts> all;
  for (const match::RankedPairs& of_one : ranked)
    for (const engine::Pair& pair : of_one.pairs) all.emplace(pair.row, pair.counts);
  for (const auto& [row, counts] : all) matches.rows.push_back({.row = row, .counts = counts});
  return matches;
}

/// Moves the typed members' own profiles out of the candidates.
void set_members_apart(match::QueryMatches& query) {
  const auto is_candidate = [](const match::MatchRow& row) { return row.kin->member.empty(); };
  const auto members = std::ranges::stable_partition(query.rows, is_candidate);
  query.typed_members.assign(std::make_move_iterator(members.begin()),
                             std::make_move_iterator(members.end()));
  query.rows.erase(members.begin(), members.end());
}

/// Why queries cannot go by their likelihoods; "" where they can.
std::string calls_alone(const KinOptions& options, const db::Reader& reader) {
  if (!options.family.empty()) return "--family weighs calls";
  if (options.search.evidence.by_rate) return "--sort kinship lists by a count of calls";
  if (options.min_kinship) return "--min-kinship is of calls";
  if (reader.panel().populations().empty()) return reader.path() + ": its panel has no allele frequencies";
  return "";
}

double kinship_of(const match::MatchRow& row) {
  return row.kin->kinship;
}

class KinSearch {
 public:
  /// \param family  no value: relatives of each query are looked for
  KinSearch(const KinOptions& options, asking::PairFinder& finder, const db::Reader& reader,
            const db::ChosenRows& chosen, const asking::CountedSites& sites, const match::Queries& queries,
            const std::optional<asking::FamilyFile>& family)
      : options_(options),
        finder_(finder),
        reader_(reader),
        chosen_(chosen),
        sites_(sites),
        queries_(queries),
        family_(family),
        evidence_(options, reader, sites, chosen.n),
        problem_{engine::Comparison::kKinship, &queries.rows, reader.shape(), reader.has_second(),
                 Encoding::kAlleles} {}

  /// Fills in the table's queries. Returns false where another process does so.
  bool run(match::MatchTable& table) {
    if (!(family_ ? find_missing(*family_, table) : find_relatives(table))) return false;
    asking::name_rows(reader_, table.queries);
    return true;
  }

  const KinEvidence& evidence() const { return evidence_; }

 private:
  bool find_relatives(match::MatchTable& table) const {
    const std::vector<match::QueryRule> own = rules();
    asking::HaplotypeCount haplotypes(queries_, sites_.classes(), engine::Comparison::kKinship,
                                      options_.search.evidence.parameters.error_rate);
    const std::unique_ptr<linked::Screen> screen = evidence_.screens() ? evidence_.screen(queries_) : nullptr;
    const auto ranked = screen ? rank_by(*screen, table.run, &haplotypes) : rank(own, table.run, &haplotypes);
    if (!ranked) return false;
    table.queries = asking::matches_of(queries_, own, *ranked, asking::threads_of(options_.search));
    if (screen) evidence_.count(queries_, table.queries);
    weigh(table, [&](Progress& progress) { evidence_.weigh(queries_, progress, table.queries); });
    for (std::size_t q = 0; q < table.queries.size(); ++q) {
      list(screen ? match::KeepRule::kAll : shortlist(), table.queries[q]);
      if (screen) table.queries[q].more_may_match = more_may_match((*ranked)[q]);
    }
    evidence_.share(queries_, table.queries);
    const asking::Beside beside(reader_.panel(), sites_.classes(), evidence_.models(),
                                options_.search.evidence.parameters);
    beside.report(reader_, queries_, engine::Comparison::kKinship, haplotypes.tallies(),
                  asking::threads_of(options_.search), table.queries);
    return true;
  }

  bool find_missing(const asking::FamilyFile& family, match::MatchTable& table) const {
    const Relatives relatives = relatives_of(family, options_.missing, queries_);
    evidence_.warn_of_misfits(relatives.members, relatives.facts.file);
    const std::unique_ptr<linked::Screen> screen = evidence_.screens() ? evidence_.screen(queries_) : nullptr;
    const auto ranked = screen ? rank_by(*screen, table.run, nullptr) : rank(rules(), table.run);
    if (!ranked) return false;
    table.family = relatives.facts;
    count_bits(relatives, *table.family);
    for (const match::MissingFacts& missing : relatives.facts.missing)
      table.queries.push_back(candidates(relatives, missing.name, queries_.rows, *ranked));
    weigh(table, [&](Progress& progress) {
      for (std::size_t m = 0; m < relatives.missing.size(); ++m)
        evidence_.weigh(queries_, relatives.members, relatives.missing[m], relatives.facts.file, progress,
                        table.queries[m]);
    });
    const std::uint64_t most = shortlisted_kin(options_.search.rule.top);
    const bool full = std::ranges::any_of(*ranked, [&](const match::RankedPairs& of) {
      return screen ? more_may_match(of) : of.pairs.size() >= most;
    });
    for (std::size_t m = 0; m < relatives.missing.size(); ++m) {
      match::QueryMatches& query = table.queries[m];
      set_members_apart(query);
      std::ranges::stable_sort(query.rows, std::ranges::greater{}, kinship_of);
      const bool likely_left_out = query.more_may_match;
      list(full ? query.rows.size() : match::KeepRule::kAll, query);
      query.more_may_match |= likely_left_out;
      weigh_other_roles(relatives, m, table);
    }
    report_lines(family, relatives, table);
    return true;
  }

  /// \param m  index of the missing member
  void weigh_other_roles(const Relatives& relatives, std::size_t m, match::MatchTable& table) const {
    match::MissingFacts& missing = table.family->missing[m];
    missing.places_not_weighed = evidence_.weigh_other_roles(relatives.members, relatives.missing[m],
                                                             relatives.facts.file, table.queries[m]);
    if (missing.places_not_weighed > 0)
      log::note(
          "{}: whether a profile fits better in another place is not said of {} in the family that would "
          "take more than {} bits of inheritance, or too many alleles",
          printable(missing.name), counted(missing.places_not_weighed, "place"), kMostBitsBeside);
  }

  /// Notes which missing members' families are too large to be followed along the map.
  void count_bits(const Relatives& relatives, match::FamilyFacts& facts) const {
    if (!evidence_.along_map()) return;
    for (std::size_t m = 0; m < relatives.missing.size(); ++m) {
      match::MissingFacts& missing = facts.missing[m];
      missing.bits = linked::LinkedFamily::bits_of(relatives.members, relatives.missing[m]);
      missing.along_map = evidence_.follows(relatives.members, relatives.missing[m]);
      if (missing.along_map) continue;
      const std::string others =
          members_to_leave_out(relatives.members, relatives.missing[m], options_.max_bits);
      const std::string too_many =
          *missing.bits > options_.max_bits
              ? fmt::format("more than {}", options_.max_bits)
              : fmt::format(
                    "and up to {} to be weighed together, too many",
                    counted(linked::LinkedFamily::most_alleles(relatives.members, relatives.missing[m]),
                            "allele"));
      log::note("{}: the family has {} of inheritance, {}, so that its sites are taken as unlinked{}",
                printable(missing.name), counted(*missing.bits, "bit"), too_many,
                others.empty() ? "" : "; few enough are left without one of " + others);
    }
  }

  /// Fills in Y and M of the missing members' candidates.
  void report_lines(const asking::FamilyFile& family, const Relatives& relatives,
                    match::MatchTable& table) const {
    const asking::Beside beside(reader_.panel(), sites_.classes(), evidence_.models(),
                                options_.search.evidence.parameters);
    if (!beside.any()) return;
    say_other_sexes(family, relatives.query_of, queries_, beside);
    for (std::size_t m = 0; m < relatives.missing.size(); ++m) {
      const FamilyLines lines(family, relatives.sought[m], relatives.query_of, queries_, sites_.classes(),
                              beside);
      table.family->missing[m].paternal = lines.paternal();
      table.family->missing[m].maternal = lines.maternal();
      lines.report(reader_, asking::threads_of(options_.search), table.queries[m]);
    }
  }

  /// How many pairs of each query are shortlisted: along the map by the chain, else by kinship. More are
  /// taken for a family, whose members say more together than each alone.
  std::uint64_t shortlist() const {
    const std::uint64_t top = options_.search.rule.top;
    return evidence_.screens() && !family_ ? weighed_along_map(top) : shortlisted_kin(top);
  }

  /// Whether even the last pair of a full shortlist is a relative that chance does not explain.
  bool more_may_match(const match::RankedPairs& ranked) const {
    return ranked.pairs.size() >= shortlist() &&
           linked::Screen::log10_ratio(ranked.pairs.back().counts) > evidence_.speaks_above();
  }

  std::vector<match::QueryRule> rules() const {
    std::vector<match::QueryRule> own(
        queries_.rows.n_rows(),
        match::QueryRule{.weights = weights_of(evidence_.min_kinship().value_or(kLowestKinship)),
                         .only_positive = true});
    for (std::size_t q = 0; q < own.size(); ++q)
      if (queries_.likelihoods_of(q) != nullptr) own[q] = {};  // there is no kinship
    return own;
  }

  std::optional<std::vector<match::RankedPairs>> rank(std::span<const match::QueryRule> own,
                                                      match::RunInfo& run,
                                                      asking::HaplotypeCount* haplotypes = nullptr) const {
    const std::unique_ptr<engine::WeightedCount> weighted = asking::weighted_count(
        evidence_.models(), kRelatives, queries_, problem_, asking::threads_of(options_.search));
    engine::Problem problem = problem_;
    problem.custom_count = weighted.get();
    auto ranked = rank(problem, own, run, haplotypes);
    if (!ranked) return ranked;
    for (match::RankedPairs& query : *ranked)  // without a heterozygous site there is no kinship
      std::erase_if(query.pairs, [](const engine::Pair& pair) { return pair.counts.denominator == 0; });
    return ranked;
  }

  std::optional<std::vector<match::RankedPairs>> rank_by(const linked::Screen& screen, match::RunInfo& run,
                                                         asking::HaplotypeCount* haplotypes) const {
    engine::Problem problem = problem_;
    problem.custom_count = &screen;
    return rank(problem, {}, run, haplotypes);
  }

  std::optional<std::vector<match::RankedPairs>> rank(const engine::Problem& problem,
                                                      std::span<const match::QueryRule> own,
                                                      match::RunInfo& run,
                                                      asking::HaplotypeCount* haplotypes) const {
    match::KeepRule rule = options_.search.rule;
    rule.top = shortlist();
    return finder_.rank({options_.search, reader_, chosen_, problem, {rule, own}, haplotypes}, run);
  }

  template <class Weigh>
  void weigh(match::MatchTable& table, const Weigh& weigh) const {
    const Stopwatch weighing;
    std::uint64_t rows = 0;
    for (const match::QueryMatches& query : table.queries) rows += query.rows.size();
    Progress progress(options_.search.progress, "weighing", "candidates", rows);
    weigh(progress);
    table.run.evidence_seconds = weighing.seconds();
  }

  /// \param shortlist  the length at which a shortlist is full, so that there may be more rows
  void list(std::uint64_t shortlist, match::QueryMatches& query) const {
    const bool by_evidence = evidence_.available() && !options_.search.evidence.by_rate;
    if (!by_evidence) std::ranges::stable_sort(query.rows, std::ranges::greater{}, kinship_of);
    asking::list_rows({.top = options_.search.rule.top,
                       .shortlist = shortlist,
                       .speaks_above = evidence_.speaks_above(),
                       .by_evidence = by_evidence,
                       .max_chance_matches = {},
                       .least_log10_lr = evidence_.min_lr()},
                      query);
  }

  const KinOptions& options_;
  asking::PairFinder& finder_;
  const db::Reader& reader_;
  const db::ChosenRows& chosen_;
  const asking::CountedSites& sites_;
  const match::Queries& queries_;
  const std::optional<asking::FamilyFile>& family_;
  KinEvidence evidence_;
  engine::Problem problem_;
};

}  // namespace

std::uint64_t shortlisted_kin(std::uint64_t top) {
  constexpr std::uint64_t kTimes = 20, kLeast = 500;
  return top > match::KeepRule::kAll / kTimes ? match::KeepRule::kAll : std::max(kLeast, kTimes * top);
}

std::uint64_t weighed_along_map(std::uint64_t top) {
  constexpr std::uint64_t kTimes = 4, kLeast = 100;
  return top > match::KeepRule::kAll / kTimes ? match::KeepRule::kAll : std::max(kLeast, kTimes * top);
}

match::MatchTable find_kin(const KinOptions& options, engine::Engine& engine) {
  asking::Work work;
  asking::PairFinder finder(engine, work);
  return *find_kin(options, finder);
}

std::optional<match::MatchTable> find_kin(const KinOptions& given, asking::PairFinder& finder) {
  const Stopwatch total;
  check_options(given);
  KinOptions options = given;
  std::optional<asking::FamilyFile> family;
  if (!options.family.empty()) family = asking::read_family(options.family);
  if (family) finder.rests_on("family", family->sha256);
  match::MatchTable table{.comparison = engine::Comparison::kKinship, .by = Encoding::kAlleles};
  table.run = {.command_line = options.search.command_line, .started_utc = utc_now()};

  const db::Reader reader(options.search.database, asking::checks_of(options.search));
  check_database(options.search.database, reader.header());
  asking::settle_likelihoods(options.search.import, calls_alone(options, reader));
  table.run.open_seconds = total.seconds();
  asking::say_database(reader);
  const bool may_follow_map = !options.linked.unlinked;
  if (!may_follow_map) asking::warn_of_linkage(options.search, reader);
  const db::ChosenRows chosen = db::choose_rows(reader, options.search.rows);
  db::say_chosen(reader, chosen);
  finder.rests_on("database", asking::digest_of(reader));
  finder.rests_on("chosen profiles", asking::digest_of(chosen));

  const Stopwatch reading;
  const asking::CountedSites sites(reader);
  match::Queries queries = asking::queries_of(options.search, reader, finder, table);
  sites.keep(family ? "relative" : "query", queries);
  check_queries(queries);
  table.run.query_seconds = reading.seconds();

  KinSearch search(options, finder, reader, chosen, sites, queries, family);
  search.evidence().check_stretches();
  if (may_follow_map && !search.evidence().along_map()) asking::warn_of_linkage(options.search, reader);
  const match::EvidenceParameters rests_on = search.evidence().parameters();
  if (rests_on.map && !rests_on.map->sha256.empty()) finder.rests_on("map", rests_on.map->sha256);
  if (rests_on.blocks) finder.rests_on("blocks of linked sites", rests_on.blocks->sha256);
  if (!search.run(table)) return std::nullopt;
  table.provenance = asking::provenance_of(options.search, reader, sites, chosen,
                                           search.evidence().parameters(), search.evidence().populations());
  if (queries.any_by_likelihoods()) asking::note_likelihoods(options.search.import, table.provenance.reading);
  asking::say_sites_beside(sites.classes());
  asking::say_findings(table);
  asking::end_run(total, table.run);
  return table;
}

}  // namespace fastid::kin
