/// \file
/// Profiles from aligned reads, from options to a file.
#pragma once

#include <string>
#include <vector>

#include "import/import.hpp"

namespace fastid::call {

struct CallOptions {
  std::vector<std::string> reads;  ///< files, each of one sample
  std::string panel;               ///< TSV, one that comes with fastid, or a database
  std::string output = "-";
  bool vcf = false;  ///< else .snp, of one sample
  imports::ImportOptions import = {.encoding = Encoding::kAlleles, .individuals = true};
};

/// Calls each file's sample on the panel and writes all samples: a .snp of one sample, or a VCF with GT, GQ,
/// DP, AD and PL, whose REF is the reference genome's allele. Prints one line of counts for each file, and
/// warnings.
/// \throws InputError, UsageError (a .snp of several samples), Failure
void call(const CallOptions& options);

}  // namespace fastid::call
