/// \file
/// Samples of a database that the native engine counts besides a search: blocks at equal distances. Which
/// blocks these are depends only on the database's size and the number of queries, so results do not change
/// with the device or the number of threads.
#pragma once

#include <cstdint>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Every step-th block of a source, from the first on, as a source of its own. `source` must outlive it.
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

/// Ranks a sample, so that the search of the whole database can start from its thresholds. To be cheap, it
/// has as many blocks as there are queries, but at least 8, and at most 256 and a 64th of the database.
/// \return how many blocks were ranked; 0 if the database is too small for a sample
/// \throws InputError, Interrupted
std::uint64_t rank_sample(const BlockSource& database, const Problem& problem, std::size_t threads,
                          Ranking& ranking);

/// The blocks that histograms are made of. Below 32,768 profiles these are all blocks; beyond, a systematic
/// sample of at least half as many profiles, since counting every pair of a large search would cost more than
/// the search.
Spread histogram_sample(const BlockSource& database);

/// Counts all pairs of a sample's profiles with all queries. \throws InputError, Interrupted
void count_sample(const Spread& sample, const Problem& problem, std::size_t threads,
                  CountHistograms& histograms);

}  // namespace fastid
