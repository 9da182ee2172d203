/// \file
/// What a panel can prove, before any search, for a typical query: a random person of the population with
/// every site called.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "stats/internal/identity.hpp"
#include "stats/mixture.hpp"

namespace fastid::stats {

struct PanelPower {
  /// Largest mismatch limit with an expected number of chance matches of at most `max_expected`, in a
  /// database of n_profiles unrelated people: two random people differ at a site with probability 2c(1-c)
  /// (for theta 0; for a larger theta by the sampling formula, genotype.hpp). No value where even at 0
  /// mismatches more are expected: the panel cannot identify a person among so many.
  std::optional<std::uint32_t> mismatch_limit;
  double log10_expected_at_0 = 0;      ///< log10 of the expected number of chance matches at 0 mismatches
  double log10_match_probability = 0;  ///< that two random people have the same bits at all sites
  Expected same, parent_child, siblings, unrelated;  ///< mismatches
  /// The highest number of contributors with which a mixture is still expected to show all minor alleles of
  /// at most one unrelated profile: n_profiles * prod(1 - (1-c)^n c) <= 1 (theta 0), in [1,
  /// kMostContributors]; 0 where even one contributor is too many.
  unsigned max_contributors = 0;
  /// [n - 1]: log10 of the probability that a mixture of n others shows all minor alleles of a random person.
  std::array<double, kMostContributors> log10_all_shown{};
};

/// The mean log10 ratio of "the same person" to "unrelated" for two readings of one person at a site, by
/// alleles. 0 where q is 0 or 1.
double site_power(double q, const Parameters& parameters = {});

PanelPower panel_power(const PopulationModel& model, std::uint64_t n_profiles, double max_expected = 0.01);

}  // namespace fastid::stats
