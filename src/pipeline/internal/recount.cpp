#include "pipeline/internal/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid {

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

namespace {

struct Listed {
  std::uint32_t query;  ///< of the problem's
  Hit hit;
};

/// By row where they share blocks.
std::vector<Listed> listed_pairs(const RecountContext& context, const Ranking& ranking) {
  std::vector<Listed> all;
  for (std::uint32_t query = 0; query < context.problem.queries->n_rows(); ++query)
    for (const Hit& hit : ranking.kept(context.first_query + query)) all.push_back({query, hit});
  if (all.size() > context.problem.database.n_blocks())
    std::ranges::sort(all, {}, [](const Listed& pair) { return pair.hit.row; });
  return all;
}

void recount_some(const RecountContext& context, const BlockSource& database, std::span<const Listed> pairs) {
  BlockReader blocks(database);
  for (const auto& [query, hit] : pairs) {
    const PairCounts counts = count_pair(context.problem.comparison, context.problem.queries->row(query),
                                         blocks.block_of(hit.row), hit.row % kLanes);
    if (counts != hit.counts)
      throw DeviceError(fmt::format("{} has kept row {} other than the database has it; {}",
                                    context.engine.name(), hit.row, kDistrust));
  }
}

}  // namespace

void recount_listed(const RecountContext& context, const BlockSource& database, const Ranking& ranking,
                    Helpers& helpers) {
  constexpr std::size_t kStep = 128;
  const std::vector<Listed> pairs = listed_pairs(context, ranking);
  helpers.share(ceil_div(pairs.size(), kStep), [&](std::size_t i) {
    recount_some(context, database,
                 std::span(pairs).subspan(i * kStep, std::min(kStep, pairs.size() - i * kStep)));
  });
}

void rank_again(const RecountContext& context, const BlocksView& at_hand, std::vector<Contender> pairs,
                Ranking& ranking) {
  struct FromBlocks final : Ranking::Recounter {
    FromBlocks(const RecountContext& of, const BlocksView& blocks) : context(of), at_hand(blocks) {}
    PairCounts count(const Contender& pair) const override { return count_again(context, at_hand, pair); }
    void prefetch(const Contender& pair) const override { at_hand.prefetch(pair.place); }
    const RecountContext& context;
    const BlocksView& at_hand;
  };
  ranking.rank(std::move(pairs), FromBlocks(context, at_hand));
}

void rank_from(const BlockSource& database, const RecountContext& context, std::vector<Contender> pairs,
               Ranking& ranking) {
  struct FromDatabase final : Ranking::Recounter {
    FromDatabase(const RecountContext& of, const BlockSource& source) : context(of), blocks(source) {}
    PairCounts count(const Contender& pair) const override {
      Contender there = pair;
      there.place = static_cast<std::uint32_t>(pair.row % kLanes);
      return count_again(context, blocks.block_of(pair.row), there);
    }
    const RecountContext& context;
    mutable BlockReader blocks;
  };
  ranking.rank(std::move(pairs), FromDatabase(context, database));
}

}  // namespace fastid
