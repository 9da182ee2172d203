/// \file
/// The CPU engine for products of vectors.
#pragma once

#include <memory>

#include "engine/similarity.hpp"

namespace fastid::engine {

std::unique_ptr<SimilarityEngine> make_cpu_similarity(const VectorBlocks& vectors);

}  // namespace fastid::engine
