/// \file
/// The close pairs of a shard in a part, and the pairs of all parts in the order of a single run.
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
  /// Writes what is left. Call at the end.
  void finish();

 private:
  part::Writer& to_;
  std::vector<match::ClosePair> waiting_;
};

/// Passes the pairs of all parts to `take` in ascending order of (first, second), some at a time, with few of
/// each part in memory. \param is_own  whether part i may have this pair \throws InputError: a part is
/// damaged, or has pairs that are not its own
void for_all_pairs(const part::PartSet& parts,
                   const std::function<bool(std::size_t i, const match::ClosePair& pair)>& is_own,
                   const std::function<void(std::vector<match::ClosePair> pairs)>& take);

}  // namespace fastid::pairs
