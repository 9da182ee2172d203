/// \file
/// How many profiles' likeliest paths are tested at once, so that what passes fits memory although pairs that
/// lack many sites all pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/path_count.hpp"

namespace fastid::linked {

class PathPieces {
 public:
  /// \param test  must outlive this object
  PathPieces(const PathTest& test, const ProfileRows& queries);

  /// Queries that pass with a profile since so many sites are missing of the two together.
  std::size_t untested(std::uint32_t missing_of_profile) const;

  /// How many blocks of a view, from `first` on, have up to `most_pairs` pairs that pass so: at least one, up
  /// to `most_blocks`.
  std::size_t blocks(const BlocksView& view, std::size_t first, std::size_t most_blocks,
                     std::uint64_t most_pairs) const;

 private:
  const PathTest& test_;
  std::uint32_t most_missing_;
  std::vector<std::uint32_t> missing_;  ///< of each query, ascending
};

}  // namespace fastid::linked
