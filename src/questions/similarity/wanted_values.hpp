/// \file
/// The sinks of the values that are asked for: from every value, or those that an engine has chosen, to a
/// SimilarityTake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/value_sinks.hpp"
#include "questions/similarity/run.hpp"
#include "questions/similarity/vectors.hpp"

namespace fastid::similarity {

class WantedValues {
 public:
  /// \param options, vectors, take  must outlive this object \param most_found  values that may be held until
  /// a band's end, of those at or above the threshold
  WantedValues(const SimilarityOptions& options, const Vectors& vectors, const SimilarityTake& take,
               std::uint64_t most_found);
  ~WantedValues();
  WantedValues(const WantedValues&) = delete;
  WantedValues& operator=(const WantedValues&) = delete;

  std::span<pipeline::ValueSink* const> sinks() const { return sinks_; }
  /// The one that needs only some values, where these are wanted.
  pipeline::ChoosingSink& choosing();
  /// The best of each vector; null: they are not wanted.
  pipeline::BestSink* best() { return best_ ? &*best_ : nullptr; }
  /// Adds values that were handed on past the sinks.
  void add(std::uint64_t n_values) { totals_.n_values += n_values; }
  /// Hands on the best, once all values are there.
  SimilarityTotals finish();

 private:
  class Known;

  std::uint64_t hand_on_best() const;

  const SimilarityOptions& options_;
  const Vectors& vectors_;
  const SimilarityTake& take_;
  SimilarityTotals totals_;
  pipeline::FoundSink found_;
  pipeline::EveryValueSink every_;
  std::optional<pipeline::BestSink> best_;
  pipeline::ChecksumSink checksum_;
  std::unique_ptr<Known> known_;
  std::vector<pipeline::ValueSink*> sinks_;
};

}  // namespace fastid::similarity
