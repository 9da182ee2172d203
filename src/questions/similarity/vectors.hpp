/// \file
/// The vectors that a question about similarity is of, made up or of a file: all of them in memory or, for
/// pairs of which memory has no room, some at a time; or, where work is split by elements, some elements of
/// all of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/counted_sites.hpp"
#include "asking/people_file.hpp"
#include "base/hash.hpp"
#include "base/thread_pool.hpp"
#include "bits/shard.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/real_matrix.hpp"
#include "engine/real_rows.hpp"
#include "engine/similarity.hpp"
#include "engine/vector_blocks.hpp"
#include "questions/similarity/run.hpp"

namespace fastid::similarity {

/// Vectors in memory.
class LoadedVectors {
 public:
  LoadedVectors(const BlocksView& profiles, engine::SimilarityMetric metric);
  explicit LoadedVectors(engine::RealMatrix numbers);
  /// \param n  vectors
  LoadedVectors(engine::RealStretches numbers, std::uint32_t n);

  const engine::VectorPlanes& planes() const { return planes_; }
  /// How many stretches of elements there are, whose sums are made one by one: of bits one has all.
  std::size_t n_stretches() const;
  /// Planes of one of them.
  engine::VectorPlanes planes_of_stretch(std::size_t stretch) const;
  /// Adds the contents. Of numbers those of pieces of whole blocks, one after the other, are those of all.
  void hash(Sha256& sha) const;

  /// \param on  auto becomes the device that was taken \throws UsageError, DeviceError
  std::unique_ptr<engine::SimilarityEngine> engine_on(asking::DeviceOptions& on,
                                                      std::uint64_t n_combinations) const;
  /// An engine on the CPU for few pairs; null where `on` is one.
  std::unique_ptr<engine::SimilarityEngine> small_engine(const asking::DeviceOptions& on) const;

 private:
  engine::VectorBlocks blocks() const;

  engine::VectorPlanes planes_;
  std::optional<engine::BitVectors> bits_;
  std::optional<engine::RealMatrix> numbers_;  ///< in place of bits
};

class Vectors {
 public:
  /// Reads them, or opens a file of which elements are wanted (Split::kElements), or whose vectors are
  /// compared by pairs and take more than memory(). \param pool  must outlive this object
  /// \throws InputError, UsageError
  Vectors(const SimilarityOptions& options, ThreadPool& pool);

  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  std::uint64_t n_units() const { return n_units_; }
  bool of_numbers() const { return of_numbers_; }
  /// Whether calls are missing by --missing; of a file's genotypes that is not known before they are read.
  bool misses_calls() const { return options_.made.missing > 0; }
  engine::SimilarityMetric metric() const { return metric_; }
  /// "profile", "site", or "vector" of numbers and of what is made up.
  const std::string& name_of_one() const { return name_of_one_; }
  const std::vector<std::string>& names() const { return names_; }
  /// SHA-256 of their names and of the contents, or of what they are made of.
  const std::string& digest() const;
  /// Whether the values of combinations are known.
  bool analytic() const { return analytic_.has_value(); }
  /// Known values of a combination, where analytic(). \param out  n_cells()
  void known_values(std::span<const std::uint32_t> members, std::span<double> out) const;

  /// How many pieces the elements of every vector can be cut into: 32 sites or people each, or kStretch
  /// numbers.
  std::uint64_t n_pieces() const;
  static constexpr std::uint64_t kStretch = 16384;
  /// Bytes that a piece of all vectors takes, about.
  double bytes_of_piece() const;
  /// Some pieces of all vectors; units() of its planes is 0 where there is no site of an autosome among them.
  /// \throws InputError, Failure
  LoadedVectors load_pieces(const Range& pieces) const;

  /// All of them; null where they are not in memory, as with Split::kElements.
  const LoadedVectors* whole() const { return whole_ ? &*whole_ : nullptr; }
  /// All elements of the vectors of some ranges, one after the other. Only where whole() is null.
  /// \throws InputError, Failure
  LoadedVectors load(std::span<const Range> ranges) const;
  /// Bytes that vectors and values may take: a device's share of --memory, else this process's share of three
  /// quarters of the machine's.
  static double memory(const SimilarityOptions& options);
  /// How many vectors a quarter of memory() holds, in whole blocks of 32.
  std::uint64_t block_size() const;

 private:
  /// Bytes that a vector takes, about, while it is loaded and compared.
  double bytes_of_one() const;
  void make();
  void open_numbers();
  void open_genotypes();
  void number(std::uint64_t n);

  bool by_elements() const { return options_.split == Split::kElements; }
  bool of_sites() const { return options_.of == VectorsOf::kSites; }

  SimilarityOptions options_;
  ThreadPool& pool_;
  bool of_numbers_;
  engine::SimilarityMetric metric_ = engine::SimilarityMetric::kCzekanowski;
  std::optional<simulate::AnalyticVectors> analytic_;
  std::optional<engine::RealRows> rows_;        ///< of a matrix that can be read anywhere
  std::unique_ptr<asking::PeopleFile> people_;  ///< of a file of genotypes
  std::optional<asking::AutosomalSites> autosomal_;
  std::optional<LoadedVectors> whole_;
  std::vector<std::string> names_;
  std::string name_of_one_;
  std::uint64_t n_units_ = 0;
  std::string origin_;  ///< what identifies the contents; "": nothing but themselves
  mutable std::string digest_;
};

}  // namespace fastid::similarity
