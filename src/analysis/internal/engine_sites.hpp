/// \file
/// Linked sites found by an engine that compares profiles, on any device.
///
/// The squares of the differences of x and y add up to sum xx + sum yy - 2 sum xy. So a correlation of at
/// least r means that they are few:
///
///   sum (x - y)^2  <=  sum xx + sum yy - 2 (sum x sum y + r sqrt(spread x spread y)) / n,   spread = n sum
///   xx - (sum x)^2
///
/// That is what kinship counts of genotypes, and identity of haplotypes. Sites are sorted by their copies, so
/// that those of a tile are alike, and one threshold serves a query with all of them. It lets through every
/// pair that is linked and few others; the exact test follows. Correlations below 0 are those of the other
/// allele: a second pass over the sites that are common enough has the alleles of the columns exchanged.
#pragma once

#include <cstddef>
#include <vector>

#include "base/progress.hpp"
#include "engine/engine.hpp"
#include "engine/linkage.hpp"

namespace fastid {

/// All pairs of sites with an r2 of at least problem.min_r2, each once, in any order. \param threads  of the
/// exact test \throws DeviceError, Interrupted
std::vector<LinkedSites> linked_by_engine(const SiteProblem& problem, Engine& engine, std::size_t threads,
                                          ProgressMode progress);

}  // namespace fastid
