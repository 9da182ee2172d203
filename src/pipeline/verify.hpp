/// \file
/// Counting again, by the definition, what is to be named: no match is reported that only a device has seen.
#pragma once

#include <cstddef>
#include <span>

#include "bits/blocks.hpp"
#include "engine/engine.hpp"
#include "match/ranking.hpp"

namespace fastid {

/// Counts every ranked pair again from the database's own blocks.
/// \param ranked  for each query of the problem
/// \throws DeviceError where `engine` counted otherwise, InputError (a damaged block), Interrupted
void verify(const BlockSource& database, const Problem& problem, const Engine& engine,
            std::span<const RankedPairs> ranked, std::size_t threads);

}  // namespace fastid
