/// \file
/// The pairs of sites that a shard has found, and those of all shards in the order of one run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "part/part_set.hpp"
#include "questions/ld/table.hpp"

namespace fastid::ld {

/// Writes pairs as they are found, in ascending order of (first, second). Of their counts `called` is kept.
void add_linked(part::Writer& to, std::span<const SitePair> pairs);

/// Hands on the pairs of all parts, some at a time: shards have ranges of first sites, in their order.
/// \param is_own  whether a pair is one of those that part i may have \throws InputError: a part is damaged,
/// or has pairs that are not its own
void for_all_linked(const part::PartSet& parts,
                    const std::function<bool(std::size_t i, const SitePair& pair)>& is_own,
                    const std::function<void(std::span<const SitePair> pairs)>& take);

}  // namespace fastid::ld
