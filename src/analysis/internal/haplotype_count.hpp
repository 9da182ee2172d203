/// \file
/// Counts how many stored profiles have a query's haplotype of Y or M, in one pass over the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "engine/comparison.hpp"
#include "match/histogram.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"

namespace fastid {

/// How common the haplotypes of queries are among stored profiles with nine tenths of their sites: counts
/// that add up over the parts of a database. Of a person at 0 those who agree, and at 1 the others; of a
/// mixture at k those of whose alleles it does not show k.
struct HaplotypeTallies {
  HaplotypeTallies(const SiteClasses& classes, Comparison comparison, std::size_t n_queries);

  CountHistograms y, m;
};

/// The sites of a query's haplotype; of a mixture those that it has called.
std::uint32_t haplotype_sites(const RowView& query, std::span<const Word> sites, Comparison comparison);

/// Adds the profiles of a source; none with --reverse, where the database holds mixtures. \param rows  of the
/// source, that count; null: all \param error_rate  of an allele, by which haplotypes agree \throws what the
/// source throws; Interrupted
void count_haplotypes(const BlockSource& source, const RowMask* rows, const Queries& queries,
                      const SiteClasses& classes, Comparison comparison, double error_rate,
                      std::size_t threads, HaplotypeTallies& into);

}  // namespace fastid
