/// \file
/// Pairs of reads and haplotypes as text, in the columns of GATK's test cases for its pair-HMM:
///
///   haplotype  read  base qualities  insertion q.  deletion q.  continuation q.  [expected log10 likelihood]
///
/// Columns are separated by blanks or tabs, qualities are letters from '!' (0) on, one for each base of the
/// read. '#' starts a comment line. The file may be compressed as any other input.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "hmm/pair_hmm.hpp"

namespace fastid {

class PairCases {
 public:
  /// \param path  "-": standard input. \throws InputError
  explicit PairCases(const std::string& path);
  ~PairCases();

  /// Appends the next pairs, until `pairs` has `cells` cells or more. False where there was none left.
  /// \throws InputError with the line: too few columns, columns of different lengths, a letter that is no
  /// base or no quality, a sequence longer than hmm::kLongest
  bool next(hmm::Pairs& pairs, std::uint64_t cells);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid
