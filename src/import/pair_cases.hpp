/// \file
/// Pairs of reads and haplotypes as text, in the columns of GATK's test cases for its pair-HMM:
///
///   haplotype  read  base qualities  insertion q.  deletion q.  continuation q.  [expected log10 likelihood]
///
/// and groups of reads and haplotypes, in the columns of the test cases for accelerators of HaplotypeCaller:
///
///   reads  haplotypes                                                      (two counts)
///   read  base qualities  insertion q.  deletion q.  continuation q.       (a line for each read)
///   haplotype                                                              (a line for each haplotype)
///
/// A file may have both. Columns are separated by blanks or tabs, qualities are letters from '!' (0) on, one
/// for each base of the read. '#' starts a comment line. The file may be compressed as any other input.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "hmm/pair_hmm.hpp"

namespace fastid::imports {

class PairCases {
 public:
  /// \param path  "-": standard input. \throws InputError
  explicit PairCases(const std::string& path);
  ~PairCases();

  /// Appends the next groups, until `groups` has `cells` cells or more. False where there was none left.
  /// \throws InputError with the line: too few columns, columns of different lengths, a letter that is no
  /// base or no quality, a sequence longer than hmm::kLongest, a group that is cut off
  bool next(hmm::Groups& groups, std::uint64_t cells);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::imports
