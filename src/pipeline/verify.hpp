/// \file
/// Counts pairs again, by the definition, before they are reported, so that no match rests on a device alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Names what counted the pairs of a row, for a message.
using CountedBy = std::function<std::string(std::uint64_t row)>;

/// Counts pairs again from the database's blocks: a query with a block once for neighbouring pairs of both.
class Recount {
 public:
  /// Both must outlive this object.
  Recount(const Problem& problem, const CountedBy& counted_by) : problem_(problem), counted_by_(counted_by) {}

  /// \param block  that the pair's row is in
  /// \throws DeviceError if it was counted differently
  void check(const BlocksView& block, const Pair& pair);

 private:
  const Problem& problem_;
  const CountedBy& counted_by_;
  std::uint64_t block_ = UINT64_MAX;  ///< that was counted last, with query_
  std::size_t query_ = 0;
  std::array<PairCounts, kLanes> counts_;
};

/// Counts every ranked pair again from the database's own blocks.
/// \param ranked  the pairs of each query of the problem
/// \throws DeviceError if one was counted differently, InputError (a damaged block), Interrupted
void verify(const BlockSource& database, const Problem& problem, const CountedBy& counted_by,
            std::span<const RankedPairs> ranked, std::size_t threads);

}  // namespace fastid
