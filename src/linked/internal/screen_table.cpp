#include "linked/internal/screen_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fastid::linked {
namespace {

constexpr double kLargestEmission = 0x1p60;
constexpr double kLargestGroup = 0x1p90;  // the product of a group's emissions, so that no float overflows
// The least change, even between sites at one place, so that neither state is ever lost to rounding.
constexpr double kLeastChange = 0x1p-20;

double emission_of(double ratio) {
  return ratio > 0 ? std::clamp(ratio, 1 / kLargestEmission, kLargestEmission) : 0;
}

std::vector<double> weights_of_sites(const LinkedModel& model) {
  std::vector<double> weights(model.sites().size(), 1);
  const stats::LinkageBlocks* const blocks = model.blocks();
  if (blocks == nullptr) return weights;
  std::vector<std::uint32_t> sizes(blocks->n_blocks());
  const auto visit = [&](const auto& act) {
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (const std::uint32_t block = blocks->block_of(model.sites()[s].site);
          block != stats::LinkageBlocks::kAlone)
        act(s, block);
  };
  visit([&](std::size_t, std::uint32_t block) { ++sizes[block]; });
  visit([&](std::size_t s, std::uint32_t block) { weights[s] = 1. / sizes[block]; });
  return weights;
}

/// [Seen of the query][Seen of the profile]
std::array<std::array<float, 4>, 4> emissions_at(const LinkedModel& model, std::size_t site, double weight) {
  std::array<std::array<float, 4>, 4> emissions;
  constexpr std::array kCopies{std::pair(kMajorSeen, 0), std::pair(kBothSeen, 1), std::pair(kMinorSeen, 2)};
  for (auto& of_query : emissions) of_query.fill(1);
  for (const auto& [seen, x] : kCopies)
    for (const auto& [other, y] : kCopies) {
      const double ratio =
          model.emission_of_one(site, static_cast<std::size_t>(x), static_cast<std::size_t>(y));
      emissions[seen][other] = static_cast<float>(emission_of(weight == 1 ? ratio : std::pow(ratio, weight)));
    }
  return emissions;
}

std::size_t sites_of_group(const engine::ScreenTable& table) {
  float largest = 2;
  for (const auto& of_site : table.emissions)
    for (const auto& of_query : of_site) largest = std::max(largest, std::ranges::max(of_query));
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::log2(kLargestGroup) / std::log2(double{largest})), 1,
      engine::kMostSitesOfGroup);
}

void add_steps(const LinkedModel& model, std::span<const std::uint32_t> places, engine::ScreenTable& table) {
  constexpr double k = engine::kScreenShare;
  const std::size_t most = sites_of_group(table);
  double one_before = 1, norm = 1;
  for (std::size_t s = 0; s < model.sites().size(); ++s) {
    const double left = screen_change(model.recombination()[s]);
    const double a = 1 - left * k, b = left * (1 - k) / a, c = left * k / a, g = (1 - left + left * k) / a;
    const std::uint32_t site = places[s];
    table.steps.push_back({.from_one = static_cast<float>(b * one_before),
                           .stays = static_cast<float>(g * one_before / c),
                           .odd = site % 2,
                           .even = static_cast<std::uint32_t>(site % kWordBits) / 2 * 2});
    if (table.groups.empty() || table.groups.back().word != site / kWordBits ||
        table.groups.back().n_sites == most) {
      table.groups.push_back({.word = site / kWordBits, .first = s});
      norm = 1;
    }
    engine::ScreenGroup& group = table.groups.back();
    ++group.n_sites;
    group.norm = static_cast<float>(norm *= a);
    group.one = static_cast<float>(c);
    one_before = c;
  }
}

}  // namespace

double screen_change(double recombination) {
  return std::max(kLeastChange, 1 - std::pow(1 - 2 * recombination, engine::kScreenRate / 2));
}

engine::ScreenTable screen_table(const LinkedModel& model, std::span<const std::uint32_t> places) {
  engine::ScreenTable table;
  const std::vector<double> weights = weights_of_sites(model);
  for (std::size_t s = 0; s < weights.size(); ++s)
    table.emissions.push_back(emissions_at(model, s, weights[s]));
  add_steps(model, places, table);
  return table;
}

std::vector<std::array<float, 4>> own_emissions(const LinkedModel& model, const SampleLikelihoods& sample) {
  const std::vector<double> weights = weights_of_sites(model);
  constexpr std::array kSeenOf{kMajorSeen, kBothSeen, kMinorSeen};  // of so many copies
  std::vector<std::array<float, 4>> all;
  for (const auto& by_copies : model.emissions_of(sample).one) {
    std::array<float, 4>& of_site = all.emplace_back();
    of_site.fill(1);
    const double weight = weights[all.size() - 1];
    for (std::size_t y = 0; y < kSeenOf.size(); ++y) {
      const double ratio = by_copies[y];
      of_site[kSeenOf[y]] = static_cast<float>(emission_of(weight == 1 ? ratio : std::pow(ratio, weight)));
    }
  }
  return all;
}

}  // namespace fastid::linked
