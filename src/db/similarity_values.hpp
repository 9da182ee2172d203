/// \file
/// A file of the values of all pairs or triples of vectors, for `fastid similarity --format hdf5`.
/// docs/commands/similarity.md describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastid::db {

/// Whether a file has this format; false where it cannot be read.
bool is_similarity_values(const std::string& path);

/// Writes such a file, value by value, beside its target; finish() puts it in place.
class SimilarityValuesWriter {
 public:
  struct Facts {
    std::string_view metric;
    std::uint32_t way = 2, cells = 1;
    std::uint64_t first = 0;  ///< index of the first value
    std::uint64_t n_values = 0;
  };

  /// \param names  of the vectors \throws Failure where the target cannot be written
  SimilarityValuesWriter(const std::string& target, const std::vector<std::string>& names,
                         const Facts& facts);
  ~SimilarityValuesWriter();

  /// \throws Failure (disk)
  void append(std::span<const double> values);
  /// Ends the file, which must have n_values, and puts it in place. \throws Failure
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::db
