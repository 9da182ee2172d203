#include "pipeline/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

PairCounts count_again(const RecountContext& context, const BlocksAtHand& blocks, const Contender& pair) {
  const Problem& problem = context.problem;
  const PairCounts counts =
      count_pair(problem.comparison, problem.queries->row(pair.query - context.first_query), blocks.view,
                 pair.row - blocks.first * kLanes);
  const std::uint32_t weight = weight_of(problem.comparison, counts);
  if (counts.count != pair.count || weight != pair.weight)
    throw DeviceError(
        fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; {}",
                    context.engine.name(), pair.count, pair.weight, pair.query, pair.row, counts.count,
                    weight, kDistrust));
  return counts;
}

/// One block after the other, for one thread.
class BlockLoader {
 public:
  explicit BlockLoader(const RecountContext& context) : context_(context) {}

  const BlocksAtHand& operator()(std::uint64_t block) {
    if (loaded_.view.bits == nullptr || block != loaded_.first) loaded_ = {block, load(block)};
    return loaded_;
  }

 private:
  BlocksView load(std::uint64_t block) {
    const BlocksView lying = context_.source.view(block, 1);
    if (lying.bits != nullptr) return lying;
    const BlockShape& database = context_.problem.database;
    if (bits_.size() == 0) bits_ = WordBuffer(database.block_words());
    if (context_.problem.has_called && called_.size() == 0) called_ = WordBuffer(database.block_words());
    context_.source.read(block, 1, bits_.data(), called_.data());
    return {shape_of({block, 1}, database), bits_.data(), called_.data()};
  }

  const RecountContext& context_;
  BlocksAtHand loaded_;
  WordBuffer bits_, called_;
};

}  // namespace

void rank_again(const RecountContext& context, const BlocksAtHand& at_hand, std::span<const Contender> pairs,
                Helpers& helpers, Ranking& ranking) {
  if (at_hand.view.bits != nullptr) {
    ranking.rank(
        pairs, [&](std::size_t n, const auto& piece) { helpers.share(n, piece); },
        [&](const Contender& pair) { return count_again(context, at_hand, pair); });
    return;
  }
  constexpr std::size_t kStep = 128;
  helpers.share(ceil_div(pairs.size(), kStep), [&](std::size_t i) {
    BlockLoader load(context);
    std::vector<Ranking::Offer> offers;
    for (const Contender& pair : pairs.subspan(i * kStep, std::min(kStep, pairs.size() - i * kStep)))
      offers.push_back({pair.query, {pair.row, count_again(context, load(pair.row / kLanes), pair)}});
    ranking.offer(offers);
  });
}

}  // namespace fastid
