#include "questions/pairs/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "asking/blocks_file.hpp"
#include "asking/frequencies.hpp"
#include "asking/pair_finder.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "db/linked_panel.hpp"
#include "match/wording.hpp"
#include "questions/pairs/shared_sites.hpp"

namespace fastid::pairs {
namespace {

constexpr double kLeastKinship = -10;
constexpr std::uint32_t kMillion = 1'000'000;  ///< limits are exact to six decimals

/// Checks the options and returns them. \throws UsageError
const PairsOptions& checked(const PairsOptions& options) {
  check_pairs_evidence(options);
  if (const auto phi = options.min_kinship; phi && !(*phi >= kLeastKinship && *phi <= 0.5))
    throw UsageError(fmt::format("--min-kinship is {}; give a number from {} to 0.5", *phi, kLeastKinship));
  if (const auto rate = options.max_mismatch_rate; rate && !(*rate >= 0 && *rate <= 1))
    throw UsageError(fmt::format("--max-mismatch-rate is {}; give a number from 0 to 1", *rate));
  if (options.linked.unlinked && options.linked.asks_for_map())
    throw UsageError(
        "--map, --thin, --relations, --min-lr and --segments are for relatives along the genetic map, and "
        "--unlinked "
        "takes sites as unlinked; leave them out");
  return options;
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

/// \param profiles  of the second database
PairSides sides_of(const PairsOptions& options, const db::Reader& first, const db::Reader& second,
                   const BlockSource& profiles) {
  Chosen within = rows_of(first, options.rows, options.within);
  const bool same = &first == &second && options.against.empty();
  Chosen against = same ? within : rows_of(second, options.rows, options.against);
  if (options.new_since > 0) within = rows_since(first, options.new_since, within);
  return {PairSide(first, std::move(within)), PairSide(profiles, std::move(against))};
}

/// What identifies the profiles of a side.
std::string digest_of(const PairSide& side) {
  Sha256 hash;
  for (std::uint64_t i = 0; !side.is_all() && i < side.size(); ++i) {
    const std::uint64_t row = side.row(i);
    hash.update(&row, sizeof row);
  }
  return side.is_all() ? "all" : hash.hex();
}

/// The largest of the populations' spreads of kinship, over the autosomal sites.
std::optional<double> largest_spread(const db::Reader& reader, const SiteClasses& classes) {
  const std::vector<std::uint32_t> sites = classes.sites(SiteClass::kAutosomal);
  std::optional<double> largest;
  for (const Population& population : reader.panel().populations()) {
    std::vector<double> freq;
    for (const std::uint32_t site : sites) freq.push_back(population.minor_freq[site]);
    largest = std::max(largest, stats::kinship_spread(freq));
  }
  return largest;
}

match::PairsDatabase facts_of(const db::Reader& reader) {
  return {reader.path(), reader.file_bytes(), reader.shape().n_profiles, reader.header().content_sha256};
}

}  // namespace

void check_pairs_evidence(const PairsOptions& options) {
  stats::check_parameters(options.parameters);
  if (!(options.margin >= 0))
    throw UsageError(fmt::format("--margin is {}; give a number from 0", options.margin));
}

PairQuestion::PairQuestion(const PairsOptions& asked)
    : options(checked(asked)),
      first(open(asked.database, asked.skip_checksums)),
      other(open_second()),
      second(other ? *other : *first),
      moved(move_second()),
      second_profiles(moved ? static_cast<const BlockSource&>(*moved) : second),
      sides(sides_of(asked, *first, second, second_profiles)),
      counted_sites(*first) {
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
  facts.sites = asking::sites_by_class(counted_sites.classes());
  asking::say_sites_beside(counted_sites.classes());
  if (asked.blocks.empty()) facts.linked = db::linkage_warning(*first);
  if (!facts.linked.empty()) log::warn_text(facts.linked);
  if (facts.by == Encoding::kAlleles) facts.kinship_spread = largest_spread(*first, counted_sites.classes());
  facts.evidence = {.population = asked.population,
                    .theta = asked.parameters.theta,
                    .error_rate = asked.parameters.error_rate,
                    .alternative = std::string(stats::name_of(stats::Relation::kUnrelated)),
                    .sort = {},
                    .max_chance_matches = {},
                    .known = {},
                    .min_kinship = {},
                    .margin = asked.margin};
  weigh_pairs();
  if (!facts.min_kinship && !facts.max_mismatch_rate && !facts.min_lr()) facts.min_kinship = kCloseKinship;
  facts.evidence.min_kinship = facts.min_kinship.value_or(0);
}

/// Prepares the evidence of pairs, and the figures beside it.
void PairQuestion::weigh_pairs() {
  const auto report_beside = [this](std::span<const stats::PopulationModel> models) {
    if (!counted_sites.classes().all_autosomal())
      beside.emplace(first->panel(), counted_sites.classes(), models, options.parameters);
  };
  facts.with_evidence = facts.by == Encoding::kAlleles && options.evidence;
  if (!facts.with_evidence && !options.blocks.empty())
    throw UsageError("--blocks weighs likelihood ratios, and pairs have none by bits and with --no-evidence");
  if (!facts.with_evidence && options.linked.asks_for_map())
    throw UsageError(
        "--map, --thin, --relations, --min-lr and --segments are of likelihood ratios, and pairs have none "
        "by "
        "bits and with --no-evidence; leave them out");
  if (!facts.with_evidence) return report_beside({});
  std::shared_ptr<const stats::LinkageBlocks> blocks;
  if (!options.blocks.empty()) {
    asking::BlocksOfPanel read = asking::read_blocks(options.blocks, first->panel());
    facts.evidence.blocks = std::move(read.facts);
    blocks = std::move(read.blocks);
  }
  const std::vector<stats::PopulationModel> models =
      asking::models_of(*first, options.population, options.parameters, blocks);
  asking::say_frequencies(*first, models);
  facts.populations = asking::facts_of(models);
  linked.emplace(options.linked, first->panel(), counted_sites.mask(), models, options.margin, facts.n_pairs);
  linked->check_stretches(options.linked, options.database);
  if (linked->available())
    weigh_along_map();
  else
    relations.emplace(models, options.margin, facts.n_pairs);
  report_beside(models);
}

void PairQuestion::weigh_along_map() {
  match::MapFacts map = linked->facts();
  const bool limited = facts.min_kinship || facts.max_mismatch_rate;
  map.min_lr = options.linked.min_lr;
  if (!map.min_lr && !limited && !options.by_kinship) map.min_lr = kCloseLr;
  facts.evidence.map = std::move(map);
  if (!facts.min_lr() || limited) return;
  auto screen = linked->pair_screen(*facts.min_lr());
  MovedSites columns(sides.columns().source(), screen->origins()),
      rows(sides.rows().source(), screen->origins());
  screened =
      std::make_unique<Screened>(Screened{std::move(screen), std::move(columns), std::move(rows), nullptr});
}

void PairQuestion::set_chain_engine(engine::Engine& engine) {
  if (screened && screened->engine == nullptr)
    screened->engine = screened->screen->make_engine(options.threads, &engine);
}

/// The second database; null where it is the first one.
std::unique_ptr<db::Reader> PairQuestion::open_second() const {
  if (options.second.empty()) return nullptr;
  auto reader = open(options.second, options.skip_checksums);
  if (reader->opened() == first->opened()) return nullptr;
  return reader;
}

std::unique_ptr<MovedSites> PairQuestion::move_second() const {
  if (!other) return nullptr;
  auto origins = shared_sites(*first, *other, options.ignore_build);
  return origins ? std::make_unique<MovedSites>(*other, std::move(*origins)) : nullptr;
}

/// Chooses what is compared, and the limits in force.
void PairQuestion::choose() {
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
  }
}

/// A kinship of at least phi is a count of at most (2 - 4 phi) times the denominator.
engine::Threshold PairQuestion::threshold() const {
  if (screened) return {};
  if (!facts.min_kinship) return {UINT32_MAX, most_differing(), kMillion, 0};
  return {UINT32_MAX,
          2 * kMillion - static_cast<std::uint32_t>(std::lround(4 * kMillion * *facts.min_kinship)), kMillion,
          0};
}

std::uint32_t PairQuestion::most_differing() const {
  const int alleles = facts.by == Encoding::kAlleles ? 2 : 1;
  return static_cast<std::uint32_t>(std::lround(alleles * *facts.max_mismatch_rate * kMillion));
}

// Where both limits are given, the engine has tested the kinship.
bool PairQuestion::passes(const match::ClosePair& pair) const {
  if (pair.compared < options.min_compared) return false;
  if (facts.min_lr() && !(pair.linked && pair.linked->log10_any >= *facts.min_lr())) return false;
  return !facts.min_kinship || !facts.max_mismatch_rate ||
         std::uint64_t{pair.differing} * kMillion <= std::uint64_t{most_differing()} * pair.compared;
}

std::vector<part::Basis> PairQuestion::basis() const {
  std::vector<part::Basis> all = {{"database", asking::digest_of(*first)}};
  if (other) all.push_back({"second database", asking::digest_of(*other)});
  if (facts.evidence.blocks) all.push_back({"blocks of linked sites", facts.evidence.blocks->sha256});
  if (facts.along_map() && !facts.evidence.map->sha256.empty())
    all.push_back({"genetic map", facts.evidence.map->sha256});
  all.push_back({"chosen profiles", digest_of(sides.columns())});
  all.push_back({"profiles that these are compared with", digest_of(sides.rows())});
  return all;
}

void PairQuestion::refuse_many() const {
  throw Failure(fmt::format("more than {} have {}; raise the bound, or --max-pairs",
                            counted(options.max_pairs, "pair"), match::limits_text(facts)));
}

}  // namespace fastid::pairs
