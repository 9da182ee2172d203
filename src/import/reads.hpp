/// \file
/// Genotypes at a panel's sites from aligned reads (BAM, CRAM, SAM), by how probable the reads are under each
/// allele (hmm/pair_hmm.hpp). Called by read_profiles() for such files, and by `fastid call`, which prints
/// more of them.
///
/// Where the mates of a fragment overlap at a site, one read counts. Haplotypes are the reference genome
/// around the site with either allele, and with each set of the known variants beside it; a read's likelihood
/// under an allele is the mean over these haplotypes. With the likelihoods L of a read under the alleles a
/// and b,
///
///   P(reads | a b) = product over reads of (L(a) + L(b)) / 2
///
/// and the genotype's quality is -10 log10 of the probability of any other genotype.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/import.hpp"

namespace fastid::imports {

class Source;  // io/source.hpp

/// What the reads say of a site.
struct SiteCall {
  Seen seen = kNoneSeen;                  ///< kNoneSeen: not called
  bool found = false;                     ///< the reference genome has the site, with one of its alleles
  bool flipped = false;                   ///< the panel's alleles are of the other strand
  bool minor_is_reference = false;        ///< the reference genome has the minor allele
  bool haploid = false;                   ///< Y, M, a man's X
  std::uint8_t minor_copies = 0;          ///< minor copies of the most probable genotype
  std::uint32_t quality = 0;              ///< of that genotype, phred, at most 99
  std::uint32_t depth = 0;                ///< fragments
  std::array<std::uint32_t, 2> depths{};  ///< fragments that speak for the major, and for the minor allele
  std::array<std::uint32_t, 3> likelihoods{};  ///< by minor copies, phred, less that of the best genotype
};

/// Reads of a file, and why some were left out.
struct ReadCounts {
  std::uint64_t reads = 0, unmapped = 0, secondary = 0, duplicates = 0, failed = 0, low_quality = 0;
  std::uint64_t without_qualities = 0;
  std::uint64_t overlapping = 0;  ///< (read, site) pairs left out: one of two mates, or mates that disagree
  std::uint64_t too_deep = 0;     ///< (read, site) pairs left out at a site that has too many reads
};

/// Reads of another person.
struct Contamination {
  double share = 0;       ///< of the reads, the most probable one, 0 to 0.5
  double log10_lr = 0;    ///< how much more probable the reads are with that share than without
  std::size_t sites = 0;  ///< sites that the estimate rests on
};

struct CalledReads {
  std::string sample;           ///< of the read groups; else the file's name
  std::vector<SiteCall> sites;  ///< one for each site of the panel
  ReadCounts counts;
  std::optional<Sex> sex;  ///< of a person, by which X and Y are called; none where it is not known
  std::optional<Contamination>
      contamination;  ///< where the panel has frequencies and the sample is a person's
  /// Likelihoods of a person's autosomal sites, where ImportOptions::likelihoods asks for them. A fragment is
  /// one copy of the genome, so it counts at one site only, the one nearest to its middle.
  std::optional<SampleLikelihoods> likelihoods;
  /// Single reads of a mixture at autosomal sites that have few, by site, where ImportOptions::signals asks
  /// for them. Here too a fragment counts at one site.
  std::vector<SiteRead> few_reads;
  std::map<std::string, std::string, std::less<>> chromosomes;  ///< the panel's, as the reference names them
  std::vector<std::string> warnings;
};

/// \throws InputError: no reference genome, damaged file, not sorted by coordinate, several samples,
/// another genome build, no site of the panel; UsageError: options.reads.prior is no population
CalledReads call_reads(const Source& source, const Panel& panel, const ImportOptions& options);
CalledReads call_reads(const std::string& path, const Panel& panel, const ImportOptions& options);

/// What became of the reads, for a person.
std::string describe(const ReadCounts& counts);
/// The counts of called reads as ImportCounts, like those of a file of genotypes.
ImportCounts counts_of(const CalledReads& called, const Panel& panel);

}  // namespace fastid::imports
