/// \file
/// Counting again, by the definition (count_pair), what an engine found: no number is ever reported that only
/// a device has seen.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"
#include "pipeline/helpers.hpp"

namespace fastid {

/// What is said of a device that was seen to be wrong.
inline constexpr std::string_view kDistrust =
    "do not trust this device: use --device cpu, and check its driver and memory";

/// What counting again takes.
struct RecountContext {
  const Problem& problem;
  std::size_t first_query = 0;  ///< of the problem's queries, the first one's place among all
  const Engine& engine;         ///< for messages
};

/// Counts `pairs` again, those that may still be listed, shared with the helpers, and ranks them. \param
/// at_hand where their profiles are \throws DeviceError where the engine has miscounted
void rank_again(const RecountContext& context, const BlocksView& at_hand, std::span<const Contender> pairs,
                Helpers& helpers, Ranking& ranking);

}  // namespace fastid
