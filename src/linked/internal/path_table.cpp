#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linked/internal/path_score.hpp"
#include "linked/internal/screen_table.hpp"

namespace fastid::linked {
namespace {

// log10: by so much the likeliest path may be less than the sum of all where every site is called. Of 7,313
// simulated relatives of the fifth degree whose chain reached 10^4, all sites called (1,141 at 3,010 sites,
// 2,988 at 3,925, 3,184 at 9,913), none was by more than 3.
constexpr double kPathSlack = 4.5;
// Where sites are missing it may be less by more: of a simulated pair with 70 % of 3,080 sites compared by
// 10^7.5, of which a third of what no stretch costs was 10^2. So each missing site counts three times, and no
// pair that lacks more than a fifth is tested.
constexpr double kOfMissing = 3;
constexpr std::size_t kMostMissing = 5;
constexpr Word kFirstPairs = 0x33333333;  // of each four sites

/// The codes of each two sites of a word, four bits each: the minor alleles of two sites, then the major
/// ones.
struct CodedWord {
  Word first, second;  ///< of the first two of each four sites, and of the other two

  CodedWord(Word minor, Word major)
      : first((minor & kFirstPairs) << 2 | (major & kFirstPairs)),
        second((minor & ~kFirstPairs) | (major & ~kFirstPairs) >> 2) {}

  std::array<std::uint8_t, kUnitScores> codes(std::uint32_t byte) const {
    const Word a = first >> 8 * byte, b = second >> 8 * byte;
    return {static_cast<std::uint8_t>(a & 15), static_cast<std::uint8_t>(b & 15),
            static_cast<std::uint8_t>(a >> 4 & 15), static_cast<std::uint8_t>(b >> 4 & 15)};
  }
};

std::size_t seen_in(std::size_t code, std::size_t site) {
  return (code >> (2 + site) & 1) << 1 | (code >> site & 1);
}

std::int8_t in_byte(double scaled) {
  return static_cast<std::int8_t>(std::clamp(std::round(scaled), -127., 127.));
}

std::uint32_t four_times(double log10) {
  return std::uint32_t{0x01010101} * static_cast<std::uint8_t>(in_byte(kPathScale * log10));
}

using SiteEmissions = std::array<std::array<float, 4>, 4>;  ///< as ScreenTable has them

/// What the sites of a step come to.
struct StepSites {
  double stays = 1;  ///< P(no change since the step before)
  std::size_t n = 0;
  std::array<std::array<const SiteEmissions*, 2>, kStepScores> emissions{};
};

std::vector<StepSites> sites_of_steps(const ScreenTable& table, const LinkedModel& model,
                                      std::span<const std::uint32_t> places,
                                      std::span<const PathUnit> units) {
  constexpr std::size_t kSteps = kUnitScores / kStepScores, kSites = kUnitSites / kSteps;
  std::vector<StepSites> steps(units.size() * kSteps);
  std::size_t unit = 0;
  for (std::size_t s = 0; s < places.size(); ++s) {
    const std::size_t word = places[s] / kWordBits, byte = places[s] % kWordBits / kUnitSites;
    while (unit < units.size() && (units[unit].word != word || units[unit].byte != byte)) ++unit;
    if (unit == units.size()) throw std::logic_error("a model's sites are not in the order of packed ones");
    StepSites& step = steps[unit * kSteps + places[s] % kUnitSites / kSites];
    step.stays *= 1 - screen_change(model.recombination()[s]);
    step.emissions[places[s] % kSites / 2][places[s] % 2] = &table.emissions[s];
    ++step.n;
  }
  return steps;
}

/// \param shift  log10, of every score
std::array<PathScores, kPathCodes> scores_of(const std::array<const SiteEmissions*, 2>& sites, double shift) {
  std::array<PathScores, kPathCodes> scores{};
  for (std::size_t query = 0; query < kPathCodes; ++query)
    for (std::size_t other = 0; other < kPathCodes; ++other) {
      double ratio = 1;
      for (std::size_t site = 0; site < 2; ++site)
        if (sites[site] != nullptr)
          ratio *= double{(*sites[site])[seen_in(query, site)][seen_in(other, site)]};
      scores[query][other] =
          ratio > 0 ? in_byte(kPathScale * (std::log10(ratio) + shift)) : std::int8_t{-127};
    }
  return scores;
}

}  // namespace

std::vector<PathUnit> path_units(std::span<const std::uint32_t> places) {
  std::vector<PathUnit> units;
  for (const std::uint32_t place : places) {
    const PathUnit unit{place / kWordBits, static_cast<std::uint32_t>(place % kWordBits / kUnitSites)};
    if (units.empty() || units.back().word != unit.word || units.back().byte != unit.byte)
      units.push_back(unit);
  }
  return units;
}

PathTable path_table(const ScreenTable& table, const LinkedModel& model,
                     std::span<const std::uint32_t> places, std::span<const PathUnit> units,
                     double min_log10) {
  constexpr double k = kScreenShare;
  PathTable path;
  double without = 0;  // log10 of the path without a stretch
  for (const StepSites& step : sites_of_steps(table, model, places, units)) {
    path.bounds.emplace_back();
    if (step.n == 0) {
      path.scores.resize(path.scores.size() + kStepScores);
      continue;
    }
    const double left = 1 - step.stays, ends = left < 1 ? kPathEnds * left : 1;
    const double stays_none = 1 - left * k, stays_one = 1 - left * (1 - k);
    path.bounds.back() = {.least = four_times(std::min(0., std::log10(ends * k / stays_one))),
                          .most = four_times(std::max(0., std::log10(stays_none / (ends * (1 - k)))))};
    path.scores.push_back(scores_of(step.emissions[0], std::log10(stays_one / stays_none)));
    path.scores.push_back(scores_of(step.emissions[1], 0));
    without += std::log10(stays_none);
  }
  const double least = kPathScale * (min_log10 - without - kPathSlack);
  path.least_score = static_cast<std::uint8_t>(std::clamp(std::ceil(least), 0., 255.));
  path.of_missing = static_cast<std::uint32_t>(
      std::ceil(0x1p16 * kPathScale * kOfMissing * -without / static_cast<double>(places.size())));
  path.most_missing = static_cast<std::uint32_t>(places.size() / kMostMissing);
  return path;
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
  for (std::size_t step = 0; step < codes.size(); ++step) scores.push_back(table.scores[step][codes[step]]);
  return scores;
}

void pack_paths(std::span<const PathUnit> units, const BlocksView& view, std::uint8_t* packed) {
  constexpr std::size_t kBlocks = kPathLanes / kLanes;
  const std::size_t block_words = view.shape.block_words(), group_bytes = packed_path_bytes(units.size());
  for (std::size_t block = 0; block < view.shape.n_blocks(); ++block) {
    std::uint8_t* to = packed + block / kBlocks * group_bytes + block % kBlocks * kLanes;
    for (const auto& [word, byte] : units) {
      const Word* const minor = view.bits + block * block_words + word * kLanes;
      const Word* const major = view.second + block * block_words + word * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const CodedWord coded(minor[lane], major[lane]);
        to[lane] = static_cast<std::uint8_t>(coded.first >> 8 * byte);
        to[kPathLanes + lane] = static_cast<std::uint8_t>(coded.second >> 8 * byte);
      }
      to += 2 * kPathLanes;
    }
  }
}

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
        const int least = static_cast<std::int8_t>(bounds.least & 255),
                  most = static_cast<std::int8_t>(bounds.most & 255);
        score = std::min(255, score + std::max(0, ratio - most));
        ratio = std::clamp(ratio, least, most);
      }
      ratio = std::clamp(ratio + query[at][codes[i]], -128, 127);
    }
  }
  return static_cast<std::uint8_t>(std::min(255, score + std::max(0, ratio)));
}

}  // namespace fastid::linked
