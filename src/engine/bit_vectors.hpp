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

#include "bits/blocks.hpp"
#include "engine/similarity_metric.hpp"
#include "engine/vector_blocks.hpp"

namespace fastid::engine {

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

}  // namespace fastid::engine
