/// \file
/// The close pairs that a shard has found, and those of all shards in the order of one run.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "match/close_pair.hpp"
#include "part/part_set.hpp"

namespace fastid::pairs {

/// Writes close pairs as they are found.
class PairsWriter {
 public:
  explicit PairsWriter(part::Writer& to) : to_(to) {}
  /// \param pairs  in ascending order of (first, second), which is a column's row and a row's row
  void add(std::span<const match::ClosePair> pairs);
  /// To be called at the end.
  void finish();

 private:
  part::Writer& to_;
  std::vector<match::ClosePair> waiting_;
};

/// Hands on the pairs of all parts in ascending order of (first, second), some at a time, and keeps few of
/// each part in memory. \param is_own  whether a pair is one of those that part i may have \throws
/// InputError: a part is damaged, or has pairs that are not its own
void for_all_pairs(const part::PartSet& parts,
                   const std::function<bool(std::size_t i, const match::ClosePair& pair)>& is_own,
                   const std::function<void(std::vector<match::ClosePair> pairs)>& take);

}  // namespace fastid::pairs
