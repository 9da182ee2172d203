/// \file
/// Counts pairs again, by the definition, before they are reported, so that no match rests on a device alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Names what counted the pairs of a row, for a message.
using CountedBy = std::function<std::string(std::uint64_t row)>;

/// Counts a pair again from the database's blocks. \param blocks  of the database
/// \throws DeviceError if it was counted differently, InputError (a damaged block)
void verify_pair(BlockReader& blocks, const Problem& problem, const CountedBy& counted_by, const Pair& pair);

/// Counts every ranked pair again from the database's own blocks.
/// \param ranked  the pairs of each query of the problem
/// \throws DeviceError if one was counted differently, InputError (a damaged block), Interrupted
void verify(const BlockSource& database, const Problem& problem, const CountedBy& counted_by,
            std::span<const RankedPairs> ranked, std::size_t threads);

}  // namespace fastid
