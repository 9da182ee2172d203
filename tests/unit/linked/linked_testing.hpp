// What the tests of linked share: genotypes from text, sites on a made-up map.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bits/rows.hpp"
#include "linked/linked_model.hpp"
#include "stats/population_model.hpp"

namespace fastid::linked::testing {

/// People by their minor copies; -1: not called.
using Genotypes = std::vector<std::vector<int>>;

inline ProfileRows rows_of_people(const Genotypes& people) {
  ProfileRows rows(people.size(), static_cast<std::uint32_t>(people[0].size()), Encoding::kAlleles);
  constexpr std::array seen{kMajorSeen, kBothSeen, kMinorSeen};
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t s = 0; s < people[i].size(); ++s)
      if (people[i][s] >= 0) rows.set_seen(i, s, seen[static_cast<std::size_t>(people[i][s])]);
  return rows;
}

/// Sites of chromosomes "1", "2", ..., so many on each, with random distances.
struct MadeSites {
  std::vector<MappedSite> sites;
  std::vector<double> freq;
  std::size_t size() const { return sites.size(); }
};

inline MadeSites made_sites(std::size_t chromosomes, std::size_t on_each, double mean_cm,
                            std::mt19937_64& rng) {
  static const std::array<std::string, 22> kNames{"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                                  "9",  "10", "11", "12", "13", "14", "15", "16",
                                                  "17", "18", "19", "20", "21", "22"};
  std::exponential_distribution<double> distance(1 / mean_cm);
  std::uniform_real_distribution<double> freq(.02, .5);
  MadeSites made;
  for (std::size_t c = 0; c < chromosomes; ++c) {
    double cm = 0;
    for (std::size_t s = 0; s < on_each; ++s) {
      const auto site = static_cast<std::uint32_t>(made.size());
      made.sites.push_back({site, kNames[c], site + 1, cm += distance(rng)});
      made.freq.push_back(freq(rng));
    }
  }
  return made;
}

inline std::vector<int> random_genotypes(std::size_t sites, double not_called, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform;
  std::uniform_int_distribution<int> copies(0, 2);
  std::vector<int> genotypes;
  for (std::size_t s = 0; s < sites; ++s) genotypes.push_back(uniform(rng) < not_called ? -1 : copies(rng));
  return genotypes;
}

inline LinkedModel model_of_sites(const MadeSites& made, double theta = .01, double w = .005) {
  return {stats::PopulationModel("test", made.freq, {theta, w}), made.sites, all_relations()};
}

/// All weight on one relation.
inline Weights weight_on(Relation relation) {
  Weights weights{};
  weights[static_cast<std::size_t>(relation)] = 1;
  return weights;
}

/// Of one pair.
inline std::vector<SharedAlleles> shared_of(const LinkedModel& model, const RowView& first,
                                            const RowView& second, const Weights& weights) {
  return model.shared(first, {&second, 1}, {&weights, 1}).front();
}

}  // namespace fastid::linked::testing
