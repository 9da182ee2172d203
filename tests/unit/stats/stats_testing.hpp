// What the tests of stats share: rows from text, models of a few sites, random numbers with fixed seeds.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/identity_model.hpp"
#include "stats/population_model.hpp"
#include "stats/shown.hpp"
#include "stats/stain.hpp"

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

/// One profile's alleles; '0', '1', '2' for the number of minor copies (of a mixture: major only, both, minor
/// only), '-' where neither allele is seen.
class AllelesSeen {
 public:
  explicit AllelesSeen(std::size_t n_sites)
      : rows_(1, static_cast<std::uint32_t>(n_sites), Encoding::kAlleles) {}
  explicit AllelesSeen(std::string_view text) : AllelesSeen(text.size()) {
    for (std::size_t site = 0; site < text.size(); ++site)
      if (text[site] != '-') set(site, static_cast<Shown>(text[site] - '0'));
  }
  void set(std::size_t site, Shown shown) {
    constexpr std::array seen{kMajorSeen, kBothSeen, kMinorSeen};
    if (shown != kNeither) rows_.set_seen(0, static_cast<std::uint32_t>(site), seen[shown]);
  }
  RowView row() const { return rows_.row(0); }
  operator RowView() const { return row(); }
  operator Stain() const { return row(); }

 private:
  ProfileRows rows_;
};

inline PopulationModel model_of(const std::vector<double>& freq, double theta = 0,
                                double error_rate = 0.005) {
  return PopulationModel("test", freq, {theta, error_rate});
}

inline PopulationModel uniform_model(std::size_t n_sites, double q, double theta = 0) {
  return model_of(std::vector<double>(n_sites, q), theta);
}

inline IdentityModel by_bits(const PopulationModel& model) {
  return {model, Encoding::kMinor};
}
inline IdentityModel by_alleles(const PopulationModel& model) {
  return {model, Encoding::kAlleles};
}

/// A mixture of so many people with this drop-out each.
inline StainParameters given(unsigned n, double drop_out, double drop_in = .005) {
  return {.least = n, .most = n, .estimated = false, .drop_outs = {drop_out}, .drop_in = drop_in};
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
  int minor() const { return first + second; }
  bool one(std::mt19937_64& rng) const { return chance(0.5, rng) ? first : second; }
};
inline Alleles person(double q, std::mt19937_64& rng) {
  return {chance(q, rng), chance(q, rng)};
}

/// Two people so related, in a population of this frequency.
inline std::pair<Alleles, Alleles> relatives(Relation relation, double q, std::mt19937_64& rng) {
  const Alleles mother = person(q, rng), father = person(q, rng), stranger = person(q, rng);
  const Alleles child{mother.one(rng), father.one(rng)}, sibling{mother.one(rng), father.one(rng)};
  switch (relation) {
    case Relation::kSame:
      return {child, child};
    case Relation::kParentChild:
      return {mother, child};
    case Relation::kSibling:
      return {child, sibling};
    case Relation::kHalfSibling:
      return {child, {mother.one(rng), stranger.one(rng)}};
    case Relation::kCousin: {
      const Alleles other = person(q, rng);
      return {{child.one(rng), stranger.one(rng)}, {sibling.one(rng), other.one(rng)}};
    }
    case Relation::kUnrelated:
      break;
  }
  return {mother, father};
}

/// Each allele is read as the other with probability w.
inline bool read(const Alleles& alleles, double w, std::mt19937_64& rng) {
  return (alleles.first != chance(w, rng)) | (alleles.second != chance(w, rng));
}

/// The minor copies that are read, each allele as the other one with probability w.
inline Shown read_genotype(const Alleles& alleles, double w, std::mt19937_64& rng) {
  return static_cast<Shown>((alleles.first != chance(w, rng)) + (alleles.second != chance(w, rng)));
}

/// A stain of people at sites of these frequencies, by alleles.
inline AllelesSeen stain_of(const std::vector<std::vector<Alleles>>& people,
                            std::span<const double> drop_outs, std::mt19937_64& rng) {
  AllelesSeen stain(people.front().size());
  for (std::size_t site = 0; site < people.front().size(); ++site) {
    bool minor = chance(.002, rng), major = chance(.002, rng);
    for (std::size_t i = 0; i < people.size(); ++i)
      for (const bool copy : {people[i][site].first, people[i][site].second})
        if (!chance(drop_outs[i], rng)) (copy ? minor : major) = true;
    stain.set(site, minor ? major ? kBothAlleles : kMinorOnly : major ? kMajorOnly : kNeither);
  }
  return stain;
}

inline AllelesSeen profile_of(const std::vector<Alleles>& person) {
  AllelesSeen profile(person.size());
  for (std::size_t site = 0; site < person.size(); ++site)
    profile.set(site, static_cast<Shown>(person[site].minor()));
  return profile;
}

/// Half a unit of the fourth digit, in which tables of vectors are printed.
inline constexpr double kDigits4 = 5.0001e-5;

/// For property tests: from 0 to 1, both ends too, and a minor allele's frequency, from 0.0001 to 0.5.
inline double fraction() {
  return *rc::gen::inRange(0, 10001) / 10000.;
}
inline double minor_frequency() {
  return *rc::gen::inRange(1, 5001) / 10000.;
}
inline std::pair<double, double> ordered(double a, double b) {
  return std::minmax({a, b});
}

/// A share of `draws` within three standard errors of its probability.
inline void expect_share(std::size_t seen, std::size_t draws, double probability) {
  const auto n = static_cast<double>(draws);
  EXPECT_NEAR(static_cast<double>(seen) / n, probability, 3 * std::sqrt(probability * (1 - probability) / n));
}

}  // namespace fastid::stats::testing
