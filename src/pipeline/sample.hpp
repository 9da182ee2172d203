/// \file
/// What the native engine counts of a database besides a search: a fixed spread of blocks. Which blocks
/// depends on the database's size and the number of queries alone, so that nothing changes with device or
/// threads.
#pragma once

#include <cstdint>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Every step-th block of a source, from the first on, as a source of its own. The source must outlive it.
class Spread final : public BlockSource {
 public:
  /// \param step  at least 1 \param n_blocks  at most as many as there are
  Spread(const BlockSource& source, std::uint64_t step, std::uint64_t n_blocks);

  std::uint64_t step() const { return step_; }
  BlockShape shape() const override { return shape_; }
  bool has_called() const override { return source_.has_called(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;

 private:
  const BlockSource& source_;
  std::uint64_t step_;
  BlockShape shape_;
};

/// Ranks a sample, so that the search of all can start from its thresholds. Small beside the search: as many
/// blocks as there are queries, of 8 to 256, and at most a 64th of the database.
/// \return the blocks that were ranked; 0 where a sample would not pay \throws InputError, Interrupted
std::uint64_t rank_sample(const BlockSource& database, const Problem& problem, std::size_t threads,
                          Ranking& ranking);

/// The blocks that histograms are made of: all of them below 32,768 profiles, a systematic sample of half of
/// that or more beyond, since looking at every count of a large search would cost more than the search.
Spread histogram_sample(const BlockSource& database);

/// Counts all pairs of a sample's profiles with all queries. \throws InputError, Interrupted
void count_sample(const Spread& sample, const Problem& problem, std::size_t threads,
                  CountHistograms& histograms);

}  // namespace fastid
