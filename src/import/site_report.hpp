/// \file
/// The fate of each site of a panel in each file, as TSV (--report).
///
///   file site chrom pos fate by strand order calls record
///
///   fate    matched; block (within a gVCF's block of reference calls); absent; filled (absent, read as
///           reference); other_alleles; dropped (palindromic, by --palindromic)
///   by      id, position
///   strand  same, flipped; ambiguous where a palindromic site was kept as it is
///   order   same, swapped: the file's reference allele is the panel's major or minor one
///   calls   samples that are called; record: its number in the file
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace fastid::imports {

class SiteReport {
 public:
  /// \throws Failure where `path` cannot be written
  explicit SiteReport(const std::string& path);

  void add(std::string_view lines);
  /// Puts the whole file in place. \throws Failure
  void commit();

 private:
  OutputFile out_;
  std::mutex guard_;
};

}  // namespace fastid::imports
