/// \file
/// What a question about similar vectors is of, and what is found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/similarity_metric.hpp"

namespace fastid::match {

struct SimilarityFacts {
  engine::SimilarityMetric metric = engine::SimilarityMetric::kSorensen;
  std::size_t way = 2, cells = 1;  ///< members of a combination, and its values
  std::string vector = "profile";  ///< what a vector is: "profile", "site", or "vector" of numbers
  std::vector<std::string> names;  ///< of the vectors
  std::uint64_t n_units = 0;       ///< of each: sites, people, columns
  Range indices;                   ///< of the values of this stage
};

/// A value and its index: that of its combination (engine/combinations.hpp), times the cells, and its cell.
struct FoundValue {
  std::uint64_t index = 0;
  double value = 0;

  friend bool operator==(const FoundValue&, const FoundValue&) = default;
};

}  // namespace fastid::match
