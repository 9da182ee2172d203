/// \file
/// Counts how many stored profiles have a query's haplotype of Y or M, in one pass over the database.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "engine/comparison.hpp"
#include "match/haplotype_tally.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"

namespace fastid {

/// Whether a panel has sites of Y or M.
inline bool has_haplotypes(const SiteClasses& classes) {
  return classes.has(SiteClass::kY) || classes.has(SiteClass::kM);
}

/// Tallies of as many queries, of nothing counted yet.
HaplotypeTallies empty_tallies(const SiteClasses& classes, std::size_t n_queries);

/// Adds the profiles of a source. \param rows  of the source, that count; null: all \param error_rate  of an
/// allele, by which haplotypes agree \throws what the source throws; Interrupted
void count_haplotypes(const BlockSource& source, const RowMask* rows, const Queries& queries,
                      const SiteClasses& classes, Comparison comparison, double error_rate,
                      std::size_t threads, HaplotypeTallies& into);

}  // namespace fastid
