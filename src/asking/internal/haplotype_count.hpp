/// \file
/// Counts how many stored profiles have a query's haplotype of Y or M, in one pass over the database.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "engine/comparison.hpp"
#include "match/histogram.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"

namespace fastid::asking {

/// How common the haplotypes of queries are among stored profiles with nine tenths of their sites: counts
/// that add up over the parts of a database. A person's histogram has at 0 the profiles that agree, and at 1
/// the others; a mixture's has at k the profiles with k alleles that the mixture does not show.
struct HaplotypeTallies {
  HaplotypeTallies(const SiteClasses& classes, engine::Comparison comparison, std::size_t n_queries);

  match::CountHistograms y, m;
};

/// The sites of a query's haplotype; of a mixture those that it has called.
std::uint32_t haplotype_sites(const RowView& query, std::span<const Word> sites,
                              engine::Comparison comparison);

/// Counts them while a database is searched: each block once, when it is read.
class HaplotypeCount {
 public:
  /// \param queries     whole: with the sites that are not counted as evidence \param error_rate  of an
  /// allele, by which haplotypes agree
  HaplotypeCount(const match::Queries& queries, const SiteClasses& classes, engine::Comparison comparison,
                 double error_rate);
  ~HaplotypeCount();

  /// A counter of the same question, with nothing counted.
  std::unique_ptr<HaplotypeCount> again() const {
    return std::unique_ptr<HaplotypeCount>(new HaplotypeCount(asked_));
  }

  /// Whether nothing is left to count: no site of Y or M, --reverse (where the database holds mixtures), or
  /// all is counted.
  bool done() const { return done_; }
  void done(bool is) { done_ = is; }

  std::size_t n_queries() const;
  HaplotypeTallies& tallies() { return tallies_; }
  const HaplotypeTallies& tallies() const { return tallies_; }

  /// Adds profiles of blocks. Thread-safe. \param lanes  of each block, that count
  void add(const BlocksView& blocks, std::span<const Word> lanes);

 private:
  struct AskedHaplotypes;
  explicit HaplotypeCount(std::shared_ptr<const AskedHaplotypes> asked);

  std::shared_ptr<const AskedHaplotypes> asked_;
  HaplotypeTallies tallies_;
  bool done_;
};

/// A source whose profiles are counted when they are first read.
class CountedBlocks final : public BlockSource {
 public:
  /// \param source  and the others must outlive this object \param rows  of the source, that count; null: all
  CountedBlocks(const BlockSource& source, const RowMask* rows, HaplotypeCount& count);

  BlockShape shape() const override { return source_.shape(); }
  bool has_second() const override { return source_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;
  std::span<const std::uint64_t> checksums() const override { return source_.checksums(); }

  /// Reads and counts what nobody has read. \throws what the source throws; Interrupted
  void finish(std::size_t threads) const;

 private:
  Word lanes_of(std::uint64_t block) const;
  void count(std::uint64_t first, std::size_t n, const Word* bits, const Word* second) const;

  const BlockSource& source_;
  const RowMask* rows_;
  HaplotypeCount& count_;
  mutable std::vector<std::atomic<bool>> counted_;  ///< [block]
};

}  // namespace fastid::asking
