/// \file
/// A bound on the tail of a weighted sum of counts, where the counts of one block may depend on each other in
/// any way (stats/linkage_blocks.hpp).
///
/// For every x in (0, 1], with weights that are at most 1 in sum over a block,
///
///   P(sum of weight * count <= t) <= x^-t E(x^sum) <= x^-t * product of f_i(x)^weight_i
///
/// where f(x) = P(0) + P(1) x + P(2) x^2 of a count. The first step is Chernoff's, the second Hoelder's
/// within a block and independence between blocks. The bound returned is the lowest over x; at t = 0 it is
/// the product of P(0)^weight.
///
/// Source. H. Chernoff, A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
/// observations, Annals of Mathematical Statistics 23 (1952).
#pragma once

#include <span>

#include "stats/internal/poisson_binomial.hpp"

namespace fastid::stats {

/// log10 of the bound; 0, which says nothing, where t is at or above the mean.
/// \param weights  one for each event, each above 0 \param most  t, at least 0
double log10_tail_bound(std::span<const Event> events, std::span<const double> weights, double most);

}  // namespace fastid::stats
