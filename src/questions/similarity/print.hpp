/// \file
/// Similar vectors as tsv or lines of json. docs/commands/similarity.md describes the columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "match/similar_vectors.hpp"

namespace fastid::similarity {

/// The line of column names. \param of_each  the best of each vector are listed
std::string similarity_head(const match::SimilarityFacts& facts, bool of_each);
/// A line for each value, in shortest digits that give the same double again. \param json  an object whose
/// keys are the columns, in place of a line of tsv
std::string similarity_lines(const match::SimilarityFacts& facts, std::span<const match::FoundValue> values,
                             bool json);
/// The same of a vector's best values, the best first.
std::string best_lines(const match::SimilarityFacts& facts, std::uint32_t vector,
                       std::span<const match::FoundValue> values, bool json);

}  // namespace fastid::similarity
