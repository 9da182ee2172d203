#include "cli/similarity_output.hpp"

#include "report/similarity.hpp"

namespace fastid::cli {

const char* name_of(SimilarityMetric metric) {
  switch (metric) {
    case SimilarityMetric::kSorensen:
      return "sorensen";
    case SimilarityMetric::kCzekanowski:
      return "czekanowski";
    case SimilarityMetric::kCcc:
      break;
  }
  return "ccc";
}

WrittenFile values_file(const std::string& output, ValueFormat format) {
  if (format == ValueFormat::kHdf5) return {"-o", output, false, Content::kMatrix};
  return {"-o", output};
}

SimilarityOutput::SimilarityOutput(const std::string& path, ValueFormat format, ValuesWanted wanted,
                                   const SimilarityFacts& facts)
    : facts_(facts) {
  if (wanted == ValuesWanted::kNone) return;
  if (format == ValueFormat::kHdf5) {
    hdf5_.emplace(path, facts.names,
                  db::SimilarityValuesWriter::Facts{.metric = name_of(facts.metric),
                                                    .way = static_cast<std::uint32_t>(facts.way),
                                                    .cells = static_cast<std::uint32_t>(facts.cells),
                                                    .first = facts.indices.first,
                                                    .n_values = facts.indices.size()});
  } else if (format == ValueFormat::kBytes) {
    bytes_.emplace(path);
  } else {
    text_.emplace(path);
    text_->write(report::similarity_head(facts, wanted == ValuesWanted::kBest));
  }
}

SimilarityTake SimilarityOutput::take() {
  return {.found =
              [this](std::span<const FoundValue> values) {
                text_->write(report::similarity_lines(facts_, values));
              },
          .best =
              [this](std::uint32_t vector, std::span<const FoundValue> values) {
                text_->write(report::best_lines(facts_, vector, values));
              },
          .every = [this](std::span<const double> values) { hdf5_->append(values); },
          .bytes =
              [this](std::span<const std::uint8_t> values) {
                bytes_->write({reinterpret_cast<const char*>(values.data()), values.size()});
              }};
}

void SimilarityOutput::commit() {
  if (text_) text_->commit();
  if (bytes_) bytes_->commit();
  if (hdf5_) hdf5_->finish();
}

}  // namespace fastid::cli
