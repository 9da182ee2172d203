#include "analysis/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

/// Stored profiles as rows, one at a time.
class StoredProfiles {
 public:
  explicit StoredProfiles(const db::Reader& reader) : blocks_(reader) {}

  /// Valid until the next call.
  RowView read(std::uint64_t row) {
    const std::uint64_t lane = row % kLanes;
    profile_ = ProfileRows::from_blocks(blocks_.block_of(row), {&lane, 1});
    return profile_.row(0);
  }

 private:
  BlockReader blocks_;
  ProfileRows profile_{0, 0};
};

/// Whether a hit's differing sites are worth a list (docs/output.md): where they are few, or the evidence
/// speaks for the hit; not where it is one of the many that differ as unrelated people do.
bool lists_loci(const MatchRow& row) {
  constexpr std::uint32_t kFew = 10, kFewUnknown = 50, kMost = 1000;
  constexpr std::uint64_t kMostRanks = 100;
  if (row.rank > kMostRanks) return false;
  if (!row.log10_lr) return row.counts.count <= kFewUnknown;
  return row.counts.count <= (*row.log10_lr > 0 ? kMost : kFew);
}

/// work(0) .. work(n - 1), each once, on `threads` threads.
void for_each(std::size_t threads, std::size_t n, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  run_crew(std::min(threads, n), [&](std::size_t, const std::atomic<bool>& failed) {
    for (std::size_t i = next++; i < n && !failed; i = next++) {
      check_interrupt();
      work(i);
    }
  });
}

MixtureEvidence mixture_evidence(const stats::QueryEvaluator& evaluator, bool given) {
  const stats::QueryEvidence& worst = evaluator.query()[evaluator.worst_population()];
  return {.saturation = evaluator.saturation(),
          .expected_saturation = worst.expected_saturation,
          .contributors_used = worst.contributors_used,
          .given = given,
          .estimate = worst.contributors.best,
          .low = worst.contributors.low,
          .high = worst.contributors.high,
          .informative = worst.contributors.informative,
          .saturated = evaluator.saturated()};
}

QueryEvidence query_evidence(const stats::QueryEvaluator& evaluator, Comparison comparison, bool given) {
  QueryEvidence evidence{.worst = evaluator.worst_population()};
  const bool mixture = comparison == Comparison::kMixture;
  for (std::size_t p = 0; p < evaluator.models().size(); ++p) {
    const stats::QueryEvidence& query = evaluator.query()[p];
    PopulationEvidence population{.name = evaluator.models()[p].name()};
    (mixture ? population.log10_p_rmne_0 : population.log10_match_probability) =
        mixture ? query.log10_p_rmne_0 : query.log10_match_probability;
    evidence.populations.push_back(std::move(population));
  }
  if (mixture) evidence.mixture = mixture_evidence(evaluator, given);
  return evidence;
}

void put_figures(const stats::HitEvidence& worst, bool mixture, MatchRow& row) {
  row.log10_lr = worst.log10_lr;
  if (mixture) row.log10_p_rmne = worst.log10_chance;
  row.log10_expected_false = worst.log10_expected_false;
  row.saturated = worst.saturated;
}

}  // namespace

std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader) {
  const std::vector<db::LogRecord> log = reader.log();
  if (log.empty() || !log.front().derived_panel || log.front().inputs.empty()) return std::nullopt;
  return log.front().inputs.front().profiles;
}

Evidence::Evidence(const EvidenceOptions& options, Comparison comparison, const db::Reader& reader)
    : options_(options), comparison_(comparison), reader_(reader) {
  stats::check_parameters(options.parameters);
  models_ = stats::choose_populations(reader.panel(), options.population == "all" ? "" : options.population,
                                      options.parameters, sampled_cohort(reader), reader.path());
  if (available()) return;
  constexpr const char* kCure = "build it with a --panel that has a column of minor-allele frequencies";
  if (options.max_expected_false)
    throw InputError(reader.path(), "",
                     "its panel has no allele frequencies, which --max-expected-false takes", kCure);
  log::note("{}: its panel has no allele frequencies, so that what a match is worth is not known (NA); {}",
            reader.path(), kCure);
}

stats::QueryEvaluator Evidence::evaluator(Comparison comparison, const RowView& query) const {
  return {comparison, models_, query, reader_.shape().n_profiles, options_.contributors};
}

std::vector<ChosenLimit> Evidence::limits(const ProfileRows& queries, std::size_t threads,
                                          Progress& progress) const {
  if (!options_.max_expected_false || comparison_ == Comparison::kReverseMixture) return {};
  std::vector<ChosenLimit> limits(queries.n_rows());
  for_each(threads, limits.size(), [&](std::size_t q) {
    limits[q].max_count = evaluator(comparison_, queries.row(q)).limit(*options_.max_expected_false);
    progress.add(1);
  });
  return limits;
}

/// One row of one query's ranking.
struct Evidence::Weighed {
  std::size_t query = 0;
  MatchRow* row = nullptr;
};

void Evidence::weigh(const ProfileRows& queries, bool with_loci, std::size_t threads, Progress& progress,
                     std::vector<QueryMatches>& matches) const {
  for_each(threads, matches.size(),
           [&](std::size_t q) { weigh_query(queries.row(q), with_loci, progress, matches[q]); });
  if (comparison_ != Comparison::kReverseMixture) return;

  std::vector<Weighed> hits;
  for (std::size_t q = 0; q < matches.size(); ++q)
    for (MatchRow& row : matches[q].rows) hits.push_back({q, &row});
  std::ranges::stable_sort(hits, {}, [](const Weighed& hit) { return hit.row->row; });
  std::vector<std::span<const Weighed>> mixtures;
  for (std::size_t first = 0, end = 0; first < hits.size(); first = end) {
    while (end < hits.size() && hits[end].row->row == hits[first].row->row) ++end;
    mixtures.push_back(std::span<const Weighed>(hits).subspan(first, end - first));
  }
  for_each(threads, mixtures.size(),
           [&](std::size_t i) { weigh_stored_mixture(mixtures[i], queries, with_loci, progress); });
}

void Evidence::weigh_query(const RowView& query, bool with_loci, Progress& progress,
                           QueryMatches& matches) const {
  std::optional<stats::QueryEvaluator> figures;
  if (available()) {
    figures.emplace(evaluator(comparison_, query));
    matches.evidence = query_evidence(*figures, comparison_, options_.contributors.has_value());
    if (matches.histogram) explain(*figures, *matches.histogram);
  }
  progress.add(1);
  if (comparison_ == Comparison::kReverseMixture || (!figures && !with_loci)) return;
  std::vector<MatchRow*> rows;
  for (MatchRow& row : matches.rows) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const MatchRow* row) { return row->row; });
  StoredProfiles profiles(reader_);
  for (MatchRow* row : rows) {
    const RowView stored = profiles.read(row->row);
    std::optional<stats::HitReport> report;
    if (figures) report = figures->hit(stored, row->counts);
    weigh_row(query, stored, with_loci, report, *row);
    progress.add(1);
  }
}

/// The stored mixture takes the query's part, and each query that of a stored person.
void Evidence::weigh_stored_mixture(std::span<const Weighed> hits, const ProfileRows& queries, bool with_loci,
                                    Progress& progress) const {
  StoredProfiles profiles(reader_);
  const RowView mixture = profiles.read(hits.front().row->row);
  std::optional<stats::QueryEvaluator> figures;
  if (available()) figures.emplace(evaluator(Comparison::kMixture, mixture));
  for (const auto& [query, row] : hits) {
    std::optional<stats::HitReport> report;
    if (figures) report = figures->hit(queries.row(query), row->counts);
    weigh_row(queries.row(query), mixture, with_loci, report, *row);
    progress.add(1);
  }
}

void Evidence::weigh_row(const RowView& query, const RowView& stored, bool with_loci,
                         const std::optional<stats::HitReport>& report, MatchRow& row) const {
  if (report) put_figures(report->worst, comparison_ != Comparison::kIdentity, row);
  if (with_loci && lists_loci(row)) row.loci = differing_loci(query, stored, report);
}

std::vector<DifferingLocus> Evidence::differing_loci(const RowView& query, const RowView& stored,
                                                     const std::optional<stats::HitReport>& report) const {
  std::vector<DifferingLocus> loci;
  const stats::PopulationModel* const model = report ? &models_[report->lr_population] : nullptr;
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    const Word both = query.called[word] & stored.called[word];
    for (Word rest = differing(comparison_, query.bits[word], stored.bits[word], both); rest != 0;
         rest &= rest - 1) {
      const std::size_t s = word * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
      const Site& site = reader_.panel().sites()[s];
      DifferingLocus locus{site.id, site.chrom, site.pos, site.major, site.minor};
      locus.query_has_minor = (query.bits[word] & rest & -rest) != 0;
      if (model != nullptr) {
        locus.minor_frequency = model->minor_freq()[s];
        const auto [theta, error_rate] = model->parameters();
        const unsigned n = report->worst.contributors;
        locus.log10_lr = comparison_ == Comparison::kIdentity
                             ? model->identity()[s].one
                             : stats::mixture_ratios(*locus.minor_frequency, theta, n, error_rate).m0r1;
      }
      loci.push_back(std::move(locus));
    }
  }
  return loci;
}

void Evidence::explain(const stats::QueryEvaluator& figures, QueryHistogram& histogram) const {
  if (comparison_ == Comparison::kReverseMixture) return;
  const std::size_t population = figures.worst_population();
  histogram.expected = figures.expected_histogram(population);
  const double share =
      static_cast<double>(histogram.n_profiles) / static_cast<double>(reader_.shape().n_profiles);
  for (double& expected : histogram.expected) expected *= share;
  if (comparison_ != Comparison::kIdentity) return;
  using stats::Relation;
  for (const auto& [name, relation] : {std::pair{"same person", Relation::kSame},
                                       {"parent or child", Relation::kParentChild},
                                       {"full sibling", Relation::kSiblings},
                                       {"unrelated", Relation::kUnrelated}}) {
    const stats::Expected mark = figures.expected_mismatches(population, relation);
    histogram.marks.push_back({name, mark.mean, mark.sd});
  }
  std::ranges::stable_sort(histogram.marks, {}, &RelationMark::mean);
}

EvidenceParameters Evidence::parameters() const {
  return {.population = options_.population,
          .theta = options_.parameters.theta,
          .error_rate = options_.parameters.error_rate,
          .max_expected_false = options_.max_expected_false,
          .contributors = options_.contributors};
}

std::vector<PopulationFacts> Evidence::populations() const {
  std::vector<PopulationFacts> facts;
  for (const stats::PopulationModel& model : models_)
    facts.push_back({model.name(), model.floor(), model.floored_sites()});
  return facts;
}

}  // namespace fastid
