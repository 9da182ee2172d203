#include "engine/path_score.hpp"

#include <algorithm>

namespace fastid::engine {

std::vector<PathUnit> path_units(std::span<const std::uint32_t> places) {
  std::vector<PathUnit> units;
  for (const std::uint32_t place : places) {
    const PathUnit unit{place / kWordBits, static_cast<std::uint32_t>(place % kWordBits / kUnitSites)};
    if (units.empty() || units.back().word != unit.word || units.back().byte != unit.byte)
      units.push_back(unit);
  }
  return units;
}

std::vector<std::uint8_t> path_codes(std::span<const PathUnit> units, const RowView& row) {
  std::vector<std::uint8_t> codes;
  codes.reserve(units.size() * kUnitScores);
  for (const auto& [word, byte] : units) {
    const auto of_unit = CodedWord(row.bits[word], row.major[word]).codes(byte);
    codes.insert(codes.end(), of_unit.begin(), of_unit.end());
  }
  return codes;
}

std::vector<PathScores> path_scores(const PathTable& table, std::span<const std::uint8_t> codes) {
  std::vector<PathScores> scores;
  scores.reserve(codes.size());
  for (std::size_t at = 0; at < codes.size(); ++at) scores.push_back(table.scores[at][codes[at]]);
  return scores;
}

namespace {

int signed_byte(std::uint32_t word) {
  return static_cast<int>((word & 255) ^ 128) - 128;
}

}  // namespace

std::uint8_t plain_path_score(const PathTable& table, std::span<const PathUnit> units,
                              std::span<const PathScores> query, const BlocksView& view,
                              std::uint64_t profile) {
  int ratio = 0, score = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto& [word, byte] = units[unit];
    const auto codes = CodedWord(view.bits_word(profile, word), view.major_word(profile, word)).codes(byte);
    for (std::size_t i = 0; i < kUnitScores; ++i) {
      const std::size_t at = unit * kUnitScores + i;
      if (at % kStepScores == 0) {
        const PathTable::Bounds& bounds = table.bounds[at / kStepScores];
        const int least = signed_byte(bounds.least), most = signed_byte(bounds.most);
        score = std::min(255, score + std::max(0, ratio - most));
        ratio = std::clamp(ratio, least, most);
      }
      ratio = std::clamp(ratio + query[at][codes[i]], -128, 127);
    }
  }
  return static_cast<std::uint8_t>(std::min(255, score + std::max(0, ratio)));
}

}  // namespace fastid::engine
