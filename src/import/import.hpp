/// \file
/// Reads genotype files onto a panel. A file's format is detected by its content, never by its suffix.
///
///   read_profiles()   the people in a file, as bits on a panel, with the counts of what became of its sites
///   derive_panel()    a panel from the first input of `db build`
///
/// Formats: VCF, BCF and gVCF, PLINK 1 bed/bim/fam, EIGENSTRAT and PACKEDANCESTRYMAP, the texts of 23andMe,
/// AncestryDNA, FTDNA, MyHeritage, LivingDNA and others, tables of evidence, `.snp`; each plain or in gzip,
/// bgzip, xz or zstd; sample reports of ForenSeq's UAS (.xlsx); aligned reads (BAM, CRAM, SAM)
/// (docs/file-formats.md). Only the packed result is held in memory, and for reports and tables that name
/// samples on their lines also the genotypes. Other files are streamed, site by site or line by line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bits/allele_signal.hpp"
#include "bits/blocks.hpp"
#include "bits/likelihoods.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"

namespace fastid::hmm {
class LikelihoodEngine;  // hmm/pair_hmm.hpp
}  // namespace fastid::hmm

namespace fastid {
class ThreadPool;  // base/thread_pool.hpp
}  // namespace fastid

namespace fastid::imports {

class SiteReport;  // site_report.hpp

/// What to do at sites whose two strands look alike (A/T, C/G).
enum class PalindromicRule {
  kKeep,      ///< alleles are taken as they are
  kDrop,      ///< the site is not called
  kFrequency  ///< the strand on which the file's allele counts are 1,000 times as likely; else not called
};

std::string_view name_of(PalindromicRule rule);  ///< "keep", "drop", "frequency", as in --palindromic

/// Where genotype likelihoods are read in place of calls. A named field is read of each sample that has it.
enum class LikelihoodRule {
  kOff,  ///< calls alone
  /// For aligned reads; for a VCF's samples that have PL or GL and are called at less than half of the sites
  /// that have them; for all contributors in a file of `fastid mixture --deconvolve`.
  kAuto,
  kPl,  ///< phred-scaled, of a VCF
  kGl,  ///< log10
  kGp   ///< probabilities, divided by a flat prior
};

std::string_view name_of(LikelihoodRule rule);  ///< "off", "auto", "PL", "GL", "GP", as in --likelihoods

/// Which alleles a file shows by their reads (in a VCF: AD): each allele that has at least `min_fraction` of
/// a site's reads. A site with fewer than `min_depth` reads is not called.
struct DepthRule {
  std::uint32_t min_depth = 10;
  double min_fraction = 0.02;

  /// The reads that an allele needs to be seen, at least one; infinity where the site has too few reads.
  /// \param total  reads of the site
  double least_reads(double total) const {
    if (total < std::max(1.0, static_cast<double>(min_depth))) return std::numeric_limits<double>::infinity();
    return std::max(1.0, min_fraction * total);
  }
};

/// How genotypes are called from aligned reads (docs/commands/call.md).
struct ReadOptions {
  std::optional<std::uint32_t> min_mapping_quality = std::nullopt;  ///< of a read; none: kMinQuality
  double damage = 0;  ///< how often a C is read as T at the first base of a molecule; 0: undamaged DNA
  /// The sex of a person: a man's X is haploid, and a woman's Y is not called. None: the sex that X and Y
  /// show.
  std::optional<Sex> sex = std::nullopt;
  /// For likelihoods: the share of the reads that come from another, unrelated person, 0 to 0.5. None:
  /// estimated from the reads.
  std::optional<double> contamination = 0.0;
  bool single_stranded = false;  ///< the library was made from single strands
  std::string known = {};        ///< VCF of variants that the sample may have beside a site; "": none
  std::string prior = {};  ///< population of the panel whose frequencies are the genotypes' prior; "": none
  std::shared_ptr<hmm::LikelihoodEngine> engine = nullptr;  ///< of the pair-HMM; null: the native one
};

struct ImportOptions {
  static constexpr std::uint32_t kMinQuality = 20;  ///< of reads, where nothing is asked for

  /// What the profiles say of a site. kMinor, whatever is asked for, where the file says no more (fastid's
  /// own exports of a kMinor database).
  Encoding encoding = Encoding::kMinor;
  bool individuals = false;   ///< each sample is a person: warns of genotypes of three or more letters
  bool ignore_build = false;  ///< match by id alone and warn, where builds differ or may differ
  /// Sites that the file does not hold are called, with the major allele only. Warns, because the reference
  /// genome may have the minor allele there, and a panel does not say.
  bool absent_as_reference = false;
  PalindromicRule palindromic = PalindromicRule::kKeep;
  std::optional<DepthRule> depths = std::nullopt;  ///< read numbers of reads instead of genotypes
  /// A FASTA file that says which allele a gVCF's blocks of reference calls mean. Without one they are read
  /// as the panel's major allele, with a warning. Aligned reads need one.
  std::string reference = {};
  /// The least quality of a genotype that is called: in a VCF by GQ, RGQ or GP. None: any quality; for a
  /// person's aligned reads kMinQuality.
  std::optional<std::uint32_t> min_genotype_quality = std::nullopt;
  /// Likelihoods of people at autosomal sites. A stated min_genotype_quality concerns calls, so kAuto is then
  /// kOff.
  LikelihoodRule likelihoods = LikelihoodRule::kOff;
  /// What was measured of the alleles (reads, heights of peaks) is kept beside what they show.
  bool signals = false;
  std::shared_ptr<SiteReport> report = nullptr;  ///< receives the fate of each site of each file
  ReadOptions reads = {};
  bool haplotypes = false;     ///< of phased VCFs: each sample's haplotypes are read as samples of their own
  std::size_t threads = 0;     ///< that help to decompress, besides the caller
  ThreadPool* pool = nullptr;  ///< hashes and packs in parallel with reading; must outlive it
};

/// ImportOptions::likelihoods, but kOff in place of kAuto where min_genotype_quality is stated.
LikelihoodRule rule_of_likelihoods(const ImportOptions& options);

/// What became of a file's sites. One line of it is printed for every import and every query.
struct ImportCounts {
  std::uint64_t samples = 0;
  std::uint64_t file_sites = 0;  ///< records or lines that name a site
  std::uint64_t matched = 0;     ///< sites of the panel that the file holds (union over its records)
  std::uint64_t matched_by_position = 0;
  std::uint64_t flipped = 0;              ///< matched sites read on the other strand
  std::uint64_t palindromic = 0;          ///< matched sites that are A/T or C/G
  std::uint64_t unknown_alleles = 0;      ///< records (text: genotypes) whose alleles are not the site's
  std::uint64_t conflicts = 0;            ///< genotypes dropped because two records of one site disagree
  std::uint64_t no_calls = 0;             ///< (profile, matched site) pairs without a call
  std::uint64_t swapped = 0;              ///< matched sites whose minor allele is the file's reference allele
  std::uint64_t in_blocks = 0;            ///< matched sites within a gVCF's blocks of reference calls
  std::uint64_t palindromic_dropped = 0;  ///< sites left out because their strand is unknown
  std::uint64_t one_copy_hets = 0;  ///< calls of both alleles where a person has one copy: Y, M, a man's X
  std::uint64_t third_alleles = 0;  ///< calls dropped because another record has a third allele there
};

/// \throws InputError where an id is not 1 to 255 printable bytes, or occurs twice
void check_ids(const std::vector<std::string>& ids, const std::string& file);

/// "sites matched 1,020 of 1,024 (3 by position), strand-flipped 4, palindromic 75, unknown alleles 2, no
/// calls 31".
std::string describe(const ImportCounts& counts, std::uint32_t n_panel_sites);

/// Whether a file holds aligned reads; false too where it cannot be read.
bool holds_reads(const std::string& path);

/// The people of one file.
struct ImportedProfiles {
  std::string file;  ///< as it was given
  /// SHA-256 of the file's bytes; for files that belong together, of their bytes one after the other (PLINK:
  /// .bed, .bim, .fam; EIGENSTRAT: .geno, .snp, .ind). A future, because hashing takes longer than reading.
  /// \throws InputError where a file changed while it was read.
  std::shared_future<std::string> sha256;
  std::vector<std::string> ids;  ///< one per profile, unique within the file
  BitBlocks blocks;              ///< ids.size() profiles on the panel
  ImportCounts counts;
  std::vector<std::optional<Sex>> stated_sexes = {};  ///< of each profile; empty where the file states none
  /// The likelihoods of each profile that goes by them in place of its calls, which are there too; empty
  /// where no profile does.
  std::vector<std::optional<SampleLikelihoods>> likelihoods = {};
  /// The signals of each profile, where ImportOptions::signals asks for them; no value where the file has
  /// none. Else empty.
  std::vector<std::optional<SampleSignal>> signals = {};
  /// One list for each entry of `signals`: single reads, from aligned reads, at autosomal sites that have
  /// few, by site.
  std::vector<std::vector<SiteRead>> few_reads = {};
  std::string about;                  ///< what the file says of its samples, for the log; "": nothing
  std::vector<std::string> warnings;  ///< for callers that read in parallel to print in order
  std::string site_report;            ///< lines for options.report
};

/// Reads every sample of a file. "-" is standard input, which, like any pipe, is copied to a temporary file
/// first and may be read again by its name. A PLINK fileset is named by its .bed, or by the path that its
/// three files share.
///
/// A site's calls come from the record with its id, wherever that is in the file; without one, from the
/// records at its position, as far as they agree. \throws InputError: unreadable, malformed, truncated,
/// unknown format, no site of the panel, duplicate ids, another genome build, a VCF of variants only; each
/// with file, place and cure.
ImportedProfiles read_profiles(const std::string& path, const Panel& panel, const ImportOptions& options);

/// read_profiles(), but it prints nothing and leaves options.report alone: publish() does both.
ImportedProfiles import_profiles(const std::string& path, const Panel& panel, const ImportOptions& options);
/// Prints what the file says of its samples and the warnings, and adds the fates of the sites to
/// options.report.
void publish(ImportedProfiles& profiles, const ImportOptions& options);

/// A stamp of an input and the files that belong to it, which differs after a change; "" for a pipe.
std::string input_stamp(const std::string& path);

/// The biallelic SNPs of a VCF, BCF, PLINK or EIGENSTRAT file as a panel. The minor allele is the rarer one
/// among called genotypes (at equal counts the alternative allele; in PLINK files allele 1), and its
/// frequency makes the population `cohort`. Records without an id are named "CHROM:POS". Records of one
/// position become one site: the site of the record with the most called alleles, without calls of people who
/// carry another record's allele. \throws InputError as above, and for one person's genotypes, which cannot
/// show what is rare.
Panel derive_panel(const std::string& path);

/// derive_panel(), and the file's people on that panel.
struct PanelAndProfiles {
  Panel panel;
  /// Nothing where options, or records that the panel leaves out, change the calls: use import_profiles().
  std::optional<ImportedProfiles> profiles;
};
/// \param cure  what to do about a file of too few people
PanelAndProfiles derive_panel_and_profiles(
    const std::string& path, const ImportOptions& options,
    const std::string& cure =
        "give a panel with --panel (`fastid panel list`), or a VCF or PLINK file of many people first");

}  // namespace fastid::imports
