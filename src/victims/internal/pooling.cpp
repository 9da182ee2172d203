#include "victims/internal/pooling.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/thread_pool.hpp"
#include "stats/population_model.hpp"

namespace fastid::victims {
namespace {

/// What a second sample's genotypes are worth: the first one's person against a full sibling.
stats::MissingWeights same_against_sibling(const stats::AlleleModel& model, std::size_t population,
                                           const stats::PersonReadings& first) {
  const stats::PopulationModel& of = model.models()[population];
  stats::MissingWeights weights{std::vector<stats::Probabilities>(model.n_sites()),
                                std::vector<stats::Probabilities>(model.n_sites()),
                                std::vector<Word>(ceil_div<std::size_t>(model.n_sites(), kWordBits))};
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    if (first[site] == stats::kNotRead) continue;
    weights.typed[site / kWordBits] |= Word{1} << site % kWordBits;
    const auto add = [&](stats::Relation relation, stats::Probabilities& sum) {
      const stats::JointGenotypes joint =
          stats::joint_genotypes(of.minor_freq()[site], of.parameters().theta, stats::ibd_of(relation));
      for (std::size_t h = 0; h < stats::kGenotypes; ++h)
        for (std::size_t g = 0; g < stats::kGenotypes; ++g)
          sum[g] += joint[h][g] * model.likelihood(first[site])[h];
    };
    add(stats::Relation::kSame, weights.member[site]);
    add(stats::Relation::kSibling, weights.stranger[site]);
  }
  return weights;
}

std::size_t root_of(const std::vector<std::size_t>& group, std::size_t at) {
  while (group[at] != at) at = group[at];
  return at;
}

}  // namespace

std::vector<std::vector<std::size_t>> pooled(const stats::AlleleModel& model,
                                             const std::vector<Remains>& remains, double bar,
                                             std::size_t threads) {
  std::vector<stats::PersonReadings> readings;
  for (const Remains& of : remains) readings.push_back(of.readings);
  const stats::PeopleFound people(readings, model.n_sites());
  constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
  const std::size_t n_batches = (remains.size() + kTogether - 1) / kTogether;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs(n_batches);
  in_parallel(n_batches, threads, [&](std::size_t batch) {
    const std::size_t first = batch * kTogether, end = std::min(remains.size(), first + kTogether);
    std::vector<std::vector<double>> lowest;
    for (std::size_t population = 0; population < model.n_populations(); ++population) {
      std::vector<stats::MissingWeights> weights;
      std::vector<const stats::MissingWeights*> views;
      for (std::size_t i = first; i < end; ++i)
        weights.push_back(same_against_sibling(model, population, readings[i]));
      for (const stats::MissingWeights& of : weights) views.push_back(&of);
      const std::vector<std::vector<double>> ratios = people.log10_lr(model, views);
      if (lowest.empty()) lowest = ratios;
      for (std::size_t k = 0; k < ratios.size(); ++k)
        std::ranges::transform(ratios[k], lowest[k], lowest[k].begin(),
                               [](double a, double b) { return std::min(a, b); });
    }
    for (std::size_t k = 0; k < lowest.size(); ++k)
      for (std::size_t j = 0; j < first + k; ++j)
        if (lowest[k][j] > bar) pairs[batch].emplace_back(j, first + k);
  });
  std::vector<std::size_t> group(remains.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (const auto& of_batch : pairs)
    for (const auto& [a, b] : of_batch) {
      const std::size_t one = root_of(group, a), other = root_of(group, b);
      group[std::max(one, other)] = std::min(one, other);
    }
  std::vector<std::vector<std::size_t>> groups(remains.size());
  for (std::size_t i = 0; i < remains.size(); ++i) groups[root_of(group, i)].push_back(i);
  std::erase_if(groups, [](const std::vector<std::size_t>& of) { return of.empty(); });
  return groups;
}

}  // namespace fastid::victims
