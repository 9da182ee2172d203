/// \file
/// The vectors that a question about similarity is of, read into memory or made up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/similarity.hpp"
#include "base/thread_pool.hpp"
#include "engine/bit_vectors.hpp"

namespace fastid {

class Vectors {
 public:
  /// \throws InputError, UsageError
  Vectors(const SimilarityOptions& options, ThreadPool& pool);

  const VectorPlanes& planes() const { return bits_->planes(); }
  const std::vector<std::string>& names() const { return names_; }
  /// SHA-256 of their names and contents.
  std::string digest() const;
  /// Known values of made-up vectors; null: they are not known.
  const simulate::AnalyticVectors* analytic() const { return analytic_ ? &*analytic_ : nullptr; }

  /// \throws UsageError, DeviceError
  std::unique_ptr<SimilarityEngine> engine_on(const std::string& device) const;

 private:
  void make(const SimilarityOptions& options, ThreadPool& pool);
  void read(const SimilarityOptions& options, ThreadPool& pool);

  std::optional<simulate::AnalyticVectors> analytic_;
  std::optional<BitVectors> bits_;
  std::vector<std::string> names_;
};

}  // namespace fastid
