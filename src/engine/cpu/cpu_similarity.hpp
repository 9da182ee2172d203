/// \file
/// The native engine for products of vectors of bits.
#pragma once

#include <memory>

#include "bits/blocks.hpp"
#include "engine/similarity.hpp"

namespace fastid::engine {

std::unique_ptr<SimilarityEngine> make_cpu_similarity(const BlocksView& vectors);

}  // namespace fastid::engine
