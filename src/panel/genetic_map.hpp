/// \file
/// The genetic map: how far apart two places of a chromosome are in centimorgans, so how often they are not
/// inherited together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid {

/// Morgans for each base where there is no map: 1.2 cM a Mb. Source: of X in women, C. Flaquer et al.,
/// European Journal of Human Genetics 16 (2008); the autosomes' mean is the same.
inline constexpr double kMorgansABase = 1.2e-8;

/// The probability that a meiosis passes on different copies at two places so many Morgans apart, if
/// crossovers are independent: (1 - exp(-2 d)) / 2. \param morgans  at least 0
///
/// Source. J. B. S. Haldane, The combination of linkage values, Journal of Genetics 8 (1919).
double recombination(double morgans);

class GeneticMap {
 public:
  /// No chromosome is mapped: all have kMorgansABase.
  GeneticMap() = default;

  /// A text with a header line of tab-separated chrom, pos and cM, then a line for each point. Positions rise
  /// along a chromosome, cM (from any start) never fall. '#' starts a comment, "#build GRCh37" states the
  /// build. \param source  for messages \throws InputError naming the line
  static GeneticMap parse(std::string_view text, const std::string& source);

  /// The map that comes with fastid (data/maps); no value where there is none of this build.
  static std::optional<GeneticMap> shipped(GenomeBuild build);

  GenomeBuild build() const { return build_; }
  bool has(std::string_view chrom) const { return find(chrom) != nullptr; }

  /// The place of a position, in cM from some start of its chromosome: interpolated linearly between two
  /// points, and the first or last point's before or after all points. \param chrom  place_chromosome()
  double cm(std::string_view chrom, std::uint32_t pos) const;

 private:
  struct Point {
    std::uint32_t pos;
    double cm;
  };
  struct Chromosome {
    std::string name;
    std::vector<Point> points;
  };
  class Parser;
  const Chromosome* find(std::string_view chrom) const;

  GenomeBuild build_ = GenomeBuild::kUnknown;
  std::vector<Chromosome> chromosomes_;
};

/// A site at its place on the map.
struct MappedSite {
  std::uint32_t site = 0;  ///< in the panel
  std::string_view chrom;  ///< place_chromosome(), of the panel
  std::uint32_t pos = 0;   ///< one-based
  double cm = 0;           ///< GeneticMap::cm()
};

/// The sites of a panel that have a position, by chromosome (numbers, then names) and position.
/// \param sites  a row of bits: only these \param panel  must outlive the result
std::vector<MappedSite> mapped_sites(const Panel& panel, std::span<const Word> sites, const GeneticMap& map);

/// For each site, recombination() between it and the site before; 1/2 at the first site of a chromosome.
std::vector<double> recombination_before(std::span<const MappedSite> sites);

}  // namespace fastid
