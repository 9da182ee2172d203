// What the tests of stats share: rows from text, models of a few sites, random numbers with fixed seeds.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "bits/rows.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats::testing {

/// One row a text; '1', '0', and '-' for a site that is not called.
inline ProfileRows rows_of(std::initializer_list<std::string_view> texts) {
  ProfileRows rows(texts.size(), static_cast<std::uint32_t>(texts.begin()->size()));
  std::size_t row = 0;
  for (const std::string_view text : texts) {
    for (std::uint32_t site = 0; site < text.size(); ++site)
      if (text[site] != '-') rows.set(row, site, text[site] == '1');
    ++row;
  }
  return rows;
}

inline PopulationModel model_of(const std::vector<double>& freq, double theta = 0,
                                double error_rate = 0.005) {
  return PopulationModel("test", freq, {theta, error_rate});
}

inline PopulationModel uniform_model(std::size_t n_sites, double q, double theta = 0) {
  return model_of(std::vector<double>(n_sites, q), theta);
}

/// Frequencies between 0.02 and 0.5.
inline std::vector<double> random_frequencies(std::size_t n, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> between(0.02, 0.5);
  std::vector<double> freq(n);
  for (double& q : freq) q = between(rng);
  return freq;
}

/// True with this probability.
inline bool chance(double probability, std::mt19937_64& rng) {
  return std::uniform_real_distribution<double>()(rng) < probability;
}

/// Both alleles of a person, true for the minor one.
struct Alleles {
  bool first = false, second = false;
  bool carrier() const { return first || second; }
  bool one(std::mt19937_64& rng) const { return chance(0.5, rng) ? first : second; }
};
inline Alleles person(double q, std::mt19937_64& rng) {
  return {chance(q, rng), chance(q, rng)};
}

/// Each allele is read as the other with probability w.
inline bool read(const Alleles& alleles, double w, std::mt19937_64& rng) {
  return (alleles.first != chance(w, rng)) | (alleles.second != chance(w, rng));
}

/// A share of `draws` within three standard errors of its probability.
inline void expect_share(std::size_t seen, std::size_t draws, double probability) {
  const auto n = static_cast<double>(draws);
  EXPECT_NEAR(static_cast<double>(seen) / n, probability, 3 * std::sqrt(probability * (1 - probability) / n));
}

}  // namespace fastid::stats::testing
