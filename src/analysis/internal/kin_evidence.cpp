#include "analysis/internal/kin_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/internal/frequencies.hpp"
#include "analysis/internal/matches.hpp"
#include "analysis/internal/stored_profiles.hpp"
#include "stats/evidence.hpp"

namespace fastid {
namespace {

using stats::Relation;

/// The relations that are held against "unrelated": same person, parent and child, and so on.
constexpr std::size_t kRelated = stats::kRelations - 1;

/// Rows that one thread reads and weighs.
struct Batch {
  std::size_t query = 0;
  std::span<MatchRow> rows;
};

std::vector<Batch> batches_of(std::span<QueryMatches> matches) {
  constexpr std::size_t kRows = 64;
  std::vector<Batch> batches;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    const std::span<MatchRow> rows(matches[q].rows);
    for (std::size_t first = 0; first < rows.size(); first += kRows)
      batches.push_back({q, rows.subspan(first, std::min(kRows, rows.size() - first))});
  }
  return batches;
}

/// The counts of a pair, and its kinship; no value where either has no heterozygous site among those
/// compared.
std::optional<KinFigures> figures_of(const stats::KinCounts& counts) {
  const std::optional<double> kinship = stats::king_kinship(counts);
  if (!kinship) return std::nullopt;
  return KinFigures{.kinship = *kinship,
                    .ibs0 = counts.ibs0,
                    .both_het = counts.both_het,
                    .log10_lr = {},
                    .relation = {},
                    .margin = {},
                    .relative = {}};
}

RelationFigures lowest_of(std::span<const stats::RelationRatios> ratios) {
  const auto lowest = [&](Relation relation) {
    double least = ratios[0][relation];
    for (const stats::RelationRatios& in_population : ratios)
      least = std::min(least, in_population[relation]);
    return least;
  };
  return {lowest(Relation::kSame), lowest(Relation::kParentChild), lowest(Relation::kSibling),
          lowest(Relation::kHalfSibling), lowest(Relation::kCousin)};
}

/// The ratio of the likeliest relation other than "unrelated".
double best_of(const stats::RelationRatios& ratios) {
  return *std::max_element(ratios.log10.begin(), ratios.log10.begin() + kRelated);
}

}  // namespace

KinEvidence::KinEvidence(const KinOptions& options, const db::Reader& reader)
    : options_(options), reader_(reader) {
  const EvidenceOptions& evidence = options.search.evidence;
  const bool all = evidence.population == stats::kAllPopulations;
  models_ = stats::choose_populations(reader.panel(), all ? "" : evidence.population, evidence.parameters,
                                      sampled_cohort(reader), reader.path());
  if (models_.empty() && !options.family.empty())
    throw InputError(reader.path(), "", "its panel has no allele frequencies, which --family takes",
                     kFrequencyCure);
  say_frequencies(reader, models_);
  if (options.family.empty())
    for (const stats::PopulationModel& model : models_) kinship_.emplace_back(model);
}

void KinEvidence::weigh(const Queries& queries, Progress& progress,
                        std::vector<QueryMatches>& matches) const {
  const std::vector<Batch> batches = batches_of(matches);
  in_parallel(batches.size(), threads_of(options_.search), [&](std::size_t i) {
    const auto& [query, rows] = batches[i];
    const RowView asked = queries.rows.row(query);
    for_each_stored(reader_, rows, [&](MatchRow& row, const RowView& stored) {
      row.kin = figures_of(stats::count_kin(asked, stored));
      if (available()) put_ratios(asked, stored, row);
    });
    progress.add(rows.size());
  });
}

/// The relation is called in one population: that whose best ratio is lowest. It is not named where chance
/// explains it: among many strangers some look like relatives.
void KinEvidence::put_ratios(const RowView& query, const RowView& stored, MatchRow& row) const {
  std::vector<stats::RelationRatios> ratios;
  for (const stats::KinshipModel& model : kinship_) ratios.push_back(model.ratios(query, stored));
  const auto worst = std::ranges::min_element(ratios, {}, best_of);
  const stats::RelationCall call = stats::likeliest_relation(*worst, options_.margin);
  row.kin->log10_lr = lowest_of(ratios);
  row.kin->margin = call.margin;
  row.log10_lr = best_of(*worst);
  row.lr_population = static_cast<std::size_t>(worst - ratios.begin());
  put_chance(row);
  const bool explained = call.likeliest != Relation::kUnrelated && *row.log10_lr <= speaks_above();
  row.kin->relation = call.decided && !explained ? std::string(name_of(call.likeliest)) : "undecided";
}

void KinEvidence::weigh(const Queries& relatives, std::span<const stats::Member> members, std::size_t missing,
                        std::string_view source, Progress& progress, QueryMatches& matches) const {
  std::vector<stats::MissingMember> families;
  for (const stats::PopulationModel& model : models_) families.emplace_back(model, members, missing, source);
  const std::vector<Batch> batches = batches_of({&matches, 1});
  in_parallel(batches.size(), threads_of(options_.search), [&](std::size_t i) {
    for_each_stored(reader_, batches[i].rows, [&](MatchRow& row, const RowView& stored) {
      for (std::size_t r = 0; r < relatives.sources.size(); ++r) {
        const stats::KinCounts counts = stats::count_kin(relatives.rows.row(r), stored);
        const std::optional<KinFigures> kin = figures_of(counts);
        if (!kin || (row.kin && row.kin->kinship >= kin->kinship)) continue;
        row.kin = kin;
        row.kin->relative = relatives.sources[r].name;
        row.counts = {4 * counts.ibs0 + counts.first_het + counts.second_het - 2 * counts.both_het,
                      std::min(counts.first_het, counts.second_het), counts.compared};
      }
      for (std::size_t p = 0; p < families.size(); ++p) {
        const double ratio = families[p].log10_lr(stored);
        if (row.log10_lr && *row.log10_lr <= ratio) continue;
        row.log10_lr = ratio;
        row.lr_population = p;
      }
      put_chance(row);
    });
    progress.add(batches[i].rows.size());
  });
}

double KinEvidence::log10_hypotheses() const {
  return options_.family.empty() ? std::log10(static_cast<double>(kRelated)) : 0;
}

double KinEvidence::speaks_above() const {
  return log10_hypotheses() + std::log10(static_cast<double>(reader_.shape().n_profiles)) -
         std::log10(stats::kExplainedByChance);
}

void KinEvidence::put_chance(MatchRow& row) const {
  row.log10_chance_matches =
      stats::log10_expected_strangers(*row.log10_lr - log10_hypotheses(), reader_.shape().n_profiles);
  row.chance_population = row.lr_population;
}

EvidenceParameters KinEvidence::parameters() const {
  const EvidenceOptions& evidence = options_.search.evidence;
  return {.population = evidence.population,
          .theta = evidence.parameters.theta,
          .error_rate = evidence.parameters.error_rate,
          .alternative = std::string(name_of(Relation::kUnrelated)),
          .sort = available() && !evidence.by_rate ? "evidence" : "kinship",
          .max_chance_matches = {},
          .contributors = {},
          .drop_out = {},
          .known = {},
          .min_kinship = options_.min_kinship,
          .margin = options_.margin};
}

std::vector<PopulationFacts> KinEvidence::populations() const {
  return facts_of(models_);
}

}  // namespace fastid
