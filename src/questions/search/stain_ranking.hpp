/// \file
/// Mixtures whose people are ranked by what each of a mixture's explanations says of them, in place of counts
/// of alleles that are not seen.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/weighted_count.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"
#include "stats/likelihoods.hpp"

namespace fastid::search {

/// The weights that all mixtures of a search rank a database by.
class StainRanking {
 public:
  /// \param question  of mixtures \param stains, explained  one for each of the problem's queries
  /// \param against_stains  the database holds mixtures \param problem  its queries must outlive this object
  StainRanking(const stats::Question& question, std::span<const stats::Stain> stains,
               std::span<const stats::StainExplanations> explained, bool against_stains,
               const engine::Problem& problem, std::size_t threads);

  const engine::CustomCount& count() const { return *count_; }

 private:
  std::unique_ptr<engine::WeightedCount> count_;
};

/// Gives all rows the counts of the question in place of those that they were ranked by. \param problem  of
/// the matches' queries
void count_again(const BlockSource& database, const engine::Problem& problem, std::size_t threads,
                 std::span<match::QueryMatches> matches);

}  // namespace fastid::search
