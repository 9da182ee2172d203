#include "pipeline/recount.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace fastid {
namespace {

PairCounts count_again(const RecountContext& context, const BlocksView& at_hand, const Contender& pair) {
  const Problem& problem = context.problem;
  const PairCounts counts = count_pair(
      problem.comparison, problem.queries->row(pair.query - context.first_query), at_hand, pair.place);
  const std::uint32_t weight = weight_of(problem.comparison, counts);
  if (counts.count != pair.count || weight != pair.weight)
    throw DeviceError(
        fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; {}",
                    context.engine.name(), pair.count, pair.weight, pair.query, pair.row, counts.count,
                    weight, kDistrust));
  return counts;
}

}  // namespace

void rank_again(const RecountContext& context, const BlocksView& at_hand, std::span<const Contender> pairs,
                Helpers& helpers, Ranking& ranking) {
  ranking.rank(
      pairs, [&](std::size_t n, const auto& piece) { helpers.share(n, piece); },
      [&](const Contender& pair) { return count_again(context, at_hand, pair); });
}

}  // namespace fastid
