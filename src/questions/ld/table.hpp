/// \file
/// What `fastid ld` finds: pairs of sites that go together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ld.hpp"
#include "panel/panel.hpp"

namespace fastid::ld {

/// A pair of sites, by their places in the order of the genome.
struct SitePair {
  engine::LdPair sites;
  double r2 = 0;
  std::optional<double> d, d_prime;  ///< of haplotypes, or of the most probable ones
};

/// Sites first to last, in the order of the genome, that are linked.
struct SiteBlock {
  std::uint32_t first = 0, last = 0;

  friend bool operator==(const SiteBlock&, const SiteBlock&) = default;
};

/// The sites that were asked about, in the order of the genome.
struct SiteFacts {
  std::vector<Site> sites;
  std::vector<double> minor_share;      ///< of the copies that are called
  std::vector<double> called_share;     ///< of the people or haplotypes
  std::vector<Population> populations;  ///< frequencies of the panel, in the sites' order
  GenomeBuild build = GenomeBuild::kUnknown;
  engine::LdUnit unit = engine::LdUnit::kGenotypes;
  std::uint32_t n_units = 0;  ///< people or haplotypes
  bool carriers = false;      ///< a person is counted as a haplotype is: with a minor allele, or without

  /// What is correlated: "haplotypes", "genotypes", "carriers".
  std::string_view what() const {
    if (carriers) return "carriers";
    return unit == engine::LdUnit::kHaplotypes ? "haplotypes" : "genotypes";
  }
  /// What n_units counts.
  std::string_view unit_name() const { return what() == "haplotypes" ? "haplotype" : "profile"; }
};

}  // namespace fastid::ld
