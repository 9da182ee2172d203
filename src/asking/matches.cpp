#include "asking/matches.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "asking/beside.hpp"
#include "asking/stored_profiles.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/linked_panel.hpp"
#include "stats/evidence.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::asking {
namespace {

match::ReadingParameters reading_of(const imports::ImportOptions& options) {
  match::ReadingParameters reading{.ignore_build = options.ignore_build,
                                   .absent_as_reference = options.absent_as_reference,
                                   .palindromic = std::string(imports::name_of(options.palindromic)),
                                   .reference = options.reference};
  reading.min_quality = options.min_genotype_quality;
  if (options.depths) {
    reading.min_depth = options.depths->min_depth;
    reading.min_allele_fraction = options.depths->min_fraction;
  }
  return reading;
}

bool same_class(const match::PairWeights& weights, const match::MatchRow& a, const match::MatchRow& b) {
  return match::ties(weights, {a.row, 0, a.counts}, {b.row, 0, b.counts});
}

/// Whether a mixture's row has a mark: a relative of a contributor may have a lower ratio than any stranger.
bool is_marked(const match::MatchRow& row) {
  return row.contributor && (row.contributor->apart || row.relative);
}

/// Sorts the rows of a shortlist by their likelihood ratio as it is printed, of mixtures those with a mark
/// first.
void sort_by_evidence(std::vector<match::MatchRow>& rows) {
  std::vector<std::pair<std::pair<bool, double>, std::size_t>> places;
  for (const match::MatchRow& row : rows)
    places.emplace_back(std::pair(is_marked(row), stats::as_printed(*row.log10_lr)), places.size());
  std::ranges::stable_sort(places, std::ranges::greater{}, [](const auto& place) { return place.first; });
  std::vector<match::MatchRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [ratio, place] : places) sorted.push_back(std::move(rows[place]));
  rows = std::move(sorted);
}

bool same_evidence(const match::MatchRow& a, const match::MatchRow& b) {
  return is_marked(a) == is_marked(b) && stats::as_printed(*a.log10_lr) == stats::as_printed(*b.log10_lr);
}

}  // namespace

void say_database(const db::Reader& reader) {
  log::detail("{}: {} of {}, build {}", reader.path(), counted(reader.shape().n_profiles, "profile"),
              counted(reader.shape().n_sites, "site"), name_of(reader.header().build));
}

void warn_of_linkage(const SearchOptions& options, const db::Reader& reader) {
  if (const std::string linked = linkage_of(options, reader); !linked.empty()) log::warn_text(linked);
}

std::string linkage_of(const SearchOptions& options, const db::Reader& reader) {
  return options.evidence.blocks.empty() ? db::linkage_warning(reader) : std::string();
}

match::Provenance provenance_of(const SearchOptions& options, const db::Reader& reader,
                                const CountedSites& sites, const db::ChosenRows& chosen,
                                match::EvidenceParameters evidence,
                                std::vector<match::PopulationFacts> populations) {
  const db::Header& header = reader.header();
  // A search for a person follows near relatives along the map, and multiplies sites in log10_lr.
  const bool along_map = evidence.map && options.comparison != engine::Comparison::kIdentity;
  return {.database = options.database,
          .database_kind = std::string(db::name_of(header.kind)),
          .database_bytes = reader.file_bytes(),
          .n_profiles = header.shape.n_profiles,
          .n_sites = header.shape.n_sites,
          .sites = sites_by_class(sites.classes()),
          .counted_class = std::string(name_of(sites.counted())),
          .searched = {.n_profiles = chosen.n,
                       .n_expired = chosen.expired,
                       .only = options.rows.only,
                       .ids_sha256 = chosen.ids_sha256,
                       .exclude_sha256 = chosen.exclude_sha256},
          .genome_build = std::string(name_of(header.build)),
          .panel_sha256 = header.panel_sha256,
          .content_sha256 = header.content_sha256,
          .format_version = header.format_version,
          .rule = options.rule,
          .evidence = std::move(evidence),
          .linked = along_map ? std::string() : linkage_of(options, reader),
          .populations = std::move(populations),
          .reading = reading_of(options.import),
          .skip_checksums = options.skip_checksums};
}

std::vector<match::QueryMatches> matches_of(const match::Queries& queries,
                                            std::span<const match::QueryRule> own,
                                            const std::vector<match::RankedPairs>& ranked,
                                            std::size_t threads) {
  std::vector<match::QueryMatches> all(ranked.size());
  in_parallel(all.size(), threads, [&](std::size_t q) {
    const match::QuerySource& source = queries.sources[q];
    const bool by_likelihoods = queries.likelihoods_of(q) != nullptr;
    all[q] = {.name = source.name,
              .file = source.file,
              .sha256 = source.sha256,
              .called_sites = queries.sites_of(q),
              .minor_alleles = by_likelihoods ? 0 : stats::count_set(queries.rows.row(q).bits),
              .weights = own[q].weights,
              .rows = {},
              .ties_cut = ranked[q].ties_cut,
              .evidence = {},
              .histogram = {},
              .by_likelihoods = by_likelihoods};
    std::vector<match::MatchRow>& rows = all[q].rows;
    rows.reserve(ranked[q].pairs.size());
    for (const engine::Pair& pair : ranked[q].pairs) rows.push_back({.row = pair.row, .counts = pair.counts});
  });
  return all;
}

std::uint64_t shortlisted(std::uint64_t top) {
  constexpr std::uint64_t kTimes = 2, kLeast = 20;
  return top > match::KeepRule::kAll / kTimes ? match::KeepRule::kAll : std::max(kLeast, kTimes * top);
}

void list_rows(const ListingRule& rule, match::QueryMatches& query) {
  const match::PairWeights& weights = query.weights;
  std::vector<match::MatchRow>& rows = query.rows;
  if (rows.empty()) return;
  const auto worst_kept = std::prev(rows.end());
  const match::MatchRow last_kept = {.row = worst_kept->row,
                                     .counts = worst_kept->counts,
                                     .log10_lr = worst_kept->log10_lr,
                                     .relative = worst_kept->relative,
                                     .contributor = worst_kept->contributor};
  query.more_may_match = rule.by_evidence && !rule.max_chance_matches && rows.size() >= rule.shortlist &&
                         *last_kept.log10_lr > rule.speaks_above;

  if (rule.max_chance_matches)
    std::erase_if(rows, [most = std::log10(*rule.max_chance_matches)](const match::MatchRow& row) {
      return *row.log10_chance_matches > most;
    });
  if (rule.least_log10_lr)
    std::erase_if(rows, [&](const match::MatchRow& row) { return *row.log10_lr < *rule.least_log10_lr; });
  if (rule.by_evidence) sort_by_evidence(rows);
  const std::size_t listed = static_cast<std::size_t>(std::min<std::uint64_t>(rows.size(), rule.top));
  const auto ties_with_last = [&](const match::MatchRow& row) {
    const match::MatchRow& last = rows[listed - 1];
    return same_class(weights, row, last) && (!rule.by_evidence || same_evidence(row, last));
  };
  if (listed == 0 || !ties_with_last(last_kept)) query.ties_cut = 0;
  for (const match::MatchRow& row : std::span(rows).subspan(listed)) query.ties_cut += ties_with_last(row);
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(listed), rows.end());
  for (std::size_t i = 0; i < listed; ++i) rows[i].rank = i + 1;
}

std::optional<double> agree_by_chance(double log10_match_probability, std::uint64_t n_profiles) {
  const double log10_expected = std::log10(static_cast<double>(n_profiles)) + log10_match_probability;
  if (!stats::explained_by_chance(log10_expected)) return std::nullopt;
  return log10_expected;
}

void name_rows(const db::Reader& reader, std::vector<match::QueryMatches>& queries) {
  std::vector<std::uint64_t> rows;
  for (const match::QueryMatches& query : queries)
    for (const auto* listed : {&query.rows, &query.typed_members})
      for (const match::MatchRow& row : *listed) rows.push_back(row.row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::vector<std::string> ids = reader.profile_ids(rows);
  for (match::QueryMatches& query : queries)
    for (auto* const listed : {&query.rows, &query.typed_members})
      for (match::MatchRow& row : *listed) {
        const auto at = std::lower_bound(rows.begin(), rows.end(), row.row) - rows.begin();
        row.profile = ids[static_cast<std::size_t>(at)];
      }
}

void end_run(const Stopwatch& total, match::RunInfo& run) {
  run.peak_memory_bytes = peak_memory_bytes();
  run.total_seconds = total.seconds();
  log::detail("evidence {:.3f} s; {:.3f} s in all, at most {} MiB of memory", run.evidence_seconds,
              run.total_seconds, run.peak_memory_bytes >> 20);
}

}  // namespace fastid::asking
