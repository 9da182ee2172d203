#include "questions/search/sample_evidence.hpp"

#include <utility>
#include <vector>

#include "asking/likelihoods.hpp"
#include "asking/stored_profiles.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::search {
namespace {

void put_figures(const stats::SampleHit& hit, match::MatchRow& row) {
  row.log10_lr = hit.log10_lr;
  row.lr_population = hit.lr_population;
  row.log10_lr_sibling = hit.log10_lr_sibling;
  row.log10_chance_matches = hit.log10_chance_matches;
  row.chance_population = hit.chance_population;
  row.suggests = name_of(hit.suggests);
  row.relative = hit.relative;
  row.sample = match::SampleFigures{hit.expected.mean, hit.expected.sd, hit.below_expected};
}

}  // namespace

void weigh_sample(const stats::Question& question, const SampleLikelihoods& sample,
                  const asking::ShortlistSource& source,
                  const std::function<void(const RowView&, match::MatchRow&)>& look, Progress& progress,
                  match::QueryMatches& matches) {
  for (const stats::PopulationModel& model : question.populations)
    matches.evidence.populations.push_back({.name = model.name()});
  const std::vector<stats::LikelihoodRatios> ratios =
      asking::ratios_of_sample(question.populations, question.by, sample, question.alternative);
  asking::for_some_stored(
      source, matches.rows, [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored) {
        std::vector<std::vector<stats::LikelihoodEvidence>> of_population;
        for (const stats::LikelihoodRatios& ratio : ratios) of_population.push_back(ratio.with(stored));
        std::vector<stats::LikelihoodEvidence> of_row(ratios.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          for (std::size_t p = 0; p < ratios.size(); ++p) of_row[p] = of_population[p][i];
          put_figures(stats::sample_hit(of_row, question.alternative, question.n_profiles), *rows[i]);
          look(stored[i], *rows[i]);
        }
        progress.add(rows.size());
      });
}

}  // namespace fastid::search
