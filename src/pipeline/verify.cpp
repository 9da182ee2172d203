#include "pipeline/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/thread_pool.hpp"

namespace fastid::pipeline {

match::Blame blame_on(const engine::Engine& engine) {
  return [&engine](std::uint64_t, const std::string& problem) {
    throw DeviceError(fmt::format("{} {}; {}", engine.name(), problem, engine::kDistrust));
  };
}

engine::PairCounts counts_of(engine::Comparison comparison, const engine::GenotypeCounts& genotypes) {
  const auto& [compared, ibs0, both_het, first_het, second_het] = genotypes;
  if (comparison == engine::Comparison::kIdentity) return {genotypes.alleles_apart(), compared, compared};
  return {genotypes.alleles_apart() + 2 * ibs0, std::min(first_het, second_het), compared};
}

engine::PairCounts Recount::counts_of(const BlocksView& block, const engine::Pair& pair) {
  const std::uint64_t lane = pair.row % kLanes;
  if (problem_.custom_count != nullptr) return problem_.custom_count->count_pair(pair.query, block, lane);
  if (pair.row / kLanes != block_ || pair.query != query_) {
    block_ = pair.row / kLanes, query_ = pair.query;
    counted_ = 0;
  }
  if ((counted_ >> lane & 1) == 0)
    counted_ |= engine::count_block(problem_.comparison, problem_.by, problem_.queries->row(pair.query),
                                    block, counts_, Word{1} << lane);
  return counts_[lane];
}

void Recount::check(const BlocksView& block, const engine::Pair& pair) {
  hold(pair, counts_of(block, pair));
}

void Recount::hold(const engine::Pair& pair, const engine::PairCounts& right) const {
  if (pair.counts == right) return;
  blame_(pair.row, fmt::format("counted {} of {} sites for query {} and row {}, where {} of {} is right",
                               pair.counts.count, pair.counts.denominator, pair.query, pair.row, right.count,
                               right.denominator));
}

void verify(const BlockSource& database, const engine::Problem& problem, const match::Blame& blame,
            std::span<const match::RankedPairs> ranked, std::size_t threads) {
  constexpr std::size_t kPiece = 128;
  std::vector<engine::Pair> pairs;
  for (const match::RankedPairs& of_query : ranked)
    pairs.insert(pairs.end(), of_query.pairs.begin(), of_query.pairs.end());
  std::ranges::sort(pairs, {}, [](const engine::Pair& pair) {  // so that a block is read once
    return std::tuple(pair.row / kLanes, pair.query, pair.row);
  });
  const std::size_t pieces = ceil_div(pairs.size(), kPiece);
  ThreadPool(std::min(threads, pieces)).for_each(pieces, [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    const InStage stage(AnswerStage::kVerify);
    BlockReader blocks(database);
    Recount recount(problem, blame);
    for (const engine::Pair& pair :
         std::span(pairs).subspan(i * kPiece, std::min(kPiece, pairs.size() - i * kPiece)))
      recount.check(blocks.block_of(pair.row), pair);
  });
}

}  // namespace fastid::pipeline
