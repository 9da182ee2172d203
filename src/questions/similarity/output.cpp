#include "questions/similarity/output.hpp"

#include <algorithm>

#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "questions/similarity/print.hpp"

namespace fastid::similarity {
namespace {

/// Bytes that a value takes at least.
double bytes_of_value(ValueFormat format, const match::SimilarityFacts& facts, bool in_part) {
  if (format == ValueFormat::kBytes) return 1;
  if (format == ValueFormat::kHdf5) return sizeof(double);
  if (in_part) return sizeof(match::FoundValue);
  std::size_t shortest = facts.names.empty() ? 0 : facts.names[0].size();
  for (const std::string& name : facts.names) shortest = std::min(shortest, name.size());
  constexpr std::size_t kAllele = 6, kNumber = 2;  // "minor", "0", and what separates them
  const std::size_t member = shortest + 1 + (facts.metric == engine::SimilarityMetric::kCcc ? kAllele : 0);
  return static_cast<double>(facts.way * member + kNumber);
}

}  // namespace

const char* name_of(engine::SimilarityMetric metric) {
  switch (metric) {
    case engine::SimilarityMetric::kSorensen:
      return "sorensen";
    case engine::SimilarityMetric::kCzekanowski:
      return "czekanowski";
    case engine::SimilarityMetric::kCcc:
      break;
  }
  return "ccc";
}

void check_values_fit(const std::string& path, ValueFormat format, const SimilarityOptions& options,
                      const match::SimilarityFacts& facts, const std::optional<Shard>& shard,
                      double bytes_of_sums) {
  if (shard && options.split == Split::kElements) {  // whatever is wanted of the values
    const std::uint64_t n = facts.indices.size() / facts.cells;
    check_room(path, bytes_of_sums, "sums of " + counted(n, facts.way == 2 ? "pair" : "triple"),
               "cut into --stages, leave --split out, or write where there is room");
    return;
  }
  const bool all = !is_text(format) || (options.wanted == ValuesWanted::kFound && !options.threshold);
  if (!all || options.wanted == ValuesWanted::kNone) return;
  const std::uint64_t values = shard ? share_of(facts.indices.size(), *shard).size() : facts.indices.size();
  double bytes = static_cast<double>(values) * bytes_of_value(format, facts, shard.has_value());
  if (is_text(format) && !shard && imports::name_of_text(path) != ascii_lower(path)) bytes /= kMostCompressed;
  check_room(path, bytes, counted(values, "value"),
             shard ? "cut into more shards or --stages, or write where there is room"
                   : "choose by --threshold or --best, cut into --stages, or write where there is room");
}

cli::WrittenFile values_file(const std::string& output, ValueFormat format) {
  if (format == ValueFormat::kHdf5) return {"-o", output, false, cli::Content::kMatrix};
  return {"-o", output};
}

SimilarityOutput::SimilarityOutput(const std::string& path, ValueFormat format, ValuesWanted wanted,
                                   const match::SimilarityFacts& facts)
    : facts_(facts), json_(format == ValueFormat::kJsonLines) {
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
    if (!json_) text_->begin_with(fastid::similarity::similarity_head(facts, wanted == ValuesWanted::kBest));
  }
}

SimilarityTake SimilarityOutput::take() {
  return {.found =
              [this](std::span<const match::FoundValue> values) {
                text_->write(similarity_lines(facts_, values, json_));
              },
          .best =
              [this](std::uint32_t vector, std::span<const match::FoundValue> values) {
                text_->write(best_lines(facts_, vector, values, json_));
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

}  // namespace fastid::similarity
