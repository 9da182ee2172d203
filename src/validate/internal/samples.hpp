/// \file
/// Samples of simulated people, made apart from `fastid db simulate`: read badly, read in part, mixed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bits/rows.hpp"
#include "panel/panel.hpp"
#include "simulate/people.hpp"
#include "simulate/random.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {

/// Minor copies of one person, for each site: 0, 1, 2, an only copy counting twice; kNoCopy where the person
/// has none.
using Genotype = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kNoCopy = 3;

/// The person in a row of a simulated database (without errors, relatives and populations, by people_of()),
/// and a person who is not in it.
Genotype stored_person(const simulate::People& people, std::uint64_t row);
Genotype absent_person(const simulate::People& people, std::uint64_t i);
simulate::People people_of(const Panel& panel, const std::vector<double>& minor_freq, std::uint64_t seed);

/// The sites that a sample is typed at: `n` evenly spaced autosomal sites; n = 0: all sites of the panel.
std::vector<bool> typed_sites(const SiteClasses& classes, std::uint32_t n);

/// What is seen of a person at each site; kNoneSeen where nothing is seen.
using Sample = std::vector<Seen>;
Sample observed(const Genotype& person, const SiteClasses& classes, const Damage& damage,
                simulate::Stream& stream);

/// The samples as rows, with the autosomal sites, which evidence counts.
ProfileRows rows_of(const std::vector<Sample>& samples, const SiteClasses& classes);

/// Reads of the major and the minor allele at each site.
struct Reads {
  std::vector<std::uint32_t> major, minor;
};

/// `depth` reads a site of people mixed by shares that add up to 1; each read shows the other allele with
/// probability `error`.
Reads mixed_reads(const std::vector<Genotype>& people, const std::vector<double>& shares, std::uint32_t depth,
                  double error, simulate::Stream& stream);

/// VCFs of named samples on the panel's sites: by genotype, or by allele depths (AD).
void write_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
               const std::vector<Sample>& samples);
void write_depth_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
                     const std::vector<Reads>& samples);
/// Writes VCFs by genotype likelihoods (PL) of reads with this base error, without calls.
void write_likelihood_vcf(const std::string& path, const Panel& panel, const std::vector<std::string>& names,
                          const std::vector<Reads>& samples, double error);

/// [0, 1, 2 minor copies]: phred-scaled likelihoods of a site's reads; the best is 0.
std::array<std::uint32_t, 3> phred_of(std::uint32_t major, std::uint32_t minor, double error);

/// "prefix-001" and on.
std::vector<std::string> numbered(const std::string& prefix, std::size_t n);

}  // namespace fastid::validate
