/// \file
/// Similar vectors as tsv. docs/commands/similarity.md describes the columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "match/similar_vectors.hpp"

namespace fastid::report {

/// The line of column names. \param of_each  the best of each vector are listed
std::string similarity_head(const SimilarityFacts& facts, bool of_each);
/// A line for each value, in shortest digits that give the same double again.
std::string similarity_lines(const SimilarityFacts& facts, std::span<const FoundValue> values);
/// The same of a vector's best values, the best first.
std::string best_lines(const SimilarityFacts& facts, std::uint32_t vector,
                       std::span<const FoundValue> values);

}  // namespace fastid::report
