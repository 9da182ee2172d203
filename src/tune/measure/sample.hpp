/// \file
/// Small problems with random people, and what the reference engine finds in them.
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

/// A problem with its words. Never moves: the problem points into it.
class Sample {
 public:
  Sample(Comparison comparison, const SampleSize& size, SampleMasks masks);
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const Problem& problem() const { return problem_; }
  std::size_t blocks() const { return static_cast<std::size_t>(problem_.database.n_blocks()); }

  /// What the worker finds in all profiles, in order.
  std::vector<Pair> found(Worker& worker, std::span<const Threshold> thresholds) const;
  void fill(const TileBuffer& buffer) const;

  /// A threshold for each query that about half of its pairs pass, by count or by fraction, exactly at some
  /// pair's.
  std::vector<Threshold> middle_thresholds() const;

 private:
  std::mt19937 random_;
  ProfileRows queries_;
  Problem problem_;
  std::vector<Word> bits_, called_;
};

/// Whether a worker finds what the reference does, with open thresholds and with thresholds in the middle;
/// "": it does.
std::string difference(const Sample& sample, Worker& worker);

}  // namespace fastid::tune
