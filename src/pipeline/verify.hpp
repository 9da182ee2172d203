/// \file
/// Counts pairs again, by the definition, before they are reported, so that no match rests on a device alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "engine/comparison.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"

namespace fastid::pipeline {

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

}  // namespace fastid::pipeline
