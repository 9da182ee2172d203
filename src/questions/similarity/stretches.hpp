/// \file
/// The work of a question about similarity split by elements: a shard has a stretch of the elements of all
/// vectors. Its sums of products are added to those of the other shards, and values are made of all together.
///
///              elements
///            +-------+-------+-------+
///   vectors  |   1   |   2   |   3   |     a shard holds its columns, and leaves for every combination the
///            +-------+-------+-------+     moments over these
///
/// A shard whose elements take more memory than there is has them piece by piece, once for each step of
/// pipeline::StretchPlan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "asking/device_options.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "bits/shard.hpp"
#include "part/part_set.hpp"
#include "pipeline/ordered_sums.hpp"
#include "pipeline/stretch_moments.hpp"
#include "questions/similarity/vectors.hpp"

namespace fastid::similarity {

class Stretches {
 public:
  /// \param vectors, pool, device  must outlive this object; of the device, auto becomes the one that was
  /// taken \param last  last members of the combinations \param most_sums  as StretchPlan has it
  /// \throws UsageError where there is too little memory
  Stretches(const Vectors& vectors, const SimilarityOptions& options, const Range& last, ThreadPool& pool,
            asking::DeviceOptions& device, std::uint64_t most_sums = pipeline::StretchPlan::kMostSums);

  /// Steps of the work, to be taken in this order.
  std::size_t n_steps() const { return plan_.steps().size(); }

  /// Bytes of the sums that a shard writes, at least: of genotypes in a file it is known too late which calls
  /// are missing.
  double bytes_of_part(const Shard& shard) const;

  using Sinks = std::span<pipeline::ValueSink* const>;
  /// Counts all elements, and hands on values. \throws DeviceError, Interrupted, InputError
  void run(Sinks sinks);
  /// Counts a shard's elements for some steps, and writes the sums. \return what was counted, for a message
  /// \throws the same
  std::string write(const Shard& shard, const Range& steps, part::Writer& to);
  /// Hands on the values of some steps from the parts of all shards. \throws InputError
  void merge(const part::PartSet& parts, const Range& steps, Sinks sinks);

 private:
  /// Pieces of the elements in memory, and what counts them.
  struct Loaded {
    Range pieces;  ///< empty until the engine is made
    LoadedVectors vectors;
    std::unique_ptr<engine::SimilarityEngine> engine;  ///< null: no element is compared
  };
  class PartReader;

  pipeline::OrderedSums::Order order() const {
    return vectors_.of_numbers() ? pipeline::OrderedSums::Order::kTree : pipeline::OrderedSums::Order::kAny;
  }
  pipeline::StretchSums count(const pipeline::StretchStep& step, const Range& pieces, Progress& progress);
  const Loaded& load(const Range& pieces);
  std::uint64_t total(const Range& pieces) const;
  std::string noun() const { return plan_.way() == 2 ? "pair" : "triple"; }
  Range share(const Shard& shard) const { return share_of(vectors_.n_pieces(), shard); }

  const Vectors& vectors_;
  ThreadPool& pool_;
  asking::DeviceOptions& device_;
  ProgressMode progress_;
  pipeline::StretchPlan plan_;
  pipeline::StretchValues values_;
  std::uint64_t pieces_at_once_;
  std::optional<Loaded> loaded_;
};

}  // namespace fastid::similarity
