#include "questions/similarity/print.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/json.hpp"

namespace fastid::similarity {
namespace {

constexpr char kMembers[] = "abc";

/// Turns indices into combinations; neighbouring ones quickly.
class Cursor {
 public:
  explicit Cursor(std::size_t way) : way_(way) {}

  const engine::Members& at(std::uint64_t combination) {
    if (combination == at_ + 1)
      step();
    else if (combination != at_)
      members_ = engine::members_of(combination, way_);
    at_ = combination;
    return members_;
  }

 private:
  /// The first member that can be raised is, and those before it begin anew.
  void step() {
    std::size_t m = 0;
    while (m + 1 < way_ && members_[m] + 1 == members_[m + 1]) {
      members_[m] = static_cast<std::uint32_t>(m);
      ++m;
    }
    ++members_[m];
  }

  std::size_t way_;
  std::uint64_t at_ = UINT64_MAX - 1;
  engine::Members members_{};
};

const char* allele_of(const match::SimilarityFacts& facts, const match::FoundValue& value,
                      std::size_t member) {
  return (value.index % facts.cells >> (facts.way - 1 - member) & 1) != 0 ? "minor" : "major";
}

void add_value(const match::SimilarityFacts& facts, Cursor& cursor, const match::FoundValue& value,
               std::string& text) {
  const engine::Members& members = cursor.at(value.index / facts.cells);
  const auto to = std::back_inserter(text);
  for (std::size_t m = 0; m < facts.way; ++m) fmt::format_to(to, "{}\t", facts.names[members[m]]);
  if (facts.metric == engine::SimilarityMetric::kCcc)
    for (std::size_t m = 0; m < facts.way; ++m) fmt::format_to(to, "{}\t", allele_of(facts, value, m));
  fmt::format_to(to, "{}\n", value.value);
}

/// The end of an object, from the members on.
void add_json(const match::SimilarityFacts& facts, Cursor& cursor, const match::FoundValue& value,
              std::string& text) {
  const engine::Members& members = cursor.at(value.index / facts.cells);
  const auto to = std::back_inserter(text);
  for (std::size_t m = 0; m < facts.way; ++m)
    fmt::format_to(to, "\"{}_{}\":{},", facts.vector, kMembers[m], Json(facts.names[members[m]]).dump());
  if (facts.metric == engine::SimilarityMetric::kCcc)
    for (std::size_t m = 0; m < facts.way; ++m)
      fmt::format_to(to, "\"allele_{}\":\"{}\",", kMembers[m], allele_of(facts, value, m));
  fmt::format_to(to, "\"value\":{}}}\n", Json(value.value).dump());
}

}  // namespace

std::string similarity_head(const match::SimilarityFacts& facts, bool of_each) {
  std::string head = of_each ? facts.vector + "\trank\t" : "";
  for (std::size_t m = 0; m < facts.way; ++m) head += fmt::format("{}_{}\t", facts.vector, kMembers[m]);
  for (std::size_t m = 0; m < facts.way && facts.cells > 1; ++m)
    head += fmt::format("allele_{}\t", kMembers[m]);
  return head + "value\n";
}

std::string similarity_lines(const match::SimilarityFacts& facts, std::span<const match::FoundValue> values,
                             bool json) {
  std::string text;
  Cursor cursor(facts.way);
  for (const match::FoundValue& value : values) {
    if (json) text += '{';
    json ? add_json(facts, cursor, value, text) : add_value(facts, cursor, value, text);
  }
  return text;
}

std::string best_lines(const match::SimilarityFacts& facts, std::uint32_t vector,
                       std::span<const match::FoundValue> values, bool json) {
  std::string text;
  Cursor cursor(facts.way);
  const std::string name =
      json ? fmt::format("{{\"{}\":{},\"rank\":", facts.vector, Json(facts.names[vector]).dump())
           : facts.names[vector] + '\t';
  std::size_t rank = 0;
  for (const match::FoundValue& value : values) {
    fmt::format_to(std::back_inserter(text), "{}{}{}", name, ++rank, json ? ',' : '\t');
    json ? add_json(facts, cursor, value, text) : add_value(facts, cursor, value, text);
  }
  return text;
}

}  // namespace fastid::similarity
