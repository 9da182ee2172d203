/// \file
/// Engines for the products of minima of a matrix's rows.
#pragma once

#include <memory>
#include <string>

#include "engine/bit_vectors.hpp"
#include "engine/real_matrix.hpp"
#include "engine/similarity.hpp"

namespace fastid::engine {

/// A matrix's rows as the vectors of an engine: one plane, every number there.
inline VectorPlanes planes_of(const RealMatrix& matrix) {
  return {.n = matrix.n_rows(), .stride = matrix.n_rows(), .units = static_cast<double>(matrix.n_columns())};
}

/// \param device  "cpu" or "reference"; null of another word \param matrix  must outlive the engine
std::unique_ptr<SimilarityEngine> make_real_similarity_engine(const std::string& device,
                                                              const RealMatrix& matrix);

}  // namespace fastid::engine
