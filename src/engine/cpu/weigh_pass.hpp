/// \file
/// Sums of weights (engine/weighted_count.hpp) for many profiles side by side. Weights are cut into bits, in
/// two's complement: where a kind is seen its weight's bits are, so that the sum of all sites of a word is a
/// count of bits for each place.
#pragma once

#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "engine/weighted_count.hpp"

namespace fastid::engine {

/// \param by  kAlleles: the view is of that encoding \param sums  32 for each block; those of unused lanes
/// have no meaning
void pass_weights(std::span<const WeightedWord> words, Encoding by, const BlocksView& view,
                  std::int32_t* sums);

}  // namespace fastid::engine
