#include "pipeline/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "pipeline/tile_queue.hpp"

namespace fastid {
namespace {

/// One thread's.
class Recount {
 public:
  Recount(const RecountContext& context, const BlocksAtHand& at_hand)
      : context_(context), at_hand_(at_hand) {}

  Ranking::Offer operator()(const Contender& pair) {
    find_block(pair.row / kLanes);
    const Problem& problem = context_.problem;
    const PairCounts counts =
        count_pair(problem.comparison, problem.queries->row(pair.query - context_.first_query), view_,
                   pair.row - view_first_ * kLanes);
    const std::uint32_t weight = weight_of(problem.comparison, counts);
    if (counts.count != pair.count || weight != pair.weight)
      throw DeviceError(
          fmt::format("{} counted {} of {} sites for query {} and row {}, where {} of {} is right; {}",
                      context_.engine.name(), pair.count, pair.weight, pair.query, pair.row, counts.count,
                      weight, kDistrust));
    return {pair.query, {pair.row, counts}};
  }

 private:
  void find_block(std::uint64_t block) {
    if (view_.bits != nullptr && block - view_first_ < view_.shape.n_blocks()) return;
    const bool here =
        at_hand_.view.bits != nullptr && block - at_hand_.first < at_hand_.view.shape.n_blocks();
    view_first_ = here ? at_hand_.first : block;
    view_ = here ? at_hand_.view : load(block);
  }

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
  const BlocksAtHand& at_hand_;
  BlocksView view_;
  std::uint64_t view_first_ = 0;
  WordBuffer bits_, called_;
};

}  // namespace

void rank_again(const RecountContext& context, const BlocksAtHand& at_hand, std::span<const Contender> pairs,
                Helpers& helpers, Ranking& ranking) {
  constexpr std::size_t kStep = 128;
  helpers.share(ceil_div(pairs.size(), kStep), [&](std::size_t i) {
    const auto piece = pairs.subspan(i * kStep, std::min(kStep, pairs.size() - i * kStep));
    Recount recount(context, at_hand);
    std::vector<Ranking::Offer> offers;
    for (const Contender& pair : piece) offers.push_back(recount(pair));
    ranking.offer(offers);
  });
}

}  // namespace fastid
