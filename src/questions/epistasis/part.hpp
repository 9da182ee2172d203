/// \file
/// The best combinations of sites of a shard, and those of all shards.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/epistasis.hpp"
#include "part/part_set.hpp"

namespace fastid::epistasis {

void add_combinations(const engine::BestCombinations& best, part::Writer& to);

/// Of each permutation of the trait the lowest cost; infinity: none of interest.
void add_permutations(std::span<const double> best, part::Writer& to);

/// The lowest of all parts. \throws InputError: a part is damaged, or has another number of permutations
std::vector<double> permutations_of(const part::PartSet& parts, std::size_t n);

/// Offers the best of all parts. \param top  of each of them \param is_own  whether a combination is one of
/// those that part i may have \return how many combinations that no part has kept have the cost of the last
/// one that is kept of all \throws InputError: a part is damaged, or has combinations that are not its own
std::uint64_t offer_all(
    const part::PartSet& parts, std::size_t top,
    const std::function<bool(std::size_t i, const engine::SiteCombination& sites)>& is_own,
    engine::BestCombinations& best);

}  // namespace fastid::epistasis
