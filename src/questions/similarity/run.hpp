/// \file
/// How similar all pairs or triples of vectors are: of profiles, of sites, or of the rows of a matrix.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/device_options.hpp"
#include "asking/work.hpp"
#include "base/progress.hpp"
#include "bits/shard.hpp"
#include "engine/real_matrix.hpp"
#include "engine/similarity_metric.hpp"
#include "import/import.hpp"
#include "match/similar_vectors.hpp"
#include "part/part_set.hpp"
#include "pipeline/value_sinks.hpp"
#include "simulate/vectors.hpp"

namespace fastid::similarity {

enum class VectorsOf : std::uint8_t { kProfiles, kSites, kNumbers };
enum class Synthetic : std::uint8_t { kNone, kRandom, kAnalytic };

/// How processes and shards share the work: each has some last members of combinations, or some elements of
/// every vector.
enum class Split : std::uint8_t { kVectors, kElements };

/// What is handed on of all values.
enum class ValuesWanted : std::uint8_t {
  kNone,
  kFound,  ///< those of at least the threshold; all where there is none
  kBest,   ///< the best of each vector
  kEvery,  ///< all, without their indices
  kBytes   ///< the same in 8 bits: byte_of()
};

struct SimilarityOptions {
  std::string file;  ///< a database, genotypes, or a matrix of numbers; "": synthetic
  imports::ImportOptions import;
  Synthetic synthetic = Synthetic::kNone;
  simulate::VectorOptions made;  ///< where they are synthetic
  std::optional<VectorsOf> of;   ///< no value: as the file is, of genotypes profiles
  std::optional<engine::SimilarityMetric>
      metric;  ///< no value: kSorensen; of numbers kCzekanowski, which alone they have
  engine::RealType made_of = engine::RealType::kFloat;  ///< of synthetic numbers
  std::size_t way = 2;                                  ///< 2 or 3
  ValuesWanted wanted = ValuesWanted::kFound;
  std::optional<double> threshold;
  std::size_t best = 1;  ///< of each vector, at least 1
  bool checksum = false;
  Split split = Split::kVectors;
  Shard stage;  ///< of the whole campaign, what this run computes
  asking::DeviceOptions device;
  ProgressMode progress = ProgressMode::kAuto;
};

/// A value in 8 bits: 255 is 1, and 0 is 0; to the nearest.
std::uint8_t byte_of(double value);

/// Where values go; each is called in order. Without `best`, the best of all vectors go to `found`, each
/// once.
struct SimilarityTake {
  std::function<void(std::span<const match::FoundValue>)> found;
  std::function<void(std::uint32_t vector, std::span<const match::FoundValue>)> best;
  std::function<void(std::span<const double>)> every;
  std::function<void(std::span<const std::uint8_t>)> bytes;
};

struct SimilarityTotals {
  std::uint64_t n_values = 0;        ///< handed on
  std::uint64_t verified = 0;        ///< values that were compared with what is known of analytic vectors
  pipeline::ValueChecksum checksum;  ///< of every value
};

class SimilaritySearch {
 public:
  /// Reads the vectors. \throws InputError, UsageError
  explicit SimilaritySearch(const SimilarityOptions& options);
  ~SimilaritySearch();

  const match::SimilarityFacts& facts() const;
  /// Bytes that a shard's part has at least, where work is split by elements; else 0.
  double bytes_of_sums(const Shard& shard) const;

  /// Computes the stage's values. \throws DeviceError, Interrupted; Failure where an analytic value is wrong
  SimilarityTotals run(const SimilarityTake& take);
  /// Does this process's part of that work. \return no value where another process has the values \throws the
  /// same; InputError
  std::optional<SimilarityTotals> find(asking::Work& work, const SimilarityTake& take);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::similarity
