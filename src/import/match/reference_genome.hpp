/// \file
/// Bases of a reference genome: which allele a gVCF's block of reference calls means (htslib, faidx).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fastid {

class ReferenceGenome {
 public:
  /// \param path  a FASTA file with its index beside it. \throws InputError
  explicit ReferenceGenome(const std::string& path);
  ~ReferenceGenome();

  /// A, C, G, T; 0 where it is not known. \param chrom  normal_chromosome()
  char base(std::string_view chrom, std::uint32_t pos);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid
