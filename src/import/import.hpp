/// \file
/// Genotype files onto a panel. A file's format is found by its content, never by its suffix.
///
///   read_profiles()   the people in a file, as bits on a panel, with the counts of what became of its sites
///   derive_panel()    a panel from the first input of `db build`
///
/// Formats: VCF and BCF (plain, gzip, bgzip), PLINK 1 bed/bim/fam, 23andMe-style text and `.snp`. Memory is
/// that of the packed result; files are streamed, site by site or line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid {

struct ImportOptions {
  bool ignore_build = false;  ///< match by id alone and warn, where builds differ or may differ
  /// A site that the file does not hold counts as called, major alleles only, with a warning: a panel does
  /// not say which allele the reference genome has, and it need not be the major one.
  bool absent_as_reference = false;
};

/// What became of a file's sites. One line of it is printed for every import and every query.
struct ImportCounts {
  std::uint64_t samples = 0;
  std::uint64_t file_sites = 0;  ///< records or lines that name a site
  std::uint64_t matched = 0;     ///< sites of the panel that the file holds (union over its records)
  std::uint64_t matched_by_position = 0;
  std::uint64_t flipped = 0;      ///< matched sites read on the other strand
  std::uint64_t palindromic = 0;  ///< matched sites that are A/T or C/G
  std::uint64_t unknown_alleles =
      0;                        ///< records (text: genotypes) of a site whose alleles are not the panel's
  std::uint64_t conflicts = 0;  ///< genotypes dropped since two records of one site disagree
  std::uint64_t no_calls = 0;   ///< (profile, matched site) pairs without a call
};

/// "sites matched 1,020 of 1,024 (3 by position), strand-flipped 4, palindromic 75, unknown alleles 2, no
/// calls 31".
std::string describe(const ImportCounts& counts, std::uint32_t n_panel_sites);

/// The people of one file.
struct ImportedProfiles {
  std::string file;              ///< as it was given
  std::string sha256;            ///< of the file's bytes (PLINK: of the .bed's)
  std::vector<std::string> ids;  ///< one a profile: unique within the file
  BitBlocks blocks;              ///< ids.size() profiles on the panel
  ImportCounts counts;
};

/// Reads every sample of a file. "-" is standard input, which, like any pipe, is copied to a temporary file
/// first and may be read again by its name. A PLINK fileset is named by its .bed, or by the path that its
/// three files share.
///
/// A site's calls come from the record with its id, whichever place that has in the file; without one, from
/// the records at its position, as far as they agree. \throws InputError: unreadable, malformed, truncated,
/// not a format that is known, no site of the panel in it,
///         duplicate ids, another genome build, a VCF of variants only; each with file, place and cure.
ImportedProfiles read_profiles(const std::string& path, const Panel& panel, const ImportOptions& options);

/// The biallelic SNPs of a VCF, BCF or PLINK file as a panel: minor is the rarer allele among the called ones
/// (at equal counts the alternative allele; in PLINK files allele 1), its frequency the population `cohort`.
/// Records without an id are named "CHROM:POS". \throws InputError as above, and for a file of one person's
/// genotypes, which cannot say what a panel must.
Panel derive_panel(const std::string& path);

}  // namespace fastid
