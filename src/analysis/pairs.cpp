#include "analysis/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/internal/frequencies.hpp"
#include "analysis/internal/pair_sides.hpp"
#include "analysis/internal/relation_evidence.hpp"
#include "analysis/internal/stored_profiles.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "pipeline/all_pairs.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/verify.hpp"

namespace fastid {
namespace {

constexpr double kLeastKinship = -10;
constexpr std::uint32_t kMillion = 1'000'000;  ///< limits are exact to six decimals

void check(const PairsOptions& options) {
  stats::check_parameters(options.parameters);
  if (const auto phi = options.min_kinship; phi && !(*phi >= kLeastKinship && *phi <= 0.5))
    throw UsageError(fmt::format("--min-kinship is {}; give a number from {} to 0.5", *phi, kLeastKinship));
  if (const auto rate = options.max_mismatch_rate; rate && !(*rate >= 0 && *rate <= 1))
    throw UsageError(fmt::format("--max-mismatch-rate is {}; give a number from 0 to 1", *rate));
  if (!(options.margin >= 0))
    throw UsageError(fmt::format("--margin is {}; give a number from 0", options.margin));
}

std::unique_ptr<db::Reader> open(const std::string& path, bool skip_checksums) {
  auto reader =
      std::make_unique<db::Reader>(path, skip_checksums ? db::BlockChecks::kNone : db::BlockChecks::kAll);
  if (reader->header().kind == db::Kind::kMixtures)
    throw InputError(path, "", "holds mixtures, and pairs are of people", "name a database of individuals");
  return reader;
}

using Chosen = std::optional<std::vector<std::uint64_t>>;

/// The rows that the rule and a file of ids ("": all) leave.
Chosen rows_of(const db::Reader& reader, db::RowRule rule, const std::string& listed) {
  rule.ids = listed;
  const db::ChosenRows chosen = db::choose_rows(reader, rule);
  if (chosen.expired > 0) db::say_chosen(reader, chosen);
  return chosen.rows ? Chosen(chosen.rows->list()) : std::nullopt;
}

Chosen rows_since(const db::Reader& reader, std::uint64_t first, const Chosen& within) {
  const std::uint64_t n = reader.shape().n_profiles;
  if (first >= n)
    throw InputError(reader.path(), "",
                     fmt::format("has {}, so that none is new since row {}", counted(n, "profile"), first),
                     "give --new-since the number of profiles that it had before");
  std::vector<std::uint64_t> rows;
  if (within)
    std::ranges::copy_if(*within, std::back_inserter(rows), [&](std::uint64_t row) { return row >= first; });
  else
    for (std::uint64_t row = first; row < n; ++row) rows.push_back(row);
  return rows;
}

PairSides sides_of(const PairsOptions& options, const db::Reader& first, const db::Reader& second) {
  Chosen within = rows_of(first, options.rows, options.within);
  const bool same = &first == &second && options.against.empty();
  Chosen against = same ? within : rows_of(second, options.rows, options.against);
  if (options.new_since > 0) within = rows_since(first, options.new_since, within);
  return {PairSide(first, std::move(within)), PairSide(second, std::move(against))};
}

PairsDatabase facts_of(const db::Reader& reader) {
  return {reader.path(), reader.file_bytes(), reader.shape().n_profiles, reader.header().content_sha256};
}

}  // namespace

struct PairSearch::Impl {
  explicit Impl(const PairsOptions& asked)
      : options(asked),
        first(open(asked.database, asked.skip_checksums)),
        other(open_second()),
        second(other ? *other : *first),
        sides(sides_of(asked, *first, second)) {
    choose();
    facts.n_pairs = sides.n_pairs();
    facts.n_profiles = sides.n_profiles();
    if (facts.n_pairs == 0)
      throw InputError(asked.database, "", "holds no pair of the profiles that are asked for",
                       "name more profiles");
    facts.min_compared = asked.min_compared;
    facts.database = facts_of(*first);
    if (other) facts.second = facts_of(*other);
    facts.genome_build = std::string(name_of(first->header().build));
    facts.panel_sha256 = first->header().panel_sha256;
    facts.n_sites = first->shape().n_sites;
    facts.evidence = {.population = asked.population,
                      .theta = asked.parameters.theta,
                      .error_rate = asked.parameters.error_rate,
                      .alternative = std::string(stats::name_of(stats::Relation::kUnrelated)),
                      .sort = {},
                      .max_chance_matches = {},
                      .contributors = {},
                      .drop_out = {},
                      .known = {},
                      .min_kinship = facts.min_kinship.value_or(0),
                      .margin = asked.margin};
    facts.with_evidence = facts.by == Encoding::kAlleles && asked.evidence;
    if (!facts.with_evidence) return;
    const std::vector<stats::PopulationModel> models = models_of(*first, asked.population, asked.parameters);
    say_frequencies(*first, models);
    facts.populations = fastid::facts_of(models);
    relations.emplace(models, asked.margin, facts.n_pairs);
  }

  /// The second database; null where it is the first one.
  std::unique_ptr<db::Reader> open_second() const {
    if (options.second.empty()) return nullptr;
    auto reader = open(options.second, options.skip_checksums);
    if (reader->opened() == first->opened()) return nullptr;
    if (reader->header().panel_sha256 != first->header().panel_sha256)
      throw InputError(options.second, "", fmt::format("has another panel than {}", options.database),
                       "build it again with the --panel of the other (db export --what panel)");
    return reader;
  }

  /// What is compared, and the limits in force.
  void choose() {
    const bool both =
        first->shape().encoding == Encoding::kAlleles && second.shape().encoding == Encoding::kAlleles;
    facts.by = options.by.value_or(both ? Encoding::kAlleles : Encoding::kMinor);
    if (facts.by == Encoding::kAlleles && !both) {
      const bool is_first = first->shape().encoding != Encoding::kAlleles;
      throw InputError(is_first ? options.database : options.second, "",
                       "says only where a minor allele was seen",
                       "build it again from its inputs with --encoding alleles, or compare --by bits");
    }
    facts.min_kinship = options.min_kinship;
    facts.max_mismatch_rate = options.max_mismatch_rate;
    if (facts.by == Encoding::kMinor) {
      if (facts.min_kinship)
        throw UsageError("kinship is counted by both alleles of each site; by bits give --max-mismatch-rate");
      if (!facts.max_mismatch_rate) facts.max_mismatch_rate = kSameMismatchRate;
    } else if (options.duplicates) {
      facts.min_kinship = std::max(kSameKinship, facts.min_kinship.value_or(kSameKinship));
    } else if (!facts.min_kinship && !facts.max_mismatch_rate) {
      facts.min_kinship = kCloseKinship;
    }
  }

  /// A kinship of at least phi is a count of at most (2 - 4 phi) times the denominator.
  Threshold threshold() const {
    if (!facts.min_kinship) return {UINT32_MAX, most_differing(), kMillion, 0};
    return {UINT32_MAX,
            2 * kMillion - static_cast<std::uint32_t>(std::lround(4 * kMillion * *facts.min_kinship)),
            kMillion, 0};
  }
  /// The mismatch rate, as differing alleles or sites in a million sites.
  std::uint32_t most_differing() const {
    const int alleles = facts.by == Encoding::kAlleles ? 2 : 1;
    return static_cast<std::uint32_t>(std::lround(alleles * *facts.max_mismatch_rate * kMillion));
  }

  /// Counts a pair of a strip again, and weighs it.
  ClosePair close_pair(const Problem& problem, const Pair& pair, std::uint64_t column,
                       const RowView& stored) const {
    const RowView asked = problem.queries->row(pair.query);
    ClosePair found{.first = sides.columns().row(column),
                    .second = sides.rows().row(pair.row),
                    .compared = pair.counts.compared,
                    .differing = pair.counts.count};
    if (facts.by == Encoding::kAlleles) {
      const stats::KinCounts counts = stats::count_kin(asked, stored);
      found.differing = counts.alleles_apart();
      found.both_het = counts.both_het;
      found.ibs0 = counts.ibs0;
      found.kinship = stats::king_kinship(counts).value_or(NAN);
    }
    if (relations && relations->available()) {
      RelationFindings weighed = relations->weigh(asked, stored);
      found.log10_lr = weighed.log10_lr;
      found.relation = std::move(weighed.relation);
      found.log10_chance_pairs =
          stats::log10_expected_strangers(weighed.log10_best - log10_relations(), facts.n_pairs);
    }
    if (sides.one_database() && found.second < found.first) std::swap(found.first, found.second);
    return found;
  }

  /// Some pairs of a strip, in their order.
  std::vector<ClosePair> verified(const Strip& strip, const Engine& engine,
                                  std::span<const Pair> pairs) const {
    constexpr std::size_t kPiece = 64;
    std::vector<std::size_t> by_row(pairs.size());  // so that a block is read once
    for (std::size_t i = 0; i < by_row.size(); ++i) by_row[i] = i;
    std::ranges::sort(by_row, {}, [&](std::size_t i) { return std::pair(pairs[i].row, i); });
    std::vector<ClosePair> found(pairs.size());
    in_parallel(ceil_div(pairs.size(), kPiece), threads(), [&](std::size_t piece) {
      BlockReader blocks(sides.rows().source());
      const std::size_t begin = piece * kPiece;
      for (const std::size_t i : std::span(by_row).subspan(begin, std::min(kPiece, by_row.size() - begin))) {
        const Pair& pair = pairs[i];
        verify_pair(blocks, strip.problem, engine, pair);
        const std::uint64_t lane = pair.row % kLanes;
        const ProfileRows stored = ProfileRows::from_blocks(blocks.block_of(pair.row), {&lane, 1});
        found[i] = close_pair(strip.problem, pair, strip.first + pair.query, stored.row(0));
      }
    });
    // Where both limits are given, the engine has tested the kinship.
    if (facts.min_kinship && facts.max_mismatch_rate)
      std::erase_if(found, [&](const ClosePair& pair) {
        return std::uint64_t{pair.differing} * kMillion > std::uint64_t{most_differing()} * pair.compared;
      });
    return found;
  }

  std::size_t threads() const { return options.threads > 0 ? options.threads : available_cpus(); }

  std::vector<NamedPair> named(std::vector<ClosePair> pairs) const {
    const auto ids = [&](const db::Reader& reader, std::uint64_t ClosePair::*row) {
      std::vector<std::uint64_t> rows;
      for (const ClosePair& pair : pairs) rows.push_back(pair.*row);
      return reader.profile_ids(rows);
    };
    std::vector<std::string> firsts = ids(*first, &ClosePair::first),
                             seconds = ids(second, &ClosePair::second);
    std::vector<NamedPair> named;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      named.push_back({std::move(pairs[i]), std::move(firsts[i]), std::move(seconds[i])});
    return named;
  }

  [[noreturn]] void refuse_many() const {
    throw Failure(fmt::format("more than {} have {}; raise the bound, or --max-pairs",
                              counted(options.max_pairs, "pair"), limits_text(facts)));
  }

  const PairsOptions options;
  std::unique_ptr<db::Reader> first, other;
  const db::Reader& second;
  PairSides sides;
  PairsFacts facts;
  std::optional<RelationEvidence> relations;
};

PairSearch::PairSearch(const PairsOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(options);
}
PairSearch::~PairSearch() = default;

const PairsFacts& PairSearch::facts() const {
  return impl_->facts;
}

const db::Reader& PairSearch::database() const {
  return *impl_->first;
}

std::vector<std::string> PairSearch::ids() const {
  return impl_->first->profile_ids(0, facts().database.n_profiles);
}

std::vector<std::string> PairSearch::second_ids() const {
  if (!impl_->other) return {};
  return impl_->other->profile_ids(0, facts().second->n_profiles);
}

bool PairSearch::compares(std::uint64_t first, std::uint64_t second) const {
  const PairSide &columns = impl_->sides.columns(), &rows = impl_->sides.rows();
  return (columns.has(first) && rows.has(second)) ||
         (impl_->sides.one_database() && columns.has(second) && rows.has(first));
}

bool PairSearch::takes_part(std::uint64_t row) const {
  return impl_->sides.columns().has(row) || (impl_->sides.one_database() && impl_->sides.rows().has(row));
}

std::uint64_t PairSearch::run(Engine& engine, const std::function<void(std::span<const NamedPair>)>& take) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 15;  // pairs that are weighed and named together
  const Impl& of = *impl_;
  const bool kinship = of.facts.min_kinship.has_value();
  const AllPairs all{.comparison = kinship ? Comparison::kKinship : Comparison::kIdentity,
                     .by = of.facts.by,
                     .columns = of.sides.columns().source(),
                     .rows = of.sides.rows().source(),
                     .threshold = of.threshold(),
                     .rows_for = [&](std::uint64_t end) { return of.sides.rows_for(end); },
                     .keep =
                         [&](std::uint64_t column, std::uint64_t row, const PairCounts& counts) {
                           // Without a heterozygous site there is no kinship.
                           return counts.denominator > 0 && counts.compared >= of.options.min_compared &&
                                  of.sides.counts(column, row);
                         },
                     .most_pairs = of.options.max_pairs};
  const Stopwatch comparing;
  Progress progress(of.options.progress, "comparing", "profiles", rows_of_strips(all));
  std::uint64_t found = 0;
  StreamStats stats;
  try {
    stats = stream_pairs(all, engine, of.threads(), progress, [&](const Strip& strip) {
      for (std::size_t at = 0; at < strip.pairs.size(); at += kAtOnce) {
        const auto some = strip.pairs.subspan(at, std::min(kAtOnce, strip.pairs.size() - at));
        const std::vector<NamedPair> named = of.named(of.verified(strip, engine, some));
        found += named.size();
        take(named);
      }
    });
  } catch (const TooManyPairs&) {
    of.refuse_many();
  }
  log::detail("engine: {}", engine.description());
  const double bits = static_cast<double>(of.facts.n_pairs) * of.facts.n_sites;
  for (const std::string& line : describe_stages(stats, engine.peaks(), {}, bits, comparing.seconds()))
    log::detail("{}", line);
  log::detail("at most {} MiB of memory", peak_memory_bytes() >> 20);
  return found;
}

}  // namespace fastid
