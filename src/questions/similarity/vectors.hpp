/// \file
/// The vectors that a question about similarity is of, read into memory or made up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/real_matrix.hpp"
#include "questions/similarity/run.hpp"

namespace fastid {

class Vectors {
 public:
  /// \throws InputError, UsageError
  Vectors(const SimilarityOptions& options, ThreadPool& pool);

  const VectorPlanes& planes() const { return planes_; }
  SimilarityMetric metric() const { return metric_; }
  /// "profile", "site", or "vector" of numbers and of what is made up.
  const std::string& name_of_one() const { return name_of_one_; }
  const std::vector<std::string>& names() const { return names_; }
  /// SHA-256 of their names and contents.
  std::string digest() const;
  /// Whether the values of combinations are known.
  bool analytic() const { return analytic_.has_value(); }
  /// Known values of a combination, where analytic(). \param out  n_cells()
  void known_values(std::span<const std::uint32_t> members, std::span<double> out) const;

  /// \param on  auto becomes the device that was taken \throws UsageError, DeviceError
  std::unique_ptr<SimilarityEngine> engine_on(DeviceOptions& on, std::uint64_t n_combinations) const;

 private:
  void make(const SimilarityOptions& options, ThreadPool& pool);
  void make_numbers(const SimilarityOptions& options);
  void read_genotypes(const SimilarityOptions& options, ThreadPool& pool);
  void take(const BlocksView& profiles);
  void take(RealMatrix numbers);
  void number(std::uint32_t n);

  std::optional<simulate::AnalyticVectors> analytic_;
  VectorPlanes planes_;
  SimilarityMetric metric_ = SimilarityMetric::kCzekanowski;
  std::optional<BitVectors> bits_;
  std::optional<RealMatrix> numbers_;  ///< in place of bits
  std::vector<std::string> names_;
  std::string name_of_one_;
};

}  // namespace fastid
