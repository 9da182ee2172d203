/// \file
/// The panel: its sites, their minor alleles, and these alleles' frequencies. Major and minor are properties
/// of the panel, never of the file that a profile came from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastid {

/// The assemblies that fastid can tell apart by their positions.
enum class GenomeBuild { kUnknown, kNCBI36, kGRCh37, kGRCh38 };

/// "unknown", "NCBI36", "GRCh37", "GRCh38".
std::string_view name_of(GenomeBuild build);
/// Understands hg18, b36, hg19, b37, hs37d5, hg38 and the like, in upper or lower case; else kUnknown.
GenomeBuild parse_build(std::string_view text);
/// The build by the length of one chromosome. \param chrom  normal_chromosome()
GenomeBuild build_of_length(std::string_view chrom, std::uint64_t bases);

/// The build by the accession of chromosome 1 (NC_000001.11, CM000663.2).
GenomeBuild build_of_accession(std::string_view name);

/// One spelling for a chromosome: no "chr", upper case, NC_000001.11 and CM000663.2 -> "1", MT -> "M", 23 ->
/// "X", 24 -> "Y", 25 and XY -> "PAR", 26 -> "M", "0" for an unknown one: "", ".", "-", "--", "NA".
std::string normal_chromosome(std::string_view chromosome);

/// The chromosome whose coordinates a site's position is in: X for PAR (PAR, PAR1, PAR2), else its own.
/// \param chrom  normal_chromosome()
inline std::string_view place_chromosome(std::string_view chrom) {
  return chrom.starts_with("PAR") && (chrom.size() == 3 || chrom == "PAR1" || chrom == "PAR2") ? "X" : chrom;
}

/// 'A' <-> 'T', 'C' <-> 'G'; 0 for anything else.
char complement(char allele);

/// A biallelic SNP. major and minor are two different letters of ACGT.
struct Site {
  std::string id;         ///< unique in a panel; 1 to 255 printable ASCII bytes, no blank, no leading '#'
  std::string chrom;      ///< normal_chromosome(); "0" where not known
  std::uint32_t pos = 0;  ///< one-based; 0 where not known
  char major = 0;
  char minor = 0;

  /// A/T or C/G: both strands have the same two letters.
  bool palindromic() const { return complement(major) == minor; }

  friend bool operator==(const Site&, const Site&) = default;
};

/// Minor-allele frequencies in one population: one for each site of the panel, each in [0, 1]. In some
/// populations the panel's minor allele may be the more common one.
struct Population {
  std::string name;  ///< [A-Za-z0-9_.-]+, at most 64, not "." or ".."
  std::vector<double> minor_freq;
  /// Alleles that each frequency was counted among, two of each person called at the site; empty: not known.
  std::vector<std::uint32_t> counted = {};
};

/// Most sites that a panel may have.
inline constexpr std::size_t kMostSites = std::size_t{1} << 24;

/// Most populations that a panel may have.
inline constexpr std::size_t kMostPanelPopulations = 1000;

/// Sites in a fixed order; site s is bit s of every profile.
class Panel {
 public:
  /// Checks all that the types above require, and that ids are unique.
  /// \param source  for messages: the file it came from
  /// \throws InputError naming source, site and cure.
  Panel(std::vector<Site> sites, std::vector<Population> populations, GenomeBuild build,
        std::string_view source);

  const std::vector<Site>& sites() const { return sites_; }
  const std::vector<Population>& populations() const { return populations_; }
  GenomeBuild build() const { return build_; }
  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(sites_.size()); }

  std::optional<std::uint32_t> find_id(std::string_view id) const;
  /// All sites at a position (more than one where alleles differ), in panel order; none at position 0 or
  /// chromosome "0". Sites of X and PAR are found by either name.
  std::span<const std::uint32_t> find_position(std::string_view chrom, std::uint32_t pos) const;

  /// All sites of a chromosome at positions first .. last, by position.
  std::span<const std::uint32_t> find_range(std::string_view chrom, std::uint32_t first,
                                            std::uint32_t last) const;

  /// The median distance of autosomal neighbours on a chromosome, in base pairs; no value where no chromosome
  /// has two such sites.
  std::optional<std::uint32_t> median_distance() const;
  /// The chromosome that all sites of known position are on; "" where they are on several.
  std::string_view only_chromosome() const;

  /// SHA-256, lower-case hexadecimal, of these bytes, each line ended by "\n":
  ///   "fastid-panel 1", "build NAME", for each site "id\tchrom\tpos\tmajor\tminor",
  ///   for each population "population NAME", then its frequencies as 8 bytes each (IEEE 754, little-endian).
  const std::string& sha256() const { return sha256_; }

 private:
  void check_sites(std::string_view source) const;
  void check_populations(std::string_view source) const;
  void index_ids(std::string_view source);
  void index_positions();
  std::string compute_sha256() const;

  std::vector<Site> sites_;
  std::vector<Population> populations_;
  GenomeBuild build_;
  // Sorted indices rather than hash tables of views, since they stay valid when a panel is copied or moved.
  std::vector<std::uint32_t> by_id_;
  std::vector<std::uint32_t> by_position_;  ///< sorted by (place_chromosome(), pos, place in the panel),
                                            ///< without sites of unknown position
  std::string sha256_;
};

/// A warning where sites are so close that they are linked, so that the evidence, which is computed as for
/// unlinked sites, is overstated: closer than 50 kb at the median. It names the cure. Else "".
std::string density_warning(const Panel& panel);

/// Reads a panel: TSV with a header line id, chrom, pos, major, minor, then one column of frequencies a
/// population; '#' starts a comment, "#build GRCh37" states the build. Instead of pos there may be the
/// positions of two builds, pos_GRCh37 and pos_GRCh38. \param build  the one whose positions are taken, where
/// there are two \throws InputError with the line.
Panel read_panel_tsv(const std::string& path, GenomeBuild build = GenomeBuild::kGRCh37);

/// Writes a panel in the format of read_panel_tsv(). Frequencies have enough digits to read back the same
/// numbers, so that the panel and its SHA-256 are the same.
std::string write_panel_tsv(const Panel& panel);

}  // namespace fastid
