/// \file
/// Bases of a reference genome: which allele a gVCF's block of reference calls means, and what reads are
/// compared with (htslib, faidx).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fastid::imports {

class ReferenceGenome {
 public:
  /// \param path  a FASTA file with its index beside it. \throws InputError
  explicit ReferenceGenome(const std::string& path);
  ~ReferenceGenome();

  /// A, C, G, T; 0 where it is not known. \param chrom  normal_chromosome()
  char base(std::string_view chrom, std::uint32_t pos);

  /// The bases first .. last, 1-based, cut to the chromosome's length: A, C, G, T, and N for any other. ""
  /// where there is no such chromosome.
  std::string bases(std::string_view chrom, std::uint32_t first, std::uint32_t last);
  /// 0 where there is no such chromosome.
  std::uint64_t length(std::string_view chrom) const;
  /// The chromosome's name in the file; "" where there is no such chromosome.
  std::string name(std::string_view chrom) const;
  /// The MD5 of its bases in upper case, as M5 of a SAM's @SQ; "" where there is no such chromosome.
  std::string md5(std::string_view chrom) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::imports
