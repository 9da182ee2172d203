/// \file
/// The largest count that a hit may have where linkage blocks weigh as one site: for searches by
/// --max-chance-matches, whose shortlists are by plain counts.
///
/// A hit's own bound (stats/internal/tail_bound.hpp) depends on which sites are compared and where they
/// differ. No hit has a lower bound than this one: its count lies at the sites that weigh least, and each
/// block counts with an event that is at least as likely to count as any of its sites, times 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/internal/poisson_binomial.hpp"
#include "stats/linkage_blocks.hpp"

namespace fastid::stats {

class BlockLimit {
 public:
  /// \param called  the query's called sites \param sites, events  the sites at which something may count,
  /// and the event of each
  BlockLimit(const LinkageBlocks& blocks, std::span<const Word> called, std::span<const std::size_t> sites,
             std::span<const Event> events);

  /// The largest count with which a hit may have a bound of at most log10_chance; no value where no count
  /// may.
  std::optional<std::uint32_t> largest_within(double log10_chance) const;

 private:
  double log10_bound(double weight) const;

  std::vector<Event> strongest_;       ///< for each block, and for each site outside of all blocks
  std::vector<double> least_weights_;  ///< [count] the lowest weighted count
};

}  // namespace fastid::stats
