/// \file
/// Counts pairs again, by the definition, before they are reported, so that no match rests on a device alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Blames an engine, by a DeviceError. It must outlive the result.
Blame blame_on(const Engine& engine);

/// Counts a pair again from the database's blocks. \param blocks  of the database \param blame  if it was
/// counted differently \throws InputError (a damaged block)
void verify_pair(BlockReader& blocks, const Problem& problem, const Blame& blame, const Pair& pair);

/// Counts every ranked pair again from the database's own blocks.
/// \param ranked  the pairs of each query of the problem
/// \param blame   if one was counted differently
/// \throws InputError (a damaged block), Interrupted
void verify(const BlockSource& database, const Problem& problem, const Blame& blame,
            std::span<const RankedPairs> ranked, std::size_t threads);

}  // namespace fastid
