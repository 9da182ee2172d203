/// \file
/// Small problems with random people, and the pairs that the reference engine finds in them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace fastid::tune {

struct SampleSize {
  std::uint64_t queries = 1, profiles = 1;
  std::uint32_t sites = 1;
};
struct SampleMasks {
  bool queries = false, stored = false;  ///< a tenth of the sites not called
};

/// A problem and its words. It cannot be moved, since the problem points into it.
class Sample {
 public:
  /// \param by  kAlleles: the profiles are of that encoding, and `masks.stored` is true
  Sample(engine::Comparison comparison, const SampleSize& size, SampleMasks masks,
         Encoding by = Encoding::kMinor);
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const engine::Problem& problem() const { return problem_; }
  std::size_t blocks() const { return static_cast<std::size_t>(problem_.database.n_blocks()); }

  /// The pairs that the worker finds in all profiles, in order.
  std::vector<engine::Pair> found(engine::Worker& worker,
                                  std::span<const engine::Threshold> thresholds) const;
  void fill(const engine::TileBuffer& buffer) const;

  /// For each query a threshold, by count, by fraction or by weights, that about half of all pairs pass, one
  /// of them just so.
  std::vector<engine::Threshold> middle_thresholds() const;

 private:
  std::mt19937 random_;
  ProfileRows queries_;
  engine::Problem problem_;
  std::vector<Word> bits_, second_;
};

/// How a worker's pairs differ from the reference engine's, with open thresholds and with
/// middle_thresholds(); "" where they do not differ.
std::string difference(const Sample& sample, engine::Worker& worker);

}  // namespace fastid::tune
