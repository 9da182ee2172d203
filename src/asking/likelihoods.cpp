#include "asking/likelihoods.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/thread_pool.hpp"

namespace fastid {

void settle_likelihoods(ImportOptions& options, const std::string& why_not) {
  LikelihoodRule& rule = options.likelihoods;
  if (rule == LikelihoodRule::kOff || why_not.empty()) return;
  if (rule != LikelihoodRule::kAuto)
    throw UsageError(fmt::format("--likelihoods {}: {}; leave one of the two out", name_of(rule), why_not));
  log::detail("queries go by their calls: {}", why_not);
  rule = LikelihoodRule::kOff;
}

void note_likelihoods(const ImportOptions& options, ReadingParameters& reading) {
  reading.likelihoods = name_of(options.likelihoods);
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

std::unique_ptr<WeightedCount> weighted_count(std::span<const stats::PopulationModel> models,
                                              std::span<const stats::RelationPair> pairs,
                                              const Queries& queries, const Problem& problem,
                                              std::size_t threads) {
  if (!queries.any_by_likelihoods()) return nullptr;
  std::vector<std::vector<SiteWeightsByKind>> weights(queries.sources.size());
  in_parallel(weights.size(), threads, [&](std::size_t q) {
    if (const SampleLikelihoods* const sample = queries.likelihoods_of(q))
      weights[q] = stats::whole_weights(
                       ratios_of_sample(models, problem.by, *sample, stats::Relation::kUnrelated), pairs)
                       .weights;
  });
  return std::make_unique<WeightedCount>(problem, weights);
}

}  // namespace fastid
