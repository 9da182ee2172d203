/// \file
/// `fastid bench --similarity`: the proportional similarity of all pairs or triples of vectors, or CCC:
/// elements compared a second. On a CPU this is compared with the rate of the instructions that a comparison
/// takes (bits: and, popcount, add; CCC: four or eight times these; numbers: min, add), run on registers
/// right after each repeat.
///
/// Measured from vectors in memory to the values at or above a threshold in memory, including a device's
/// transfers. A pair or a triple of vectors of m elements is m comparisons.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "engine/similarity.hpp"
#include "engine/vector_blocks.hpp"

namespace fastid::bench {

enum class SimilarityOf : std::uint8_t { kBits, kCcc, kFloat, kDouble };

struct SimilarityShape {
  SimilarityOf of = SimilarityOf::kBits;
  std::uint32_t way = 2;  ///< 2 or 3
  std::uint32_t vectors = 0, elements = 0;

  std::optional<engine::RealType> numbers() const {
    if (of == SimilarityOf::kFloat) return engine::RealType::kFloat;
    return of == SimilarityOf::kDouble ? std::optional(engine::RealType::kDouble) : std::nullopt;
  }
  /// Products of bits, or minima, that a comparison takes: for CCC, one for each choice of a plane from each
  /// member.
  double products() const {
    return of == SimilarityOf::kCcc ? static_cast<double>(std::uint32_t{1} << way) : 1;
  }
};

struct SimilarityResult : DeviceRate {  ///< in comparisons
  SimilarityShape shape;
};

struct SimilarityOptions : RateOptions {
  std::vector<SimilarityShape> shapes = {
      {SimilarityOf::kBits, 2, 4096, 65'536}, {SimilarityOf::kBits, 3, 640, 8192},
      {SimilarityOf::kCcc, 2, 4096, 16'384},  {SimilarityOf::kCcc, 3, 640, 1024},
      {SimilarityOf::kFloat, 2, 2048, 4096},  {SimilarityOf::kFloat, 3, 640, 512},
      {SimilarityOf::kDouble, 2, 2048, 4096}, {SimilarityOf::kDouble, 3, 640, 512}};
};

/// Makes an engine for vectors that outlive it.
using SimilarityEngineMaker = std::function<std::unique_ptr<engine::SimilarityEngine>(
    const std::string& device, const engine::VectorBlocks& vectors)>;

/// Measures every shape on every device. \throws DeviceError, Interrupted; Failure (memory)
std::vector<SimilarityResult> run_similarity(const SimilarityOptions& options,
                                             const SimilarityEngineMaker& make_engine,
                                             const std::function<void(const SimilarityResult&)>& on_result);

}  // namespace fastid::bench
