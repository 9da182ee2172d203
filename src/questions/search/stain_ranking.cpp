#include "questions/search/stain_ranking.hpp"

#include "asking/stored_profiles.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "stats/stain_weights.hpp"

namespace fastid::search {

StainRanking::StainRanking(const stats::Question& question, std::span<const stats::Stain> stains,
                           std::span<const stats::StainExplanations> explained, bool against_stains,
                           const engine::Problem& problem, std::size_t threads) {
  std::vector<stats::WholeWeights> weights(stains.size());
  in_parallel(stains.size(), threads, [&](std::size_t q) {
    weights[q] = stats::stain_weights(question, stains[q], explained[q], against_stains);
  });
  std::vector<std::vector<engine::SiteWeightsByKind>> sets;
  for (const stats::WholeWeights& of : weights) {
    log::detail("profiles are ranked by {} of a mixture", counted(of.weights.size() / 2, "explanation"));
    sets.push_back(of.weights);
  }
  count_ = std::make_unique<engine::WeightedCount>(problem, sets);
}

void count_again(const BlockSource& database, const engine::Problem& problem, std::size_t threads,
                 std::span<match::QueryMatches> matches) {
  in_parallel(matches.size(), threads, [&](std::size_t q) {
    BlockReader blocks(database);
    asking::for_pieces_in_order(database, matches[q].rows, [&](std::span<match::MatchRow* const> rows) {
      for (match::MatchRow* const row : rows)
        row->counts = engine::count_pair(problem.comparison, problem.by, problem.queries->row(q),
                                         blocks.block_of(row->row), row->row % kLanes);
    });
  });
}

}  // namespace fastid::search
