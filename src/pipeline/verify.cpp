#include "pipeline/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"

namespace fastid {

Blame blame_on(const Engine& engine) {
  return [&engine](std::uint64_t, const std::string& problem) {
    throw DeviceError(fmt::format("{} {}; {}", engine.name(), problem, kDistrust));
  };
}

void verify_pair(BlockReader& blocks, const Problem& problem, const Blame& blame, const Pair& pair) {
  const PairCounts right = count_pair(problem.comparison, problem.by, problem.queries->row(pair.query),
                                      blocks.block_of(pair.row), pair.row % kLanes);
  if (pair.counts == right) return;
  blame(pair.row, fmt::format("counted {} of {} sites for query {} and row {}, where {} of {} is right",
                              pair.counts.count, pair.counts.denominator, pair.query, pair.row, right.count,
                              right.denominator));
}

void verify(const BlockSource& database, const Problem& problem, const Blame& blame,
            std::span<const RankedPairs> ranked, std::size_t threads) {
  constexpr std::size_t kPiece = 128;
  std::vector<Pair> pairs;
  for (const RankedPairs& of_query : ranked)
    pairs.insert(pairs.end(), of_query.pairs.begin(), of_query.pairs.end());
  std::ranges::sort(pairs, {}, &Pair::row);  // so that a block with many listed pairs is read once
  const std::size_t pieces = ceil_div(pairs.size(), kPiece);
  ThreadPool(std::min(threads, pieces)).for_each(pieces, [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    BlockReader blocks(database);
    for (const Pair& pair : std::span(pairs).subspan(i * kPiece, std::min(kPiece, pairs.size() - i * kPiece)))
      verify_pair(blocks, problem, blame, pair);
  });
}

}  // namespace fastid
