// What a search says of mixtures: their explanations, which are made once, and what follows from them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "asking/frequencies.hpp"
#include "asking/stored_profiles.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "questions/search/along_map.hpp"
#include "questions/search/evidence.hpp"
#include "questions/search/stored_hits.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::search {
namespace {

match::MixtureDepths depths_of(const stats::Stain& mixture) {
  const stats::MeasuredStain& measured = *mixture.measured;
  match::MixtureDepths depths{.median = measured.median,
                              .of_peaks = measured.of_peaks(),
                              .threshold = measured.threshold,
                              .read_by_read = measured.sites_read_by_read(mixture.shown)};
  if (depths.of_peaks) return depths;
  for (const std::size_t site : stats::fitted_sites(mixture.shown))
    depths.sites.push_back({measured.reads[site].minor, measured.reads[site].major});
  return depths;
}

/// How much is known of each contributor's genotypes.
std::vector<match::MixtureContributor> contributors_of(const DeconvolvedMixture& mixture) {
  std::vector<match::MixtureContributor> people;
  for (const DeconvolvedContributor& person : mixture.people) {
    match::MixtureContributor& made = people.emplace_back(match::MixtureContributor{.left = person.share});
    for (const std::optional<stats::GenotypeChances>& at : person.sites) {
      made.sites += at.has_value();
      made.certain += at && std::ranges::max(at->posterior) >= match::MixtureEvidence::kCertain;
    }
  }
  return people;
}

}  // namespace

match::MixtureSupport support_of(const stats::StainSupport& support, bool of_peaks) {
  match::MixtureSupport made{support.contributors, support.own, support.unknown, support.known,
                             std::exp(support.log_weight)};
  if (!support.measured) return made;
  const auto& [parameters, kin] = *support.measured;
  made.reads =
      match::MixtureReads{parameters[0], parameters[1], of_peaks,
                          kin == stats::Relation::kUnrelated ? std::string() : std::string(name_of(kin))};
  return made;
}

stats::StainSupport support_from(const match::MixtureSupport& support) {
  stats::StainSupport made{support.contributors, support.own, support.unknown, support.known, 0, {}};
  if (!support.reads) return made;
  stats::StainMeasured& measured = made.measured.emplace();
  measured.parameters = {support.reads->concentration, support.reads->error};
  for (const stats::Relation kin : {stats::Relation::kParentChild, stats::Relation::kSibling})
    if (name_of(kin) == support.reads->kin) measured.kin = kin;
  return made;
}

void Evidence::weigh_stored_mixtures(const ProfileRows& queries, const BlockSource& source,
                                     std::size_t threads, Progress& progress,
                                     std::vector<match::QueryMatches>& matches) const {
  const auto mixtures = hits_by_stored(matches);
  in_parallel(mixtures.size(), threads, [&](std::size_t i) {
    const InStage stage(AnswerStage::kWeigh);
    const auto& [mixture, hits] = mixtures[i];  // as the query; the queries take the place of stored people
    asking::StoredProfiles profiles(source);
    const MaskedRow counted = sites_.keep(profiles.read(mixture));
    const stats::QueryEvaluator figures(question_, counted.view());
    std::vector<RowView> people;
    std::vector<engine::PairCounts> counts;
    for (const auto& [query, row] : hits) {
      people.push_back(queries.row(query));
      counts.push_back(row->counts);
    }
    std::vector<stats::HitReport> reports = figures.hits(people, counts);
    if (linked_) follow_siblings(*linked_, question_, figures, counted.view(), people, reports);
    for (std::size_t h = 0; h < hits.size(); ++h) put_figures(figures, reports[h], *hits[h].second);
    progress.add(hits.size());
  });
  for (match::QueryMatches& query : matches) asking::list_rows(listing_, query);
}

stats::Stain Evidence::stain_of(const ProfileRows& queries, std::size_t q) const {
  return {queries.row(q), measured_.empty() || !measured_[q] ? nullptr : &*measured_[q]};
}

void Evidence::explain(const match::Queries& queries, std::size_t threads, Progress& progress) {
  if (!available() || comparison_ != engine::Comparison::kMixture) return;
  explained_.resize(queries.sources.size());
  in_parallel(explained_.size(), threads, [&](std::size_t q) {
    explained_[q] = stats::explanations_of(question_, stain_of(queries.rows, q));
    progress.add(1);
  });
}

StainRanking Evidence::stain_ranking(const match::Queries& queries, const engine::Problem& problem,
                                     std::size_t threads) const {
  std::vector<stats::Stain> stains;
  for (std::size_t q = 0; q < explained_.size(); ++q) stains.push_back(stain_of(queries.rows, q));
  return {question_, stains, explained_, against_stains(), problem, threads};
}

match::MixtureEvidence Evidence::mixture_evidence(const stats::QueryEvaluator& figures,
                                                  const stats::Stain& mixture) const {
  const stats::QueryEvidence& worst = figures.query()[figures.worst_population()];
  match::MixtureEvidence evidence{.saturation = figures.saturation(),
                                  .expected_saturation = worst.expected_saturation,
                                  .numbers = stats::probabilities_of_numbers(worst.supports),
                                  .supports = {},
                                  .saturated = figures.saturated()};
  for (const stats::StainSupport& support : worst.supports)
    evidence.supports.push_back(support_of(support, question_by_peaks()));
  if (mixture.measured != nullptr) evidence.depths = depths_of(mixture);
  look_for_better_population(mixture.shown, evidence);
  return evidence;
}

DeconvolvedMixture Evidence::deconvolve(const ProfileRows& queries, std::size_t q,
                                        const std::string& name) const {
  if (!available())
    throw InputError(reader_.path(), "", "its panel has no allele frequencies, which --deconvolve takes",
                     asking::kFrequencyCure);
  const stats::QueryEvaluator figures = evaluator(queries, q);
  const std::size_t worst = figures.worst_population();
  return deconvolved(name, question_.stains[worst], stain_of(queries, q), figures.query()[worst].supports);
}

void Evidence::look_for_better_population(const RowView& mixture, match::MixtureEvidence& evidence) const {
  constexpr double kFar = 6;  // a factor of a million
  if (others_.empty()) return;
  const auto likelihood = [&](const stats::PopulationModel& population) {
    return stats::StainModel(population, known_rows_, question_.by, options_.mixtures)
        .estimate(mixture)
        .log10_likelihood;
  };
  double asked_for = likelihood(models_.front());
  for (const stats::PopulationModel& population : models_)
    asked_for = std::max(asked_for, likelihood(population));
  for (const stats::PopulationModel& population : others_) {
    const double better = likelihood(population) - asked_for;
    if (better < std::max(kFar, evidence.log10_better)) continue;
    evidence.better_population = population.name();
    evidence.log10_better = better;
  }
}

void Evidence::look_at_contributors(const ProfileRows& queries, std::size_t q,
                                    match::QueryMatches& matches) const {
  if (matches.evidence.mixture)
    matches.evidence.mixture->people = contributors_of(deconvolve(queries, q, ""));
}

/// The known contributor with this profile, else "". At most one compared site in 50 may differ, by errors.
std::string Evidence::known_like(const RowView& stored) const {
  constexpr std::uint64_t kSitesToAnError = 50;
  for (std::size_t i = 0; i < known_rows_.size(); ++i) {
    const RowView& known = known_rows_[i];
    std::uint64_t compared = 0, mismatches = 0;
    for (std::size_t word = 0; word < known.called.size(); ++word) {
      compared += static_cast<std::uint64_t>(bits_set(stored.called[word] & known.called[word]));
      mismatches +=
          static_cast<std::uint64_t>(bits_set(stats::differing_sites(stored, known, word, question_.by)));
    }
    if (compared > 0 && mismatches * kSitesToAnError <= compared) return known_.sources[i].name;
  }
  return "";
}

}  // namespace fastid::search
