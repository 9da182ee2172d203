#include "pipeline/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "pipeline/tile_queue.hpp"

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

/// What is kept of queries first .. end - 1 of the problem's.
void recount_kept(const RecountContext& context, const BlockSource& database, const Ranking& ranking,
                  std::size_t first, std::size_t end) {
  const BlockShape& shape = context.problem.database;
  WordBuffer bits(shape.block_words()), called(context.problem.has_called ? bits.size() : 0);
  for (std::size_t query = first; query < end; ++query)
    for (const Hit& hit : ranking.kept(context.first_query + query)) {
      const Tile block{hit.row / kLanes, 1};
      database.read(block.first, block.n, bits.data(), called.data());
      const PairCounts counts =
          count_pair(context.problem.comparison, context.problem.queries->row(query),
                     {shape_of(block, shape), bits.data(), called.data()}, hit.row % kLanes);
      if (counts != hit.counts)
        throw DeviceError(fmt::format("{} has kept row {} other than the database has it; {}",
                                      context.engine.name(), hit.row, kDistrust));
    }
}

}  // namespace

void recount_listed(const RecountContext& context, const BlockSource& database, const Ranking& ranking,
                    Helpers& helpers) {
  constexpr std::size_t kStep = 16;
  const std::size_t n = context.problem.queries->n_rows();
  helpers.share(ceil_div(n, kStep), [&](std::size_t i) {
    recount_kept(context, database, ranking, i * kStep, std::min(n, (i + 1) * kStep));
  });
}

void rank_again(const RecountContext& context, const BlocksView& at_hand, std::span<const Contender> pairs,
                Helpers& helpers, Ranking& ranking) {
  ranking.rank(
      pairs, [&](std::size_t n, const auto& piece) { helpers.share(n, piece); },
      [&](const Contender& pair) { return count_again(context, at_hand, pair); });
}

}  // namespace fastid
