/// \file
/// Profiles, and random chains of two states along their sites, for tests that hold engines to ratios that
/// are taken site by site.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/screen_count.hpp"
#include "support/drawn_people.hpp"

namespace fastid::testing {

class ScreenWorld final : public DrawnPeople {
 public:
  explicit ScreenWorld(const DrawnSize& size) : DrawnPeople(size) {
    for (std::size_t i = 0; i < size.n_tables; ++i) add_table();
  }

  engine::PairCounts expected(std::size_t query, std::size_t profile) const {
    engine::PairCounts counts{0, 1, 0};
    const std::vector<Seen>&q = seen_of_query(query), &p = seen_[profile];
    for (std::size_t site = 0; site < q.size(); ++site)
      counts.compared += q[site] != kNoneSeen && p[site] != kNoneSeen ? 1 : 0;
    for (const engine::ScreenTable& table : tables)
      counts.count = std::max(counts.count, count_by(table, q, p));
    return counts;
  }
  std::uint32_t expected(const engine::ScreenTable& table, std::size_t query, std::size_t profile) const {
    return count_by(table, seen_of_query(query), seen_[profile]);
  }

  /// Of a query at each of a table's sites, by what a profile shows.
  std::vector<const float*> emissions_of(const engine::ScreenTable& table, std::size_t query) const {
    std::vector<const float*> emissions;
    for (const engine::ScreenGroup& group : table.groups)
      for (std::size_t s = group.first; s < group.first + group.n_sites; ++s) {
        const std::size_t site = group.word * 32 + table.steps[s].odd + table.steps[s].even;
        emissions.push_back(table.emissions[s][seen_of_query(query)[site]].data());
      }
    return emissions;
  }

  /// The middle of all counts.
  std::uint32_t middle_count() const {
    std::vector<std::uint32_t> all;
    for (std::size_t query = 0; query < queries.n_rows(); ++query)
      for (std::size_t profile = 0; profile < seen_.size(); ++profile)
        all.push_back(expected(query, profile).count);
    std::ranges::sort(all);
    return all[all.size() / 2];
  }

 private:
  float share() { return static_cast<float>(up_to(4095)) / 4096; }

  /// 2^30 less the ratio's power of two in 12 bits, and the first 12 bits of what is left of it.
  static std::uint32_t count_by(const engine::ScreenTable& table, const std::vector<Seen>& q,
                                const std::vector<Seen>& p) {
    float none = 15.F / 16, one = 1.F / 16;
    int power = 0;
    for (const engine::ScreenGroup& group : table.groups) {
      for (std::size_t s = group.first; s < group.first + group.n_sites; ++s) {
        const engine::ScreenStep& step = table.steps[s];
        const std::size_t site = group.word * 32 + step.odd + step.even;
        const float before = none;
        none += step.from_one * one;
        one = (before + step.stays * one) * table.emissions[s][q[site]][p[site]];
      }
      int of_sum = 0;
      std::frexp(none + group.one * one, &of_sum);
      const float scale = std::ldexp(group.norm, 1 - of_sum);
      none *= scale;
      one *= scale;
      power += of_sum - 1;
    }
    int of_sum = 0;
    const float fraction = 2 * std::frexp(none + table.groups.back().one * one, &of_sum);
    const int place = (power + of_sum - 1) * 4096 + static_cast<int>(std::floor((fraction - 1) * 4096));
    return static_cast<std::uint32_t>((1 << 30) - place);
  }

  /// Of sites in their order, of which every seventh is left out.
  void add_table() {
    engine::ScreenTable table;
    const std::size_t most = tables.empty() ? 16 : 5;  // sites of a group
    for (std::uint32_t site = 0; site < blocks.shape().n_sites; ++site) {
      if (site % 7 == 5) continue;
      std::array<std::array<float, 4>, 4> emissions;
      for (std::size_t i = 0; i < 16; ++i)
        emissions[i / 4][i % 4] = i / 4 == 0 || i % 4 == 0 ? 1 : up_to(5) == 0 ? 0 : .25F + 2 * share();
      table.emissions.push_back(emissions);
      if (table.groups.empty() || table.groups.back().word != site / 32 ||
          table.groups.back().n_sites == most)
        table.groups.push_back({.word = site / 32, .first = table.steps.size()});
      table.steps.push_back(
          {.from_one = share() / 8, .stays = .5F + share(), .odd = site % 2, .even = site % 32 / 2 * 2});
      engine::ScreenGroup& group = table.groups.back();
      ++group.n_sites;
      group.norm = .5F + share() / 2;
      group.one = .01F + share() / 16;
    }
    tables.push_back(std::move(table));
  }

 public:
  std::vector<engine::ScreenTable> tables;
};

/// The count of a world's pairs.
class WorldsScreen final : public engine::ScreenCount {
 public:
  explicit WorldsScreen(const ScreenWorld& world) : world_(world) {}
  /// What engines are asked; this object must outlive it.
  engine::Problem problem() const {
    return {
        engine::Comparison::kKinship, &world_.queries, world_.blocks.shape(), true, Encoding::kAlleles, this};
  }
  std::vector<const engine::ScreenTable*> tables() const override {
    std::vector<const engine::ScreenTable*> all;
    for (const engine::ScreenTable& table : world_.tables) all.push_back(&table);
    return all;
  }
  std::unique_ptr<engine::Engine> make_engine(std::size_t) const override {
    return engine::make_reference_engine({});
  }
  engine::PairCounts count_pair(std::size_t query, const BlocksView& view,
                                std::uint64_t profile) const override {
    return engine::screen_pair(tables(), world_.queries.row(query), view, profile);
  }

 private:
  const ScreenWorld& world_;
};

}  // namespace fastid::testing
