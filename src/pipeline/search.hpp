/// \file
/// A search: the best pairs of each query. And samples of a database that the CPU engine counts besides
/// it: blocks at equal distances. Which blocks these are depends only on the database's size and the number
/// of queries, so results do not change with the device or the number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "engine/comparison.hpp"
#include "engine/engine.hpp"
#include "match/keep_rule.hpp"
#include "match/ranking.hpp"
#include "match/shared_thresholds.hpp"
#include "pipeline/stream.hpp"

namespace fastid::pipeline {

/// The best pairs of each query, and how they were found.
struct SearchResult {
  std::vector<match::RankedPairs> ranked;
  StreamStats stats;
};

/// What is kept of each query's pairs.
struct Keeping {
  match::KeepRule rule;
  std::span<const match::QueryRule> rules = {};  ///< of each query, as Ranking has them
  match::SharedThresholds* thresholds =
      nullptr;  ///< of these rules, shared with searches of other rows; null: not
};

/// A search. The CPU engine ranks a sample of the database while `engine` prepares. The ranking of the
/// whole database starts from the sample's thresholds, which are valid since the sample's pairs come again.
///
/// \param threads     of the CPU engine; 0: as many as the process may use
/// \param rows  only pairs of these rows count; null: of all. Where they are few, their blocks alone are read
/// \throws what stream() throws; DeviceError if a pair came twice, or fewer came than the sample had. Counts
/// are not checked here: verify() must do that before a pair is reported.
SearchResult search_database(const BlockSource& database, const engine::Problem& problem,
                             engine::Engine& engine, const Keeping& keeping, std::size_t threads,
                             Progress& progress, const RowMask* rows = nullptr);

/// Blames an engine, by a DeviceError. It must outlive the result.
match::Blame blame_on(const engine::Engine& engine);

/// What a comparison of both alleles counts of two people. \param comparison  kIdentity or kKinship
engine::PairCounts counts_of(engine::Comparison comparison, const engine::GenotypeCounts& genotypes);

/// Counts pairs again from the database's blocks: a query with a block once for neighbouring pairs of both.
class Recount {
 public:
  /// Both must outlive this object.
  Recount(const engine::Problem& problem, const match::Blame& blame) : problem_(problem), blame_(blame) {}

  /// \param block  that the pair's row is in
  /// \throws what `blame` throws, if it was counted differently
  void check(const BlocksView& block, const engine::Pair& pair);
  /// The same of a pair whose right counts are known.
  void hold(const engine::Pair& pair, const engine::PairCounts& right) const;

 private:
  engine::PairCounts counts_of(const BlocksView& block, const engine::Pair& pair);

  const engine::Problem& problem_;
  const match::Blame& blame_;
  std::uint64_t block_ = UINT64_MAX;  ///< that was counted last, with query_
  std::size_t query_ = 0;
  Word counted_ = 0;  ///< which of `counts_`
  std::array<engine::PairCounts, kLanes> counts_;
};

/// Counts every ranked pair again from the database's own blocks.
/// \param ranked  the pairs of each query of the problem
/// \param blame   if one was counted differently
/// \throws InputError (a damaged block), Interrupted
void verify(const BlockSource& database, const engine::Problem& problem, const match::Blame& blame,
            std::span<const match::RankedPairs> ranked, std::size_t threads);

/// Every step-th block of a source, from the first on, as a source of its own. `source` must outlive it.
class Spread final : public BlockSource {
 public:
  /// \param step  at least 1 \param n_blocks  at most as many as there are
  Spread(const BlockSource& source, std::uint64_t step, std::uint64_t n_blocks);

  std::uint64_t step() const { return step_; }
  BlockShape shape() const override { return shape_; }
  bool has_second() const override { return source_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;

 private:
  const BlockSource& source_;
  std::uint64_t step_;
  BlockShape shape_;
};

/// How many blocks a search's sample has. It is small beside the search: as many blocks as there are queries,
/// of 8 to 256, and at most a 64th of the database. 0: a sample would not pay.
std::uint64_t sample_blocks(const BlockShape& database, std::size_t n_queries);

/// Ranks a sample with the CPU engine: the k-th best pair of each query is its threshold, open where the
/// sample has too few pairs. Threads divide the queries among them, so that they have nothing to wait for.
/// \param own  as Ranking has them \param rows  only these rows count; null: all \throws InputError,
/// Interrupted
std::vector<engine::Threshold> sample_thresholds(const BlockSource& database, const engine::Problem& problem,
                                                 const match::KeepRule& rule,
                                                 std::span<const match::QueryRule> own, std::size_t threads,
                                                 const RowMask* rows = nullptr);

/// Blocks at equal distances: at least `blocks` and fewer than twice as many, or all of a source that has
/// fewer.
Spread systematic_sample(const BlockSource& database, std::uint64_t blocks);

/// The blocks that histograms are made of. Below 32,768 profiles these are all blocks; beyond, a systematic
/// sample of at least half as many profiles, since counting every pair of a large search would cost more than
/// the search.
Spread histogram_sample(const BlockSource& database);

/// Compares a sample's profiles with all queries, by the CPU engine. \param sink  takes the pairs that pass
/// its thresholds \throws InputError, Interrupted
void count_sample(const BlockSource& sample, const engine::Problem& problem, std::size_t threads,
                  match::PairSink& sink);

}  // namespace fastid::pipeline
