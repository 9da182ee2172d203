/// \file
/// Where `fastid similarity` writes values: tsv, lines of json, HDF5, or bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/file_roles.hpp"
#include "db/similarity_values.hpp"
#include "import/text_output.hpp"
#include "questions/similarity/run.hpp"

namespace fastid::similarity {

enum class ValueFormat : std::uint8_t { kTsv, kJsonLines, kHdf5, kBytes };

/// Whether it has a line for each value, and so need not have all of them.
constexpr bool is_text(ValueFormat format) {
  return format == ValueFormat::kTsv || format == ValueFormat::kJsonLines;
}

const char* name_of(engine::SimilarityMetric metric);

/// What is written, for check_files().
cli::WrittenFile values_file(const std::string& output, ValueFormat format);

/// Refuses all values of a stage, or a shard's share of them, that will not fit where they are to be written.
/// \param path  as SimilarityOutput has it, or of the shard's part \param bytes_of_sums  of the shard's part,
/// where work is split by elements \throws Failure
void check_values_fit(const std::string& path, ValueFormat format, const SimilarityOptions& options,
                      const match::SimilarityFacts& facts, const std::optional<Shard>& shard,
                      double bytes_of_sums);

class SimilarityOutput {
 public:
  /// Opens a file that appears on commit(). \param path  "": nothing is written \throws Failure
  SimilarityOutput(const std::string& path, ValueFormat format, ValuesWanted wanted,
                   const match::SimilarityFacts& facts);

  SimilarityTake take();
  void commit();

 private:
  const match::SimilarityFacts& facts_;
  bool json_;
  std::optional<imports::TextOutput> text_;
  std::optional<OutputFile> bytes_;
  std::optional<db::SimilarityValuesWriter> hdf5_;
};

}  // namespace fastid::similarity
