/// \file
/// Engines for the products of minima of a matrix's rows.
#pragma once

#include <memory>
#include <string>

#include "engine/real_matrix.hpp"
#include "engine/similarity.hpp"

namespace fastid {

/// \param device  "cpu" or "reference" \param matrix  must outlive the engine
std::unique_ptr<SimilarityEngine> make_real_similarity_engine(const std::string& device,
                                                              const RealMatrix& matrix);

/// The native engine of an instruction set, for tests and measurements: null where the CPU or the program
/// lacks it. Not thread-safe.
std::unique_ptr<SimilarityEngine> make_cpu_real_similarity_for(const std::string& target,
                                                               const RealMatrix& matrix);

}  // namespace fastid
