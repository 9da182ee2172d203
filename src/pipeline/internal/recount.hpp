/// \file
/// Counting again, by the definition (count_pair), what an engine found: no match is ever reported that only
/// a device has seen.
#pragma once

#include <cstddef>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"
#include "pipeline/internal/helpers.hpp"

namespace fastid {

/// What counting again takes.
struct RecountContext {
  const Problem& problem;
  std::size_t first_query = 0;  ///< of the problem's queries, the first one's place among all
  const Engine& engine;         ///< for messages
};

/// Counts a pair again. \param at_hand  where its profile is, at pair.place
/// \throws DeviceError where the engine has miscounted
PairCounts count_again(const RecountContext& context, const BlocksView& at_hand, const Contender& pair);

/// Counts `pairs` again, those that may still be listed, and ranks them.
/// \param at_hand  where their profiles are \throws DeviceError where the engine has miscounted
void rank_again(const RecountContext& context, const BlocksView& at_hand, std::vector<Contender> pairs,
                Ranking& ranking);

/// So too, where their profiles' blocks have to be read from the database: one for each pair that may still
/// be listed, unless it is the last pair's. \throws InputError, DeviceError
void rank_from(const BlockSource& database, const RecountContext& context, std::vector<Contender> pairs,
               Ranking& ranking);

/// Counts the listed pairs of the problem's queries once more, by the database's own blocks: for profiles
/// that a device has kept since they were read. \throws InputError (a damaged block), DeviceError where they
/// are others
void recount_listed(const RecountContext& context, const BlockSource& database, const Ranking& ranking,
                    Helpers& helpers);

}  // namespace fastid
