/// \file
/// Pairs and triples of vectors, of `similarity`, in a fixed order, by which each has an index. (How many
/// combinations of sites a tile has, engine/epistasis.hpp says.)
///
///   pairs i < j:        (0,1) (0,2) (1,2) (0,3) ...        index j (j-1) / 2 + i
///   triples i < j < k:  (0,1,2) (0,1,3) (0,2,3) ...        index k (k-1) (k-2) / 6 + j (j-1) / 2 + i
///
/// So those whose last member is below some vector come first, whatever follows: a range of last members is a
/// range of indices. It is the combinatorial number system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bits/shard.hpp"
#include "engine/rectangle.hpp"

namespace fastid::engine {

/// How many combinations of `way` (1, 2 or 3) vectors there are among n. \throws Failure where they are more
/// than 2^60
std::uint64_t n_combinations(std::uint64_t n, std::size_t way);

inline constexpr std::size_t kMostMembers = 3;
using Members = std::array<std::uint32_t, kMostMembers>;  ///< ascending; of pairs the last is 0

/// The index of a combination.
std::uint64_t index_of(const Members& members, std::size_t way);
/// The combination of an index.
Members members_of(std::uint64_t index, std::size_t way);

/// The last members of a stage's, and of it a shard's, share of the combinations of n vectors: neighbouring
/// ones, whose combinations are as many as those of other shares but for one last member's.
Range last_members(std::uint64_t n, std::size_t way, const Shard& stage, const Shard& shard);

/// The triangle of pairs below `end` as rectangles of at most side x side, each with columns that do not come
/// after its rows: there are n_combinations(tiles + 1, 2) for so many tiles of a side.
Rectangle triangle_tile(std::uint64_t tile, std::uint32_t side, std::uint32_t end);

}  // namespace fastid::engine
