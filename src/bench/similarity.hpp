/// \file
/// `fastid bench --similarity`: the proportional similarity of all pairs or triples of vectors: elements
/// compared a second, on a CPU beside the rate of the instructions that this takes (of bits and, popcount,
/// add; of numbers min, add), run on registers right after each repeat.
///
/// Measured from vectors in memory to the values at or above a threshold in memory, a device's transfers of
/// these included. A pair or a triple of vectors of m elements is m comparisons.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "bits/blocks.hpp"
#include "engine/real_matrix.hpp"
#include "engine/similarity.hpp"

namespace fastid::bench {

struct SimilarityShape {
  std::optional<RealType> numbers;  ///< no value: bits
  std::uint32_t way = 2;            ///< 2 or 3
  std::uint32_t vectors = 0, elements = 0;
};

struct SimilarityResult : DeviceRate {  ///< in comparisons
  SimilarityShape shape;
};

struct SimilarityOptions : RateOptions {
  std::vector<SimilarityShape> shapes = {
      {std::nullopt, 2, 4096, 65'536}, {std::nullopt, 3, 640, 8192},       {RealType::kFloat, 2, 2048, 4096},
      {RealType::kFloat, 3, 640, 512}, {RealType::kDouble, 2, 2048, 4096}, {RealType::kDouble, 3, 640, 512}};
};

/// Makes an engine for vectors that outlive it.
struct SimilarityEngineMaker {
  std::function<std::unique_ptr<SimilarityEngine>(const std::string& device, const BlocksView& vectors)>
      of_bits;
  std::function<std::unique_ptr<SimilarityEngine>(const std::string& device, const RealMatrix& matrix)>
      of_numbers;
};

/// Measures every shape on every device. \throws DeviceError, Interrupted; Failure (memory)
std::vector<SimilarityResult> run_similarity(const SimilarityOptions& options,
                                             const SimilarityEngineMaker& make_engine,
                                             const std::function<void(const SimilarityResult&)>& on_result);

}  // namespace fastid::bench
