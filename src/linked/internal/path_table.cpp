#include "linked/internal/path_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linked/internal/screen_table.hpp"

namespace fastid::linked {
namespace {

// log10 of how far the likeliest path may lie below the sum of all paths where every site is called. Of 7,313
// simulated relatives of the fifth degree whose chain reached 10^4, all sites called (1,141 at 3,010 sites,
// 2,988 at 3,925, 3,184 at 9,913), none lay lower by more than 3.
constexpr double kPathSlack = 4.5;
// Where sites are missing it may lie lower: by 10^7.5 for a simulated pair with 70 % of 3,080 sites compared,
// where the missing share of the price of no stretch was 10^2. So each missing site counts three times, and
// no pair that lacks more than a fifth is tested.
constexpr double kOfMissing = 3;
constexpr std::size_t kMostMissing = 5;

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

/// A step's sites: their emissions, and P(no change since the step before).
struct StepSites {
  double stays = 1;
  std::size_t n = 0;
  std::array<std::array<const SiteEmissions*, 2>, engine::kStepScores> emissions{};
};

std::vector<StepSites> sites_of_steps(const engine::ScreenTable& table, const LinkedModel& model,
                                      std::span<const std::uint32_t> places,
                                      std::span<const engine::PathUnit> units) {
  constexpr std::size_t kSteps = engine::kUnitScores / engine::kStepScores,
                        kSites = engine::kUnitSites / kSteps;
  std::vector<StepSites> steps(units.size() * kSteps);
  std::size_t unit = 0;
  for (std::size_t s = 0; s < places.size(); ++s) {
    const std::size_t word = places[s] / kWordBits, byte = places[s] % kWordBits / engine::kUnitSites;
    while (unit < units.size() && (units[unit].word != word || units[unit].byte != byte)) ++unit;
    if (unit == units.size()) throw std::logic_error("a model's sites are not in the order of packed ones");
    StepSites& step = steps[unit * kSteps + places[s] % engine::kUnitSites / kSites];
    step.stays *= 1 - screen_change(model.recombination()[s]);
    step.emissions[places[s] % kSites / 2][places[s] % 2] = &table.emissions[s];
    ++step.n;
  }
  return steps;
}

/// \param shift  log10, added to every score
std::array<engine::PathScores, engine::kPairCodes> scores_of(const std::array<const SiteEmissions*, 2>& sites,
                                                             double shift) {
  std::array<engine::PathScores, engine::kPairCodes> scores{};
  for (std::size_t query = 0; query < engine::kPairCodes; ++query)
    for (std::size_t other = 0; other < engine::kPairCodes; ++other) {
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

engine::PathTable path_table(const engine::ScreenTable& table, const LinkedModel& model,
                             std::span<const std::uint32_t> places, std::span<const engine::PathUnit> units,
                             double min_log10) {
  constexpr double k = engine::kScreenShare;
  engine::PathTable path;
  double without = 0;  // log10 of the path without a stretch
  for (const StepSites& step : sites_of_steps(table, model, places, units)) {
    path.bounds.emplace_back();
    if (step.n == 0) {
      path.scores.resize(path.scores.size() + engine::kStepScores);
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

}  // namespace fastid::linked
