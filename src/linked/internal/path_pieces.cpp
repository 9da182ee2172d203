#include "linked/internal/path_pieces.hpp"

#include <algorithm>

namespace fastid::linked {

PathPieces::PathPieces(const PathTest& test, const ProfileRows& queries)
    : test_(test), most_missing_(test.most_missing()) {
  for (std::size_t query = 0; query < queries.n_rows(); ++query)
    missing_.push_back(test.missing(queries.row(query)));
  std::ranges::sort(missing_);
}

std::size_t PathPieces::untested(std::uint32_t missing_of_profile) const {
  if (missing_of_profile > most_missing_) return missing_.size();
  const auto first = std::ranges::upper_bound(missing_, most_missing_ - missing_of_profile);
  return static_cast<std::size_t>(missing_.end() - first);
}

std::size_t PathPieces::blocks(const BlocksView& view, std::size_t first, std::size_t most_blocks,
                               std::uint64_t most_pairs) const {
  std::uint64_t pairs = 0;
  for (std::size_t n = 0; n < most_blocks; ++n) {
    const std::uint64_t begin = (first + n) * fastid::kLanes;
    const std::uint64_t end = std::min(view.shape.n_profiles, begin + fastid::kLanes);
    for (std::uint64_t profile = begin; profile < end; ++profile)
      pairs += untested(test_.missing(view, profile));
    if (n > 0 && pairs > most_pairs) return n;
  }
  return most_blocks;
}

}  // namespace fastid::linked
