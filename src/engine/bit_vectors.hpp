/// \file
/// Profiles as vectors of bits, plane by plane, for the products of engine/similarity.hpp.
///
///   vector     0 .. n-1         then zeros to stride()   stride() ..               2 stride() ..
///              values           of each profile          second plane of values    calls
///              (a minor allele)                          (of ccc: homozygous minor)  (where any is missing)
///
/// They lie in blocks of 32 as profiles do, without a second plane. Of czekanowski a vector has the words
/// where a minor allele was seen, and behind them those where it was seen alone: AND counts the lesser number
/// of copies then. Its plane of calls has them twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bits/blocks.hpp"
#include "engine/similarity.hpp"
#include "engine/similarity_metric.hpp"

namespace fastid::engine {

/// Which vector of an engine is which plane of a profile, or of a row of numbers.
struct VectorPlanes {
  std::uint32_t n = 0;       ///< vectors that are compared
  std::uint32_t stride = 0;  ///< from a plane to the next one
  std::uint32_t first = 0;   ///< plane of values
  std::uint32_t n_values = 1;
  bool all_called = true;  ///< there is no plane of calls
  double units = 0;        ///< of which a vector has values: sites, people, columns

  std::uint32_t value(std::uint32_t plane, std::uint32_t vector) const {
    return (first + plane) * stride + vector;
  }
  std::uint32_t calls(std::uint32_t vector) const { return value(n_values, vector); }
};

class BitVectors {
 public:
  /// \param profiles  of Encoding::kAlleles \throws Failure where there is not enough memory
  BitVectors(const BlocksView& profiles, SimilarityMetric metric);

  const VectorPlanes& planes() const { return planes_; }
  BlocksView view() const { return {shape_, words_.data(), nullptr}; }

 private:
  VectorPlanes planes_;
  BlockShape shape_;
  WordBuffer words_;
};

/// \param device  "cpu" or "reference" \param vectors  whose owner must outlive the engine
std::unique_ptr<SimilarityEngine> make_bit_similarity(const std::string& device, const BlocksView& vectors);

/// The bits of each vector.
std::vector<double> bits_of_vectors(const BlocksView& vectors);

}  // namespace fastid::engine
