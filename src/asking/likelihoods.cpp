#include "asking/likelihoods.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/thread_pool.hpp"

namespace fastid::asking {

void settle_likelihoods(imports::ImportOptions& options, const std::string& why_not) {
  imports::LikelihoodRule& rule = options.likelihoods;
  if (rule == imports::LikelihoodRule::kOff || why_not.empty()) return;
  if (rule != imports::LikelihoodRule::kAuto)
    throw UsageError(
        fmt::format("--likelihoods {}: {}; leave one of the two out", imports::name_of(rule), why_not));
  log::detail("queries go by their calls: {}", why_not);
  rule = imports::LikelihoodRule::kOff;
}

void note_likelihoods(const imports::ImportOptions& options, match::ReadingParameters& reading) {
  reading.likelihoods = imports::name_of(options.likelihoods);
  reading.contamination = options.reads.contamination;
}

std::vector<stats::LikelihoodRatios> ratios_of_sample(std::span<const stats::PopulationModel> models,
                                                      Encoding by, const SampleLikelihoods& sample,
                                                      stats::Relation alternative) {
  std::vector<stats::LikelihoodRatios> ratios;
  ratios.reserve(models.size());
  for (const stats::PopulationModel& model : models) ratios.emplace_back(model, by, sample, alternative);
  return ratios;
}

std::unique_ptr<engine::WeightedCount> weighted_count(std::span<const stats::PopulationModel> models,
                                                      std::span<const stats::RelationPair> pairs,
                                                      const match::Queries& queries,
                                                      const engine::Problem& problem, std::size_t threads) {
  if (!queries.any_by_likelihoods()) return nullptr;
  std::vector<std::vector<engine::SiteWeightsByKind>> weights(queries.sources.size());
  in_parallel(weights.size(), threads, [&](std::size_t q) {
    if (const SampleLikelihoods* const sample = queries.likelihoods_of(q))
      weights[q] = stats::whole_weights(
                       ratios_of_sample(models, problem.by, *sample, stats::Relation::kUnrelated), pairs)
                       .weights;
  });
  return std::make_unique<engine::WeightedCount>(problem, weights);
}

}  // namespace fastid::asking
