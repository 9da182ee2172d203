/// \file
/// Facts of a question about similar vectors, and a value that is found.
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
  std::uint64_t n_units = 0;       ///< elements of each vector: sites, people, columns
  Range indices;                   ///< indices of this stage's values
};

/// A value and its index: its combination's index (engine/combinations.hpp) times the number of cells, plus
/// its cell.
struct FoundValue {
  std::uint64_t index = 0;
  double value = 0;

  friend bool operator==(const FoundValue&, const FoundValue&) = default;
};

}  // namespace fastid::match
