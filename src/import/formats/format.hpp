/// \file
/// Detects the format of a file by its content, and opens the reader for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "import/formats/genotype_reader.hpp"
#include "import/import.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

enum class FileFormat {
  kVcf,
  kBcf,
  kPlink,              ///< PLINK 1 .bed
  kEigenstrat,         ///< .geno, a character per genotype
  kPackedAncestrymap,  ///< .geno, two bits per genotype
  kKitReport,          ///< .xlsx, a sample report of UAS
  kReads,              ///< BAM, CRAM, SAM (reads.hpp)
  kText                ///< lines of genotypes
};

/// \throws InputError where the format is none of these, naming the likely format and the cure.
FileFormat detect_format(const Source& source);

/// How to read a file of genotypes.
struct ReaderOptions {
  std::optional<DepthRule> depths;                    ///< numbers of reads instead of genotypes
  std::optional<std::uint32_t> min_quality;           ///< least quality of a VCF's genotypes
  std::size_t threads = 0;                            ///< that help to decompress
  LikelihoodRule likelihoods = LikelihoodRule::kOff;  ///< which fields of a VCF
  bool signals = false;     ///< keep reads and heights, for GenotypeReader::read_signals()
  bool haplotypes = false;  ///< of a VCF: each sample's two haplotypes are samples of their own
};

/// The files that hold the genotypes, for the checksum: `source` first. \throws InputError where one that
/// must be beside it is missing.
std::vector<std::string> files_of(const Source& source, FileFormat format);

std::unique_ptr<GenotypeReader> open_genotypes(const Source& source, FileFormat format,
                                               const ReaderOptions& options);

}  // namespace fastid::imports
