/// \file
/// How many copies of X, Y and M people have, and what is counted of them: as plink 1.9 --r2 counts after
/// --set-hh-missing and --set-mixed-mt-missing.
///
///   class       a man                            a woman
///   X           0 or 1; heterozygous: no call    0, 1, 2
///   Y           heterozygous: no call            no call
///   M           heterozygous: no call            the same
///
/// The sex is that which X and Y show, else the stated one. Whose sex is not known counts as having the most
/// copies that either sex has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "asking/people_file.hpp"
#include "base/thread_pool.hpp"
#include "bits/turned.hpp"
#include "panel/site_class.hpp"

namespace fastid::ld {

class PeopleCopies {
 public:
  /// Reads the people once.
  PeopleCopies(const asking::PeopleFile& file, const SiteClasses& classes, ThreadPool& pool);

  /// Units with one copy of X: a bit each, in words of 32 units. Two of each man where units are haplotypes.
  std::span<const Word> one_x() const { return one_x_; }

  /// Masks the turned sites by the number of copies of X, Y and M, and swaps the alleles of a site of X where
  /// the minor one is the more frequent. A man's one copy of X is one minor copy or
  /// none: it is stored as heterozygous or without a minor allele. Since men and women then have different
  /// numbers, r2 depends on which allele is counted: as in plink, the rarer one among these people. Of
  /// haplotypes only one of a pair is left where there is one copy.
  /// \param sites  of the file's people, in the panel's order \returns of each site whether its alleles were
  /// exchanged, since the panel's minor allele is the more frequent one
  std::vector<std::uint8_t> apply(TurnedBlocks& sites, ThreadPool& pool) const;

  /// "43 men and 42 women", "43 men, 40 women and 2 of unknown sex".
  std::string describe() const;

 private:
  enum class Units { kCarriers, kGenotypes, kHaplotypes };

  void keep_counted(SiteClass of, std::uint64_t site, TurnedBlocks& sites) const;
  bool count_rarer(std::uint64_t site, TurnedBlocks& sites) const;

  const SiteClasses& classes_;
  Units units_;
  std::vector<Word> one_x_, no_y_;
  std::uint64_t men_ = 0, women_ = 0, unknown_ = 0;
};

}  // namespace fastid::ld
